//! How few preemptions it takes: all runs along a recording with none, with one, with two.
//!
//! Without a preemption there is little to choose: a thread goes on until it has to wait, and then another does. So there are few
//! such runs, and as every thread is held to its tape, fewer still. With one preemption there are about as many for each moment at
//! which a thread can be interrupted. Moments at which it is about to do something that nobody else has to do with are all the
//! same, so only the last of them counts: what others have to do with is found out on the way. Whatever ends a run, or leads a
//! thread away from its tape, is something that others may have to come before.
//!
//! If none of them fails as recorded, it takes more preemptions: that is a proof. Waits that end without a signal are tried last:
//! they are possible, but hardly what has happened.

use crate::stage::Stage;
use crate::{Goal, Ways};
use ordain_ir::facts::Facts;
use ordain_ir::program::{Builtin, FuncId, Pc, Program};
use ordain_model::witness::Execution;
use ordain_vm::{Decides, Pending, PendingKind, Status, ThreadId, can_go_on};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs with more switches are not gone through.
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
pub fn enumerate(
    program: &Program,
    facts: &Facts,
    recorded: (&Ways, &Goal),
    preemptions: u32,
    is_over: &dyn Fn() -> bool,
) -> Enumerated {
    let with = |spurious| enumerate_with(program, facts, recorded, (preemptions, spurious), is_over);
    match with(false) {
        Enumerated::Fine if ordain_unfold::calls(program, Builtin::Spurious) => with(true),
        enumerated => enumerated,
    }
}

/// The same, with or without waits that end without a signal.
fn enumerate_with(
    program: &Program,
    facts: &Facts,
    (ways, goal): (&Ways, &Goal),
    (preemptions, spurious): (u32, bool),
    is_over: &dyn Fn() -> bool,
) -> Enumerated {
    let mut notice = Notice::default();
    loop {
        let known = notice.size();
        let mut enumeration =
            Enumeration { spurious, notice, seen: FxHashSet::default(), is_over, open: false, depth: 0 };
        let stage = Stage::new(program, facts, ways, goal);
        let found = enumeration.go_on(stage, None, preemptions);
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

/// What is known of which points others have to do with.
#[derive(Default)]
struct Notice {
    /// Who uses which words of memory. `None`: more than one thread.
    users: FxHashMap<u64, Option<ThreadId>>,
    /// How many words more than one thread uses.
    shared: usize,
    /// Where runs ended, and threads left their tapes.
    ends: FxHashSet<(FuncId, Pc)>,
}

impl Notice {
    /// How much is known: it never becomes less.
    fn size(&self) -> usize {
        self.shared + self.ends.len()
    }

    /// A thread accesses memory; whether others have to do with that.
    fn access(&mut self, thread: ThreadId, address: u64, size: u8) -> bool {
        let words = address / 8..(address + u64::from(size)).div_ceil(8);
        let mut shared = false;
        for word in words {
            let user = self.users.entry(word).or_insert(Some(thread));
            if user.is_some_and(|user| user != thread) {
                *user = None;
                self.shared += 1;
            }
            shared |= user.is_none();
        }
        shared
    }

    /// Whether others have to do with what the thread does next.
    fn concerns_others(&mut self, thread: ThreadId, pending: &Pending) -> bool {
        let may_end = self.ends.contains(&(pending.function, pending.pc));
        let others = match pending.kind {
            PendingKind::Load { address, size, .. }
            | PendingKind::Store { address, size, .. }
            | PendingKind::Rmw { address, size, .. }
            | PendingKind::CmpXchg { address, size, .. } => self.access(thread, address, size),
            PendingKind::Divide { .. } | PendingKind::Malloc { .. } | PendingKind::Output => false,
            _ => true,
        };
        others || may_end
    }
}

struct Enumeration<'e> {
    /// Waits may end without a signal.
    spurious: bool,
    notice: Notice,
    /// The states that were gone on from, in short: with who was running, and how many preemptions were left.
    seen: FxHashSet<([u8; 32], Option<ThreadId>, u32)>,
    is_over: &'e dyn Fn() -> bool,
    open: bool,
    /// How many choices led to where the enumeration is.
    depth: usize,
}

impl Enumeration<'_> {
    /// Goes on with all that can come of a run; returns one that fails as recorded.
    fn go_on(&mut self, mut stage: Stage<'_, '_>, running: Option<ThreadId>, left: u32) -> Option<Execution> {
        let Some(thread) = running else { return self.choose(stage, None, left) };
        loop {
            if stage.machine.end().is_some() {
                return stage.failure().map(|_| stage.machine.execution());
            }
            if !can_go_on(&stage.machine, thread) {
                return self.choose(stage, Some(thread), left);
            }
            if stage.has_left(thread) {
                return if left > 0 { self.choose(stage, Some(thread), left - 1) } else { None };
            }
            let pending = stage.machine.pending(thread);
            let concerns_others = pending.as_ref().is_none_or(|p| self.notice.concerns_others(thread, p));
            if concerns_others && left > 0 {
                let found = self.choose(stage.clone(), Some(thread), left - 1);
                if found.is_some() || self.open {
                    return found;
                }
            }
            for outcome in 1..self.outcomes(&stage, thread) {
                let mut other = stage.clone();
                if other.step_or_leave(thread, outcome) {
                    let found = self.go_on(other, Some(thread), left);
                    if found.is_some() || self.open {
                        return found;
                    }
                }
            }
            let goes_on = stage.step_or_leave(thread, 0);
            if !goes_on || stage.machine.end().is_some() || stage.has_left(thread) {
                self.notice.ends.extend(pending.map(|pending| (pending.function, pending.pc)));
            }
            if !goes_on {
                return None;
            }
        }
    }

    /// Goes on with everybody who can, but for the one that was running.
    fn choose(&mut self, stage: Stage<'_, '_>, running: Option<ThreadId>, left: u32) -> Option<Execution> {
        if (self.is_over)() || self.depth == MOST_CHOICES {
            self.open = true;
            return None;
        }
        if !self.seen.insert((stage.digest(), running, left)) {
            return None;
        }
        self.depth += 1;
        let found = self.choose_any(&stage, running, left);
        self.depth -= 1;
        found
    }

    fn choose_any(&mut self, stage: &Stage<'_, '_>, running: Option<ThreadId>, left: u32) -> Option<Execution> {
        for thread in stage.machine.thread_ids() {
            let may = stage.machine.status(thread) == Status::Ready && !stage.has_left(thread);
            if may && Some(thread) != running {
                let found = self.go_on(stage.clone(), Some(thread), left);
                if found.is_some() || self.open {
                    return found;
                }
            }
        }
        None
    }

    /// In how many ways what the thread does next can go.
    fn outcomes(&self, stage: &Stage<'_, '_>, thread: ThreadId) -> u32 {
        match stage.machine.pending(thread).map(|pending| pending.kind) {
            Some(PendingKind::Choose { choice: Decides::Spurious }) if !self.spurious => 1,
            _ => stage.machine.outcomes(thread),
        }
    }
}
