//! Leading a machine along a recording.
//!
//! In which order threads had to do with each other follows, nearly, from the times that are on their tapes; so the thread whose
//! next time is the earliest goes on, up to where it has had to do with others. Where that leads it another way than the
//! recorded one, it waits before what it read last, and others go first. Nothing is known of the order of what threads do between two
//! times; whether it was the right one shows. A `Precedence` says otherwise where somebody knows better (`repair`).
//!
//! This takes time that is proportional to the length of the run.

use crate::stage::{Case, Stage};
use ordain_vm::{Blocker, Decides, Pending, PendingKind, Status, ThreadId};
use rustc_hash::FxHashMap;

/// The time of what is not known to have happened.
const NEVER: u64 = u64::MAX;

/// A point of a thread, by how many it has executed before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Moment {
    pub thread: ThreadId,
    pub point: u64,
}

/// `first` is executed before `second`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Precedence {
    pub first: Moment,
    pub second: Moment,
}

/// An access to memory that was made on the way.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub at: Moment,
    pub address: u64,
    pub size: u8,
    pub writes: bool,
    /// When the recorded thread made it: after the first of these times, and not after the second.
    pub since: u64,
    pub until: u64,
}

/// When a thread has its next turn.
#[derive(Clone)]
struct Cue {
    /// When it last had to do with others, and when it does next.
    since: u64,
    due: u64,
    /// The step of its tape that says so.
    due_at: usize,
    /// It has to wait, or would go another way: so many turns there had been when it was last tried.
    waits_at: Option<u64>,
}

/// A run that is being led.
pub struct Conductor<'p, 'r> {
    pub stage: Stage<'p, 'r>,
    cues: Vec<Cue>,
    precedences: &'r [Precedence],
    /// How many turns there have been.
    turns: u64,
    pub accesses: Vec<Access>,
    /// When mutexes were last taken.
    taken: FxHashMap<u64, Moment>,
}

/// What came of a thread's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// It has had to do with others, or has come to the end of its tape, or the run has ended.
    Done,
    /// It has to wait for this thread.
    WaitsFor(ThreadId),
    /// It has to wait for a signal, or for memory to change, or would go another way.
    Waits,
}

impl<'p, 'r> Conductor<'p, 'r> {
    pub fn new(case: Case<'p, 'r>, precedences: &'r [Precedence]) -> Self {
        let stage = Stage::new(case);
        let (accesses, taken) = (Vec::new(), FxHashMap::default());
        let mut conductor = Conductor { stage, cues: Vec::new(), precedences, turns: 0, accesses, taken };
        conductor.welcome();
        conductor
    }

    /// Leads the run as far as it goes.
    pub fn run(&mut self) {
        while self.stage.machine.end().is_none() && self.turn() {}
    }

    /// Who waits for a mutex that a thread has which waits itself: the moments at which they take it, in the order in which they
    /// should have done so.
    pub fn held_up(&self) -> Vec<Precedence> {
        let machine = &self.stage.machine;
        let mut held_up = Vec::new();
        for thread in machine.thread_ids() {
            if let Status::Blocked(Blocker::Mutex { address, owner }) = machine.status(thread)
                && let Some(&taken) = self.taken.get(&address).filter(|_| self.cue(owner).waits_at.is_some())
            {
                held_up.push(Precedence { first: self.moment(thread), second: taken });
            }
        }
        held_up
    }

    /// Who has to wait, or would go another way, though more is known of it.
    pub fn waiting(&self) -> Vec<ThreadId> {
        let threads = self.stage.machine.thread_ids().zip(&self.cues);
        threads.filter(|&(t, cue)| cue.waits_at.is_some() && !self.stage.is_over(t)).map(|(t, _)| t).collect()
    }

    /// Lets somebody go on; whether somebody could.
    fn turn(&mut self) -> bool {
        let mut order: Vec<ThreadId> = self.stage.machine.thread_ids().collect();
        order.sort_by_key(|&t| (self.cue(t).due, t));
        order.iter().any(|&t| self.try_turn(t, 0)) || order.iter().any(|&t| self.go_beyond(t))
    }

    fn cue(&self, thread: ThreadId) -> &Cue {
        &self.cues[thread.index()]
    }

    /// Lets this one go on, or those that it waits for; whether somebody did.
    fn try_turn(&mut self, thread: ThreadId, depth: usize) -> bool {
        let is_tried = self.cue(thread).waits_at == Some(self.turns);
        if depth > self.cues.len() || is_tried || self.stage.is_over(thread) {
            return false;
        }
        let turns = self.turns;
        match self.play(thread) {
            // One that has ended has nothing to do.
            Turn::Done | Turn::Waits => self.turns != turns,
            Turn::WaitsFor(other) => self.turns != turns || self.try_turn(other, depth + 1),
        }
    }

    /// What a thread did after its tape was over, nobody knows; as long as nothing is decided, it may be anything.
    fn go_beyond(&mut self, thread: ThreadId) -> bool {
        let may = self.stage.is_over(thread) && !self.stage.has_left(thread);
        if !may || self.cue(thread).waits_at == Some(self.turns) {
            return false;
        }
        let turns = self.turns;
        self.play(thread);
        self.turns != turns
    }

    /// Lets a thread play until it has had to do with others.
    fn play(&mut self, thread: ThreadId) -> Turn {
        let before = (self.stage.clone(), self.cue(thread).clone(), self.accesses.len());
        let was_over = self.stage.is_over(thread);
        let mut outcomes = Vec::new();
        // How many steps there were before it took a mutex, as long as it has one.
        let mut free = Some(0).filter(|_| self.has_no_mutex(thread));
        loop {
            if self.has_no_mutex(thread) {
                free = Some(outcomes.len());
            }
            if let Some(first) = self.has_to_let(thread) {
                return self.end_turn(thread, outcomes.len(), Turn::WaitsFor(first));
            }
            let outcome = self.outcome(thread);
            if let Some(turn) = self.has_to_wait(thread, outcome) {
                return self.end_turn(thread, outcomes.len(), turn);
            }
            outcomes.push(outcome);
            match self.step(thread, outcome) {
                Ok(times) => {
                    let machine = &self.stage.machine;
                    // Whoever has begun to wait for others is still to let them know.
                    let has_met = times > 0 && !machine.is_in_native(thread);
                    let is_over = !was_over && self.stage.is_over(thread) || self.stage.has_left(thread);
                    if has_met || is_over || machine.end().is_some() || self.is_awaited(thread) {
                        return self.end_turn(thread, outcomes.len(), Turn::Done);
                    }
                }
                Err(_) => {
                    // Back to before what it read last. If it would wait there with a mutex that others need, to before that.
                    let (stage, cue, accesses) = before;
                    (self.stage, self.cues[thread.index()]) = (stage, cue);
                    self.accesses.truncate(accesses);
                    outcomes.truncate(free.unwrap_or(outcomes.len() - 1));
                    for &outcome in &outcomes {
                        self.step(thread, outcome).expect("what went well goes well again");
                    }
                    return self.end_turn(thread, outcomes.len(), Turn::Waits);
                }
            }
        }
    }

    fn has_no_mutex(&self, thread: ThreadId) -> bool {
        self.stage.machine.mutexes_of(thread).next().is_none()
    }

    /// Why the thread cannot be stepped now, if it cannot.
    fn has_to_wait(&self, thread: ThreadId, outcome: u32) -> Option<Turn> {
        match self.stage.machine.status(thread) {
            Status::Blocked(Blocker::Condition { .. }) => Some(Turn::Waits),
            Status::Blocked(Blocker::Mutex { owner: other, .. } | Blocker::Join(other) | Blocker::Atomic(other)) => {
                Some(Turn::WaitsFor(other))
            }
            Status::Ended => Some(Turn::Done),
            // It waits for memory to change, unless its time is up.
            Status::Awaiting if outcome == 0 => Some(Turn::Waits),
            Status::Ready | Status::Awaiting => None,
        }
    }

    fn moment(&self, thread: ThreadId) -> Moment {
        Moment { thread, point: self.stage.machine.points(thread) }
    }

    /// Who has to go first, by what is known better than from times.
    fn has_to_let(&self, thread: ThreadId) -> Option<ThreadId> {
        let now = self.moment(thread);
        let is_open =
            |first: Moment| first.thread.index() >= self.cues.len() || self.moment(first.thread).point <= first.point;
        let open = self.precedences.iter().find(|p| p.second == now && is_open(p.first));
        open.map(|p| p.first.thread).filter(|first| first.index() < self.cues.len())
    }

    /// Whether somebody had to let the thread do just what it has done now.
    fn is_awaited(&self, thread: ThreadId) -> bool {
        let Moment { point, .. } = self.moment(thread);
        self.precedences.iter().any(|p| p.first.thread == thread && p.first.point + 1 == point)
    }

    fn step(&mut self, thread: ThreadId, outcome: u32) -> Result<usize, ordain_vm::tape::Apart> {
        let at = self.moment(thread);
        let pending = self.stage.machine.pending(thread);
        if let Some(PendingKind::Lock { address }) = pending.as_ref().map(|pending| &pending.kind) {
            self.taken.insert(*address, at);
        }
        let accessed = pending.as_ref().and_then(accessed);
        let &Cue { since, due, .. } = self.cue(thread);
        self.accesses.extend(accessed.map(|(address, size, writes)| {
            let until = due;
            Access { at, address, size, writes, since, until }
        }));
        let times = self.stage.step(thread, outcome)?;
        self.welcome();
        let cue = &mut self.cues[thread.index()];
        if self.stage.role(thread).along.steps() > cue.due_at {
            cue.since = cue.due;
            (cue.due, cue.due_at) = due_of(&self.stage, thread);
        }
        Ok(times)
    }

    /// A turn of `points` points is over.
    fn end_turn(&mut self, thread: ThreadId, points: usize, turn: Turn) -> Turn {
        self.turns += u64::from(points > 0);
        self.cues[thread.index()].waits_at = (turn == Turn::Waits).then_some(self.turns);
        turn
    }

    fn welcome(&mut self) {
        for thread in self.stage.machine.thread_ids().skip(self.cues.len()) {
            let (due, due_at) = due_of(&self.stage, thread);
            self.cues.push(Cue { since: self.stage.role(thread).tape.began, due, due_at, waits_at: None });
        }
    }

    /// What comes of what the thread does next, where that is not its own to say.
    fn outcome(&self, thread: ThreadId) -> u32 {
        let (machine, role) = (&self.stage.machine, self.stage.role(thread));
        match machine.pending(thread).map(|pending| pending.kind) {
            Some(PendingKind::Choose { choice: Decides::Expired }) => {
                u32::from(role.along.next_result(&role.tape).is_some_and(|result| result != 0))
            }
            // Of those that a signal could wake, the one that had to do with others first.
            Some(PendingKind::Condition) if machine.outcomes(thread) > 1 => {
                let waiting = machine.woken_by(thread).iter().enumerate();
                waiting.min_by_key(|&(_, &t)| self.cue(t).due).map_or(0, |(nth, _)| nth as u32)
            }
            _ => 0,
        }
    }
}

/// When the thread next had to do with others, and the step of its tape that says so.
fn due_of(stage: &Stage<'_, '_>, thread: ThreadId) -> (u64, usize) {
    let role = stage.role(thread);
    let ends = || (role.tape.ended.unwrap_or(NEVER), usize::MAX);
    role.along.next_time(&role.tape).map_or_else(ends, |(at, time)| (time, at))
}

/// The memory that a point accesses, and whether it writes there.
fn accessed(pending: &Pending) -> Option<(u64, u8, bool)> {
    match pending.kind {
        PendingKind::Load { address, size, .. } => Some((address, size, false)),
        PendingKind::Store { address, size, .. }
        | PendingKind::Rmw { address, size, .. }
        | PendingKind::CmpXchg { address, size, .. } => Some((address, size, true)),
        _ => None,
    }
}
