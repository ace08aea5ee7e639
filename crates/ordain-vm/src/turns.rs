//! How often an execution goes from one thread to another, and how often without need.

use crate::schedulers::{Choice, Follow, Scheduler};
use crate::{Config, Inputs, Machine, PendingKind, RaceMode, Status, ThreadId};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::witness::Execution;

/// Smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Switches {
    /// Those after which the thread that was running could have gone on.
    pub preemptions: u32,
    pub all: u32,
}

/// Runs an execution again, and counts.
pub fn switches(program: &Program, facts: &Facts, execution: &Execution) -> Switches {
    let config = Config {
        memory: execution.memory,
        races: RaceMode::Off,
        record: false,
        stop_when_stuck: false,
        ..Config::default()
    };
    let mut machine = Machine::alone(program, facts, config);
    machine.provide_inputs(Inputs::of(execution));
    let mut follow = Follow::new(&execution.schedule);
    let (mut switches, mut running) = (Switches::default(), None);
    while machine.end().is_none() {
        match follow.choose(&machine) {
            Choice::Run(thread, points) => {
                switches.note(&machine, running.replace(thread), thread);
                machine.run(thread, points);
            }
            Choice::Decide(thread, outcome) => {
                switches.note(&machine, running.replace(thread), thread);
                machine.step_with(thread, outcome);
            }
            // A store reaches memory when it likes.
            Choice::Commit(thread, nth) => machine.commit(thread, nth),
            Choice::Stop => break,
        }
    }
    switches
}

impl Switches {
    fn note(&mut self, machine: &Machine<'_>, before: Option<ThreadId>, now: ThreadId) {
        if let Some(before) = before.filter(|&before| before != now) {
            self.all += 1;
            self.preemptions += u32::from(can_go_on(machine, before));
        }
    }
}

/// Points of one round of a loop: what is longer is no await.
const LONGEST_ROUND: u32 = 64;

/// Whether the thread has something to do: it is ready, and not about to go round in an await for nothing.
pub fn can_go_on(machine: &Machine<'_>, thread: ThreadId) -> bool {
    machine.status(thread) == Status::Ready && !(machine.is_at_loop(thread) && would_wait(machine.clone(), thread))
}

/// What the thread, which stands at the head of a loop or waits in one, would look at in memory before it changes anything: address
/// and size.
pub fn would_look_at(mut machine: Machine<'_>, thread: ThreadId) -> Vec<(u64, u8)> {
    let changes = machine.own_changes(thread);
    let mut seen = Vec::new();
    for _ in 0..LONGEST_ROUND {
        if machine.end().is_some() || !matches!(machine.status(thread), Status::Ready | Status::Awaiting) {
            break;
        }
        if let Some(
            PendingKind::Load { address, size, .. }
            | PendingKind::Rmw { address, size, .. }
            | PendingKind::CmpXchg { address, size, .. },
        ) = machine.pending(thread).map(|pending| pending.kind)
            && !seen.contains(&(address, size))
        {
            seen.push((address, size));
        }
        machine.step(thread);
        if machine.own_changes(thread) != changes {
            break;
        }
    }
    seen
}

/// Lets the thread go on alone: whether it comes to wait for memory to change, and has changed nothing on the way.
fn would_wait(mut machine: Machine<'_>, thread: ThreadId) -> bool {
    let changes = machine.own_changes(thread);
    for _ in 0..LONGEST_ROUND {
        if machine.end().is_some() || machine.own_changes(thread) != changes {
            return false;
        }
        match machine.status(thread) {
            Status::Ready => machine.step(thread),
            status => return status == Status::Awaiting,
        }
    }
    false
}
