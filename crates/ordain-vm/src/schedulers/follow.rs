//! Follows a witness, turn by turn.

use super::{Choice, Scheduler};
use crate::machine::Machine;
use crate::pending::Status;
use crate::thread::ThreadId;
use ordain_model::names::ThreadName;
use ordain_model::witness::Turn;

/// The run does not go the way the witness says.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the run diverges from the schedule at turn {turn}, of thread {thread}: {what}")]
pub struct Divergence {
    /// From 0.
    pub turn: usize,
    pub thread: ThreadName,
    pub what: String,
}

#[derive(Clone, Debug)]
pub struct Follow<'w> {
    turns: &'w [Turn],
    turn: usize,
    /// How many points the thread of the current turn had executed when it began, once it has.
    began: Option<u64>,
    divergence: Option<Divergence>,
}

impl<'w> Follow<'w> {
    pub fn new(schedule: &'w [Turn]) -> Self {
        Follow { turns: schedule, turn: 0, began: None, divergence: None }
    }

    /// Why the run was stopped, if not because the schedule was over.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// Whether every turn has been taken.
    pub fn is_over(&self) -> bool {
        self.turn >= self.turns.len()
    }

    fn diverge(&mut self, thread: &ThreadName, what: String) -> Choice {
        self.divergence = Some(Divergence { turn: self.turn, thread: thread.clone(), what });
        Choice::Stop
    }

    fn run(&mut self, machine: &Machine<'_>, name: &ThreadName, thread: ThreadId, points: u32) -> Choice {
        match machine.status(thread) {
            Status::Ready | Status::Awaiting => Choice::Run(thread, points),
            Status::Ended => self.diverge(name, "it has ended".to_owned()),
            Status::Blocked(blocker) => self.diverge(name, format!("it is blocked ({blocker:?})")),
        }
    }
}

impl Scheduler for Follow<'_> {
    fn choose(&mut self, machine: &Machine<'_>) -> Choice {
        loop {
            let Some(turn) = self.turns.get(self.turn) else { return Choice::Stop };
            let (Turn::Run { thread: name, .. }
            | Turn::Choose { thread: name, .. }
            | Turn::Commit { thread: name, .. }) = turn;
            let Some(thread) = machine.thread_by_name(name) else {
                return self.diverge(name, "it does not exist".to_owned());
            };
            match turn {
                Turn::Run { points, .. } => {
                    let executed = machine.points(thread);
                    let left = *points as u64 - (executed - *self.began.get_or_insert(executed));
                    if left > 0 {
                        return self.run(machine, name, thread, left as u32);
                    }
                    self.turn += 1;
                    self.began = None;
                }
                Turn::Choose { outcome, .. } => {
                    self.turn += 1;
                    return match self.run(machine, name, thread, 1) {
                        Choice::Run(..) if *outcome < machine.outcomes(thread) => Choice::Decide(thread, *outcome),
                        Choice::Run(..) => self.diverge(name, format!("what it does next has no outcome {outcome}")),
                        other => other,
                    };
                }
                Turn::Commit { nth, .. } if machine.commits().contains(&(thread, *nth)) => {
                    self.turn += 1;
                    return Choice::Commit(thread, *nth);
                }
                Turn::Commit { nth, .. } => {
                    return self.diverge(name, format!("store {nth} of its buffer cannot reach memory now"));
                }
            }
        }
    }
}
