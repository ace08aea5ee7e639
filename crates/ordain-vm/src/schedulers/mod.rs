//! Who goes next, and how far: schedulers, and the loop that drives a machine with one.
//!
//! A scheduler sees the machine and picks a thread, with the number of points until it wants to be asked again, or a
//! buffered store. Threads that only wait are not picked while another one is ready; that somebody can always go on is the
//! machine's promise, since it ends runs that are stuck. A turn is over early when somebody who waited can go on.

mod follow;
mod pct;
mod random;
mod round_robin;
mod run_to_block;
mod store_buffer;

pub use follow::{Divergence, Follow};
pub use pct::Pct;
pub use random::Random;
pub use round_robin::RoundRobin;
pub use run_to_block::RunToBlock;
pub use store_buffer::StoreBuffers;

use crate::machine::Machine;
use crate::pending::{PendingKind, Status};
use crate::rng::Rng;
use crate::stop::End;
use crate::thread::ThreadId;

/// What happens next in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The thread executes as many points, at most.
    Run(ThreadId, u32),
    /// A step with an outcome other than 0, where there is something to decide.
    Decide(ThreadId, u32),
    /// The `nth` store in the thread's buffer reaches memory.
    Commit(ThreadId, u32),
    /// The scheduler has nothing more to say.
    Stop,
}

pub trait Scheduler {
    /// Picks what happens next in a run that has not ended.
    fn choose(&mut self, machine: &Machine<'_>) -> Choice;
}

/// How a driven run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Ended(End),
    /// The limit on the number of points was reached.
    Limit,
    /// The scheduler gave up before the run ended.
    Stopped,
}

/// Runs `machine` to its end, or for at most `limit` points and stores that reach memory.
pub fn run(machine: &mut Machine<'_>, scheduler: &mut dyn Scheduler, limit: u64) -> Outcome {
    let mut left = limit;
    while left > 0 {
        if let Some(end) = machine.end() {
            return Outcome::Ended(end.clone());
        }
        match scheduler.choose(machine) {
            Choice::Run(thread, points) => {
                let most = u32::try_from(left).unwrap_or(u32::MAX);
                left -= machine.run(thread, points.clamp(1, most)) as u64;
            }
            Choice::Decide(thread, outcome) => {
                machine.step_with(thread, outcome);
                left -= 1;
            }
            Choice::Commit(thread, nth) => {
                machine.commit(thread, nth);
                left -= 1;
            }
            Choice::Stop => return Outcome::Stopped,
        }
    }
    machine.end().map_or(Outcome::Limit, |end| Outcome::Ended(end.clone()))
}

/// The threads worth a step: the ready ones, or those in awaits if there are no others.
pub fn candidates(machine: &Machine<'_>) -> Vec<ThreadId> {
    let with = |status: Status| machine.thread_ids().filter(|&t| machine.status(t) == status).collect::<Vec<_>>();
    let ready = with(Status::Ready);
    if ready.is_empty() { with(Status::Awaiting) } else { ready }
}

/// The oldest store that may reach memory, for when no thread can go on before it does.
fn first_commit(machine: &Machine<'_>) -> Choice {
    machine.commits().first().map_or(Choice::Stop, |&(thread, nth)| Choice::Commit(thread, nth))
}

/// A step of a thread that waits, when nobody else can go on: time passes.
pub fn wait(machine: &Machine<'_>, thread: ThreadId) -> Choice {
    if machine.may_expire(thread) { Choice::Decide(thread, 1) } else { Choice::Run(thread, 1) }
}

/// One in how many decisions of a random scheduler goes the unusual way.
const UNUSUAL: usize = 4;

/// A turn of `thread`, or a step in which what there is to decide is decided at random.
fn at_random(machine: &Machine<'_>, thread: ThreadId, points: u32, rng: &mut Rng) -> Choice {
    let outcomes = machine.outcomes(thread) as usize;
    if outcomes == 1 {
        return Choice::Run(thread, points);
    }
    let signal = !matches!(machine.pending(thread).map(|p| p.kind), Some(PendingKind::Choose { .. }));
    if !(signal || rng.below(UNUSUAL) == 0) {
        return Choice::Run(thread, 1);
    }
    match rng.below(outcomes) as u32 {
        0 => Choice::Run(thread, 1),
        outcome => Choice::Decide(thread, outcome),
    }
}

/// A turn of `thread`, unless all it could do is wait for a store that is still in a buffer.
fn run_or_commit(machine: &Machine<'_>, thread: Option<ThreadId>, points: u32) -> Choice {
    match thread {
        Some(thread) if machine.status(thread) == Status::Ready => Choice::Run(thread, points),
        Some(thread) => match first_commit(machine) {
            Choice::Stop => wait(machine, thread),
            commit => commit,
        },
        None => first_commit(machine),
    }
}
