//! The gate: who may run.
//!
//! Every thread is either *running* (between two points, or inside a point that it was granted), *poised* at a point, or
//! *ended*. A thread that arrives at a point has completed its previous one. If the schedule has the turn for a
//! thread that is poised, that thread is granted its point; if that thread is still on its way there, everybody
//! waits for it. As nothing else is ever waited for, the gate always knows whether the program follows the schedule: a
//! turn of a thread that ended, does not exist or cannot proceed is a divergence at once.
//!
//! What a new thread does before its first point is local to it and runs beside the others.

use crate::alloc::ObjectId;
use crate::answers;
use crate::buffer::StoreBuffer;
use crate::condition::Waiting;
use crate::lock::Lock;
use crate::memory;
use crate::mutex::Owners;
use crate::plan::{Ending, Plan, Turn};
use crate::report;
use crate::stuck::StuckSet;
use crate::sys;
use core::sync::atomic::{AtomicU32, Ordering};

pub const MAX_THREADS: usize = 4096;
/// The point id of what is not a point, and of a thread that was at none yet.
pub const NO_POINT: u32 = u32::MAX;
/// A thread that came by the same point as often as this after the end of the schedule is looping.
const LOOP_ROUNDS: u32 = 3;
/// How many points a thread may take for that.
const LOOP_POINTS: u32 = 10_000;
/// How often a thread looks before it sleeps.
const SPINS: u32 = 200;

// The values of a thread's `GO` word.
const WAIT: u32 = 0;
const PROCEED: u32 = 1;
const ASLEEP: u32 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not created yet.
    Absent,
    Running,
    Poised,
    Ended,
}

/// What a poised thread needs before it can proceed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Nothing,
    Mutex(usize),
    End(usize),
    /// To be woken by a signal.
    Signal,
}

#[derive(Clone, Copy)]
pub struct Thread {
    pub parent: u32,
    /// Its place among its parent's children, from 1.
    pub nth: u32,
    pub children: u32,
    pub inputs: u32,
    /// How many of its system calls the plan has answered.
    pub answers: u32,
    pub status: Status,
    pub need: Need,
    /// Where it is poised, or was last.
    pub point: u32,
    /// What it returned, once it ended.
    pub value: usize,
    pub waiting: Waiting,
    /// The newest of its stack objects.
    pub top: ObjectId,
    /// The newest of its copies of thread-local variables.
    pub locals: ObjectId,
    /// Where the program called the library function that the thread is in.
    pub caller: u32,
}

const ABSENT: Thread = Thread {
    parent: 0,
    nth: 0,
    children: 0,
    inputs: 0,
    answers: 0,
    status: Status::Absent,
    need: Need::Nothing,
    point: NO_POINT,
    value: 0,
    waiting: Waiting::NO,
    top: ObjectId::NONE,
    locals: ObjectId::NONE,
    caller: NO_POINT,
};

/// Which part of the run this is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Following the schedule: the turn at hand, and how many of its points are left.
    Schedule { turn: usize, left: u32 },
    /// Over: the claimed thread may still execute the point that fails.
    LastPoint { left: u32 },
    /// Over: seeing that a thread comes back to `home` again and again, without having changed anything.
    Loops { thread: usize, home: u32, rounds: u32, left: u32 },
}

pub struct Gate {
    pub plan: Plan,
    phase: Phase,
    /// Who was granted a point and has not completed it.
    granted: Option<usize>,
    running: usize,
    /// One past the highest thread number in use.
    used: usize,
    pub threads: [Thread; MAX_THREADS],
    pub mutexes: Owners,
    /// How often threads have begun to wait for a condition.
    pub arrivals: u64,
    /// The thread in an atomic section, and how deep it is in such sections.
    pub atomic: Option<(usize, u32)>,
    /// What each thread has stored and others do not see yet.
    pub buffers: [StoreBuffer; MAX_THREADS],
}

pub static GATE: Lock<Gate> = Lock::new(Gate {
    plan: Plan::EMPTY,
    phase: Phase::Schedule { turn: 0, left: 0 },
    granted: None,
    running: 0,
    used: 0,
    threads: [ABSENT; MAX_THREADS],
    mutexes: Owners::new(),
    arrivals: 0,
    atomic: None,
    buffers: [const { StoreBuffer::new() }; MAX_THREADS],
});

/// One word per thread to wait on.
static GO: [AtomicU32; MAX_THREADS] = [const { AtomicU32::new(0) }; MAX_THREADS];

/// Takes over the plan; the caller becomes the main thread.
pub fn start(plan: Plan) {
    if plan.threads() > MAX_THREADS {
        report::error("more threads than the runtime has room for");
    }
    memory::start(plan.memory);
    answers::start(&plan);
    let mut gate = GATE.lock();
    gate.plan = plan;
    gate.used = plan.threads().max(1);
    gate.phase = gate.begin(0);
    gate.running = 1;
    gate.threads[0].status = Status::Running;
}

/// Thread `me` arrives at a point. Returns when it was granted the point.
pub fn arrive(me: usize, point: u32, need: Need) {
    let mut gate = GATE.lock();
    gate.threads[me].point = point;
    gate.threads[me].need = need;
    gate.complete(me);
    gate.threads[me].status = Status::Poised;
    gate.running -= 1;
    gate.dispatch();
    drop(gate);
    await_go(&GO[me]);
}

fn await_go(go: &AtomicU32) {
    for _ in 0..SPINS {
        if go.load(Ordering::Relaxed) == PROCEED {
            break;
        }
        core::hint::spin_loop();
    }
    while go.load(Ordering::Acquire) != PROCEED {
        // Fails if the turn came just now.
        if go.compare_exchange(WAIT, ASLEEP, Ordering::Relaxed, Ordering::Relaxed) != Err(PROCEED) {
            sys::futex_wait(go, ASLEEP);
        }
    }
    go.store(WAIT, Ordering::Relaxed);
}

/// For a debugger: what a thread does before its first point has to be over, too, when the run is. The caller is inside
/// a point, so nobody gets further than to their own.
pub fn let_others_arrive() {
    while report::is_debugged() && GATE.lock().running > 1 {
        // SAFETY: has no precondition.
        unsafe { sys::sched_yield() };
    }
}

impl Gate {
    /// Registers a new child of `parent`; its number.
    pub fn add_thread(&mut self, parent: usize) -> usize {
        self.threads[parent].children += 1;
        let nth = self.threads[parent].children;
        let number = self.plan.child(parent as u32, nth).unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        if number >= MAX_THREADS {
            report::error("more threads than the runtime has room for");
        }
        self.threads[number] = Thread { parent: parent as u32, nth, status: Status::Running, ..ABSENT };
        self.running += 1;
        number
    }

    /// Thread `me` ends, with `value` for whoever joins it. Tells whether it was the last one.
    pub fn end_thread(&mut self, me: usize, value: usize) -> bool {
        self.complete(me);
        self.threads[me].status = Status::Ended;
        self.threads[me].value = value;
        self.running -= 1;
        let last = self.live().next().is_none();
        if !last {
            self.dispatch();
        }
        last
    }

    /// The thread that was granted a point is about to change what others can see.
    pub fn note_change(&mut self) {
        if matches!(self.phase, Phase::Loops { .. }) {
            // It gets somewhere, so the run goes on where it was thought to hang.
            self.conclude();
        }
    }

    /// The threads that were created and have not ended.
    pub fn live(&self) -> impl Iterator<Item = usize> {
        (0..self.used).filter(|&t| matches!(self.threads[t].status, Status::Running | Status::Poised))
    }

    /// Whether `me` was granted a point and has not arrived at its next one.
    pub fn is_inside_point(&self, me: usize) -> bool {
        self.granted == Some(me)
    }

    /// What the schedule decides at the point that was granted.
    pub fn outcome(&self) -> u32 {
        match self.phase {
            Phase::Schedule { turn, .. } => self.plan.turn(turn).map_or(0, |t| t.outcome),
            _ => 0,
        }
    }

    /// Whether nothing of the schedule is left after the point that was granted.
    pub fn is_in_last_point(&self) -> bool {
        match self.phase {
            Phase::Schedule { turn, left } => self.plan.turn(turn + usize::from(left <= 1)).is_none(),
            _ => true,
        }
    }

    pub fn turn(&self) -> usize {
        match self.phase {
            Phase::Schedule { turn, .. } => turn,
            _ => usize::MAX,
        }
    }

    /// If `me` was granted a point, that one is complete now.
    fn complete(&mut self, me: usize) {
        if self.granted != Some(me) {
            return;
        }
        self.granted = None;
        match &mut self.phase {
            Phase::Schedule { turn, left } => {
                *left -= 1;
                if *left == 0 {
                    let next = *turn + 1;
                    self.phase = self.begin(next);
                }
            }
            Phase::LastPoint { left } => *left -= 1,
            Phase::Loops { home, rounds, left, .. } => {
                *left -= 1;
                if self.threads[me].point == *home {
                    *rounds += 1;
                }
            }
        }
    }

    /// The phase in which the turn with this number is next.
    fn begin(&self, turn: usize) -> Phase {
        Phase::Schedule { turn, left: self.plan.turn(turn).map_or(0, |t| t.points) }
    }

    /// Grants the next point, if it is clear whose it is and that thread is there.
    fn dispatch(&mut self) {
        if self.granted.is_some() {
            return;
        }
        loop {
            match self.phase {
                Phase::Schedule { turn, .. } => match self.plan.turn(turn) {
                    Some(Turn { thread, points: 0, outcome }) => {
                        if !self.commit(thread as usize, outcome as usize) {
                            report::diverged(self, thread as usize, "unbuffered");
                        }
                        self.phase = self.begin(turn + 1);
                    }
                    Some(next) => return self.follow(next.thread as usize),
                    None if self.running > 0 => return,
                    None => self.phase = self.after_schedule(),
                },
                Phase::LastPoint { left } => {
                    let claimed = self.plan.claimed as usize;
                    if left > 0 && claimed < MAX_THREADS && self.can_proceed(claimed) {
                        return self.grant(claimed);
                    }
                    if self.running == 0 {
                        self.conclude();
                    }
                    return;
                }
                Phase::Loops { thread, rounds, left, .. } => {
                    if rounds >= LOOP_ROUNDS {
                        let next = self.live().find(|&t| t > thread && self.can_proceed(t));
                        match next {
                            Some(t) => self.phase = self.watch(t),
                            None => report::standstill("hang", self, self.live()),
                        }
                    } else if left > 0 && self.can_proceed(thread) {
                        return self.grant(thread);
                    } else {
                        self.conclude();
                    }
                }
            }
        }
    }

    fn follow(&mut self, thread: usize) {
        match self.threads[thread].status {
            Status::Poised if self.can_proceed(thread) => self.grant(thread),
            // A thread that is on its way to its first point may end before, and then be joined.
            Status::Poised if self.running > 0 => (),
            Status::Poised => report::diverged(self, thread, "blocked"),
            Status::Running => (),
            Status::Ended => report::diverged(self, thread, "ended"),
            Status::Absent => report::diverged(self, thread, "absent"),
        }
    }

    fn grant(&mut self, thread: usize) {
        self.granted = Some(thread);
        self.threads[thread].status = Status::Running;
        self.running += 1;
        if GO[thread].swap(PROCEED, Ordering::Release) == ASLEEP {
            sys::futex_wake(&GO[thread]);
        }
    }

    fn can_proceed(&self, thread: usize) -> bool {
        self.threads[thread].status == Status::Poised && self.waits_for(thread).is_none() && !self.sleeps(thread)
    }

    /// Whether `thread` waits for a signal, which anybody may send.
    pub fn sleeps(&self, thread: usize) -> bool {
        self.threads[thread].need == Need::Signal && !self.threads[thread].waiting.woken
    }

    /// The thread that would have to do something before `thread`, which is poised, can proceed.
    pub fn waits_for(&self, thread: usize) -> Option<usize> {
        let needed = match self.threads[thread].need {
            Need::Nothing | Need::Signal => None,
            Need::Mutex(address) => self.mutexes.owner(address),
            Need::End(other) => (self.threads[other].status != Status::Ended).then_some(other),
        };
        needed.or(self.atomic.map(|(inside, _)| inside).filter(|&inside| inside != thread))
    }

    /// Everybody is poised or has ended, and the schedule is over.
    fn after_schedule(&self) -> Phase {
        match (self.plan.ending, self.live().find(|&t| self.can_proceed(t))) {
            (Ending::Failure, _) => Phase::LastPoint { left: 1 },
            (Ending::Hang, Some(first)) => self.watch(first),
            // Some library functions wait in loops.
            (Ending::Deadlock, Some(first)) if StuckSet::of(self).is_empty() => self.watch(first),
            (Ending::Deadlock, _) | (Ending::Hang, None) => Phase::LastPoint { left: 0 },
        }
    }

    fn watch(&self, thread: usize) -> Phase {
        Phase::Loops { thread, home: self.threads[thread].point, rounds: 0, left: LOOP_POINTS }
    }

    /// The end of a run in which nothing failed: says who is stuck, or that nobody is.
    fn conclude(&self) -> ! {
        let stuck = StuckSet::of(self);
        if stuck.is_empty() {
            report::standstill("end", self, self.live());
        }
        report::standstill("deadlock", self, self.live().filter(|&t| stuck.contains(t)))
    }
}
