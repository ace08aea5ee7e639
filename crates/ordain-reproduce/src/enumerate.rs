//! How few preemptions it takes: all runs along a recording with none, with one, with two.
//!
//! Without a preemption there is little to choose: a thread goes on until it has to wait, and then another does. So there are few
//! such runs, and as every thread is held to its tape, fewer still. With one preemption there are about as many for each moment at
//! which a thread can be interrupted. Moments at which it is about to do something that nobody else has to do with are all the
//! same, so only the last of them counts (`notice`). Whatever ends a run, or leads a thread away from its tape, is something that
//! others may have to come before. Stores that wait in buffers reach memory as late as can be (`commits`).
//!
//! If none of them fails as recorded, it takes more preemptions: that is a proof. Waits that end without a signal are tried last:
//! they are possible, but hardly what has happened.

use crate::commits::{self, Looks, Place};
use crate::notice::Notice;
use crate::stage::{Case, Stage};
use ordain_ir::program::Builtin;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_vm::{Decides, PendingKind, Status, ThreadId, can_go_on, would_look_at};
use rustc_hash::FxHashMap;

/// Runs with more switches, or more stores that have to reach memory, are not gone through.
const MOST_CHOICES: usize = 500;

/// What came of going through all runs with so few preemptions.
pub enum Enumerated {
    /// One of them fails as recorded.
    Fails(Execution),
    /// None does.
    Fine,
    /// There are too many.
    Open,
}

/// Goes through all runs along the recording with at most so many preemptions. `is_over` says when to give up.
pub fn enumerate(case: Case<'_, '_>, preemptions: u32, is_over: &dyn Fn() -> bool) -> Enumerated {
    let with = |spurious| enumerate_with(case, preemptions, spurious, is_over);
    match with(false) {
        Enumerated::Fine if ordain_unfold::calls(case.program, Builtin::Spurious) => with(true),
        enumerated => enumerated,
    }
}

/// The same, with or without waits that end without a signal.
fn enumerate_with(case: Case<'_, '_>, preemptions: u32, spurious: bool, is_over: &dyn Fn() -> bool) -> Enumerated {
    let mut notice = Notice::default();
    loop {
        let known = notice.size();
        let mut enumeration = Enumeration {
            spurious,
            is_buffered: case.memory != MemoryModel::Sc,
            is_stuck: case.goal.is_stuck(),
            notice,
            chosen: FxHashMap::default(),
            entered: FxHashMap::default(),
            is_over,
            open: false,
            depth: 0,
        };
        let found = enumeration.choose(Stage::new(case), None, preemptions);
        if let Some(execution) = found {
            return Enumerated::Fails(execution);
        }
        if enumeration.open {
            return Enumerated::Open;
        }
        notice = enumeration.notice;
        if notice.size() == known {
            return Enumerated::Fine;
        }
        // Some of what threads were not interrupted before, others have to do with after all.
    }
}

/// Who was running when others are to go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Stopped {
    thread: ThreadId,
    /// It could have gone on, and that has been counted.
    is_preempted: bool,
}

/// A state of a run, in short, and who is running.
type State = ([u8; 32], ThreadId);

struct Enumeration<'e> {
    /// Waits may end without a signal.
    spurious: bool,
    /// There are store buffers.
    is_buffered: bool,
    /// It is to end with threads that cannot go on.
    is_stuck: bool,
    notice: Notice,
    /// The states in which others were chosen, and how many preemptions were left at most.
    chosen: FxHashMap<([u8; 32], Option<Stopped>), u32>,
    /// The same, for those that threads came to after stores had reached memory.
    entered: FxHashMap<State, u32>,
    is_over: &'e dyn Fn() -> bool,
    open: bool,
    /// How many choices led to where the enumeration is.
    depth: usize,
}

impl Enumeration<'_> {
    /// Goes on with all that can come of a run in which it is the thread's turn; returns one that fails as recorded. If the thread
    /// has done nothing yet in this turn, `after` is who was running before.
    fn go_on(
        &mut self,
        mut stage: Stage<'_, '_>,
        thread: ThreadId,
        mut after: Option<Option<Stopped>>,
        mut left: u32,
    ) -> Option<Execution> {
        loop {
            if stage.machine.end().is_some() {
                return stage.ends_as_recorded().then(|| stage.machine.execution());
            }
            let has_begun = after.is_none();
            let may_go_on = can_go_on(&stage.machine, thread);
            if self.is_buffered && !stage.has_left(thread) && (stage.machine.is_at_loop(thread) || !may_go_on) {
                // Stores that reach memory may let it go on, or keep it waiting.
                let looked_at = self.looked_at(&stage, thread);
                let ways = commits::ways(&stage, &looked_at, |stage| can_go_on(&stage.machine, thread));
                for other in self.all_of(ways) {
                    let found = match (may_go_on, has_begun) {
                        (true, true) => self.choose(other, Some(Stopped { thread, is_preempted: false }), left),
                        (true, false) => None,
                        (false, _) => self.enter(other, thread, after, left),
                    };
                    if found.is_some() || self.open {
                        return found;
                    }
                }
            }
            let stopped = |is_preempted| Some(Stopped { thread, is_preempted });
            if !may_go_on && self.is_stuck && stage.machine.status(thread) == Status::Ready {
                // It has to have gone round for nothing to be stuck.
                let mut other = stage.clone();
                if let Some(left) = self.pay(&stage, after, left)
                    && self.go_round(&mut other, thread)
                {
                    let found = self.choose(other, stopped(false), left);
                    if found.is_some() || self.open {
                        return found;
                    }
                }
            }
            if !may_go_on {
                return if has_begun { self.choose(stage, stopped(false), left) } else { None };
            }
            if stage.has_left(thread) {
                return if has_begun && left > 0 { self.choose(stage, stopped(true), left - 1) } else { None };
            }
            let pending = stage.machine.pending(thread);
            let concerns_others =
                pending.as_ref().is_none_or(|p| self.notice.concerns_others(&stage.machine, thread, p));
            if concerns_others && has_begun && left > 0 {
                let found = self.choose(stage.clone(), stopped(true), left - 1);
                if found.is_some() || self.open {
                    return found;
                }
            }
            let ways = self.ways(&stage, thread);
            if self.open {
                return None;
            }
            let is_crossing = !ways.is_empty();
            for other in ways {
                let found = self.step(other, thread, after, left);
                if found.is_some() || self.open {
                    return found;
                }
            }
            left = self.pay(&stage, after.take(), left)?;
            for outcome in 1..self.outcomes(&stage, thread) {
                let mut other = stage.clone();
                if other.step_or_leave(thread, outcome) {
                    let found = self.go_on(other, thread, None, left);
                    if found.is_some() || self.open {
                        return found;
                    }
                }
            }
            let goes_on = stage.step_or_leave(thread, 0);
            if !goes_on || stage.machine.end().is_some() || stage.has_left(thread) {
                pending.iter().for_each(|pending| self.notice.end(pending));
            }
            if !goes_on || is_crossing && !self.is_new(&stage, thread, left) {
                return None;
            }
        }
    }

    /// Lets a thread that would wait for memory to change go round until it does; whether it goes the recorded way.
    fn go_round(&self, stage: &mut Stage<'_, '_>, thread: ThreadId) -> bool {
        let mut goes_well = true;
        while goes_well && stage.machine.end().is_none() && stage.machine.status(thread) == Status::Ready {
            goes_well = !stage.has_left(thread) && stage.step_or_leave(thread, 0);
        }
        goes_well
    }

    /// What a thread at the head of a loop looks at to see whether it has to wait, as far as stores may reach it.
    fn looked_at(&self, stage: &Stage<'_, '_>, thread: ThreadId) -> Vec<Place> {
        let may = matches!(stage.machine.status(thread), Status::Ready | Status::Awaiting);
        match may && !stage.machine.commits().is_empty() {
            true => would_look_at(stage.machine.clone(), thread),
            false => Vec::new(),
        }
    }

    /// Each way in which stores can reach memory just before the thread's next step, other than not at all.
    fn ways<'p, 'r>(&mut self, stage: &Stage<'p, 'r>, thread: ThreadId) -> Vec<Stage<'p, 'r>> {
        if !self.is_buffered || stage.machine.commits().is_empty() {
            return Vec::new();
        }
        let ways = match commits::looks(&stage.machine, thread) {
            Looks::Nowhere => return Vec::new(),
            Looks::At(place @ (address, size)) => {
                commits::ways(stage, &[place], |stage| stage.machine.sees(thread, address, size))
            }
            Looks::Stirs(places) => commits::ways(stage, &places, Stage::digest),
        };
        self.all_of(ways)
    }

    /// All ways in which stores can reach memory; if there are too many, that is not all that can come of the run.
    fn all_of<'p, 'r>(&mut self, ways: Option<Vec<Stage<'p, 'r>>>) -> Vec<Stage<'p, 'r>> {
        self.open |= ways.is_none();
        ways.unwrap_or_default()
    }

    /// How many preemptions are left when a thread begins its turn: stores that have just reached memory may let the one go on that was
    /// running before. `None` if that is one too many.
    fn pay(&self, stage: &Stage<'_, '_>, after: Option<Option<Stopped>>, left: u32) -> Option<u32> {
        let waited = after.flatten().filter(|stopped| self.is_buffered && !stopped.is_preempted);
        let could = waited.is_some_and(|stopped| can_go_on(&stage.machine, stopped.thread));
        left.checked_sub(u32::from(could))
    }

    /// Goes on with the thread's next step, now that stores have reached memory.
    fn step(
        &mut self,
        stage: Stage<'_, '_>,
        thread: ThreadId,
        after: Option<Option<Stopped>>,
        left: u32,
    ) -> Option<Execution> {
        if stage.machine.end().is_some() {
            return stage.ends_as_recorded().then(|| stage.machine.execution());
        }
        let left = self.pay(&stage, after, left)?;
        let pending = stage.machine.pending(thread);
        for outcome in 0..self.outcomes(&stage, thread) {
            let mut other = stage.clone();
            let goes_on = other.step_or_leave(thread, outcome);
            if !goes_on || other.machine.end().is_some() || other.has_left(thread) {
                pending.iter().for_each(|pending| self.notice.end(pending));
            }
            if goes_on {
                let found = self.enter(other, thread, None, left);
                if found.is_some() || self.open {
                    return found;
                }
            }
        }
        None
    }

    /// Goes on with a state, if it is new.
    fn enter(
        &mut self,
        stage: Stage<'_, '_>,
        thread: ThreadId,
        after: Option<Option<Stopped>>,
        left: u32,
    ) -> Option<Execution> {
        if after.is_none() && !self.is_new(&stage, thread, left) {
            return None;
        }
        self.deeper(|enumeration| enumeration.go_on(stage, thread, after, left))
    }

    /// Whether nobody has gone on from here, with as many preemptions left.
    fn is_new(&mut self, stage: &Stage<'_, '_>, thread: ThreadId, left: u32) -> bool {
        note(&mut self.entered, (stage.digest(), thread), left)
    }

    fn deeper(&mut self, further: impl FnOnce(&mut Self) -> Option<Execution>) -> Option<Execution> {
        if (self.is_over)() || self.depth == MOST_CHOICES {
            self.open = true;
            return None;
        }
        self.depth += 1;
        let found = further(self);
        self.depth -= 1;
        found
    }

    /// Goes on with everybody who can, but for the one that was running.
    fn choose(&mut self, stage: Stage<'_, '_>, stopped: Option<Stopped>, left: u32) -> Option<Execution> {
        if stage.machine.end().is_some() {
            return stage.ends_as_recorded().then(|| stage.machine.execution());
        }
        if !note(&mut self.chosen, (stage.digest(), stopped), left) {
            return None;
        }
        self.deeper(|enumeration| enumeration.choose_any(&stage, stopped, left))
    }

    fn choose_any(&mut self, stage: &Stage<'_, '_>, stopped: Option<Stopped>, left: u32) -> Option<Execution> {
        for thread in stage.machine.thread_ids() {
            let may = match stage.machine.status(thread) {
                Status::Ready => true,
                // Stores that reach memory may let it go on.
                Status::Awaiting => self.is_buffered && !stage.machine.commits().is_empty(),
                Status::Blocked(_) | Status::Ended => false,
            };
            if may && !stage.has_left(thread) && stopped.is_none_or(|stopped| stopped.thread != thread) {
                let found = self.go_on(stage.clone(), thread, Some(stopped), left);
                if found.is_some() || self.open {
                    return found;
                }
            }
        }
        if self.is_stuck && self.is_buffered { self.end_when_all_is_in_memory(stage) } else { None }
    }

    /// A run that ends as recorded as soon as no store waits in a buffer: before that nobody is stuck for good.
    fn end_when_all_is_in_memory(&mut self, stage: &Stage<'_, '_>) -> Option<Execution> {
        let machine = &stage.machine;
        if machine.thread_ids().any(|thread| machine.status(thread) == Status::Ready) {
            return None;
        }
        let places: Vec<Place> = machine.thread_ids().flat_map(|thread| machine.buffered_places(thread)).collect();
        let ways = self.all_of(commits::ways(stage, &places, Stage::digest));
        ways.into_iter().find(Stage::ends_as_recorded).map(|stage| stage.machine.execution())
    }

    /// In how many ways what the thread does next can go.
    fn outcomes(&self, stage: &Stage<'_, '_>, thread: ThreadId) -> u32 {
        match stage.machine.pending(thread).map(|pending| pending.kind) {
            Some(PendingKind::Choose { choice: Decides::Spurious }) if !self.spurious => 1,
            _ => stage.machine.outcomes(thread),
        }
    }
}

/// Notes that a state was come to with so many preemptions left; whether that is more than ever before.
fn note<S: std::hash::Hash + Eq>(states: &mut FxHashMap<S, u32>, state: S, left: u32) -> bool {
    let before = states.get(&state).copied();
    let is_new = before.is_none_or(|before| left > before);
    if is_new {
        states.insert(state, left);
    }
    is_new
}
