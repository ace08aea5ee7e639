//! A run along a recording: a machine, and every thread held to its tape.
//!
//! Who has a turn is for others to say (`conduct`, `shorten`). What is said here is whether what a thread does is what the recorded
//! one did, as far as that is known.

use crate::{Goal, Ways};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::failure::Failure;
use ordain_model::memory::AddressBook;
use ordain_model::names::ThreadName;
use ordain_model::witness::{MemoryModel, Turn};
use ordain_vm::tape::{Along, Apart, Tape, What};
use ordain_vm::{Config, End, Inputs, Machine, Natives, Status, ThreadId, can_go_on};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone)]
pub struct Stage<'p, 'r> {
    pub machine: Machine<'p>,
    roles: Vec<Role>,
    ways: &'r Ways,
    goal: &'r Goal,
}

/// What was recorded, and what is to come of it.
#[derive(Clone, Copy)]
pub struct Case<'p, 'r> {
    pub program: &'p Program,
    pub facts: &'p Facts,
    pub ways: &'r Ways,
    pub goal: &'r Goal,
    pub memory: MemoryModel,
}

/// What a thread has to play.
#[derive(Clone)]
pub struct Role {
    pub tape: Arc<Tape>,
    pub along: Along,
    /// It has decided something that is not on its tape any more, and does nothing further.
    left: bool,
    /// How far it was when it last went round in a loop to no avail, and how often it had changed memory.
    went_round: Option<(usize, u64)>,
}

impl<'p, 'r> Stage<'p, 'r> {
    pub fn new(Case { program, facts, ways, goal, memory }: Case<'p, 'r>) -> Self {
        let natives = Rc::new(Natives::new(program.functions.len(), ways.script.native.iter().copied()));
        let book = Rc::new(RefCell::new(AddressBook::new(program)));
        let config = Config { memory, stop_when_stuck: false, ..Config::default() };
        let mut machine = Machine::on_trail(program, facts, config, book, natives);
        let mut inputs = Inputs::zero();
        for (key, bytes) in &ways.script.inputs {
            inputs.set(key.thread.clone(), key.nth, bytes.clone());
        }
        machine.provide_inputs(inputs.with_answers(ways.script.answers.clone()));
        let mut stage = Stage { machine, roles: Vec::new(), ways, goal };
        stage.welcome();
        stage
    }

    pub fn role(&self, thread: ThreadId) -> &Role {
        &self.roles[thread.index()]
    }

    /// How far threads have come on their tapes, in all.
    pub fn progress(&self) -> usize {
        self.roles.iter().map(|role| role.along.steps()).sum()
    }

    /// Whether all that is known of what the thread did lies behind it. The one that failed goes on until it does, which is before
    /// it decides anything else.
    pub fn is_over(&self, thread: ThreadId) -> bool {
        let role = self.role(thread);
        let is_failing = *self.machine.name(thread) == self.goal.thread;
        self.has_left(thread) || role.along.is_over(&role.tape) && !is_failing
    }

    /// Whether the thread may not do anything any more: it would go another way, or ask what nobody knows the answer to.
    pub fn has_left(&self, thread: ThreadId) -> bool {
        self.role(thread).left || self.machine.lacks_answer(thread)
    }

    /// Steps a thread, which must be able to. Says how often it had to do with others, or that the recorded one went another way.
    pub fn step(&mut self, thread: ThreadId, outcome: u32) -> Result<usize, Apart> {
        self.machine.step_with(thread, outcome);
        let times = self.hold(thread)?;
        self.note_round(thread);
        self.welcome();
        Ok(times)
    }

    /// The same, for one that may go another way after this: then it goes no further. Others would notice that it has ended, and
    /// the one that failed has to go all of its way. Says whether it may.
    pub fn step_or_leave(&mut self, thread: ThreadId, outcome: u32) -> bool {
        let went = self.step(thread, outcome);
        let is_failing = *self.machine.name(thread) == self.goal.thread;
        if went.is_ok() || is_failing || self.machine.status(thread) == Status::Ended {
            return went.is_ok();
        }
        self.roles[thread.index()].left = true;
        self.welcome();
        true
    }

    /// Holds what a thread has done to its tape.
    fn hold(&mut self, thread: ThreadId) -> Result<usize, Apart> {
        let trail = self.machine.take_trail(thread);
        let Role { tape, along, left, .. } = &mut self.roles[thread.index()];
        match along.go(tape, &trail) {
            // It has done what it did, and is on its way to something else. That it has ended, others would notice.
            Err(Apart::Over) if self.machine.status(thread) != Status::Ended => {
                *left = true;
                Ok(0)
            }
            went => went,
        }
    }

    /// How often a thread went round in a loop to no avail is a matter of who was faster.
    fn note_round(&mut self, thread: ThreadId) {
        let waits = self.machine.end().is_none() && self.machine.status(thread) == Status::Awaiting;
        let changes = self.machine.own_changes(thread);
        let Role { tape, along, went_round, .. } = &mut self.roles[thread.index()];
        // Who has changed something since has done more than to go round.
        if let Some((before, _)) = went_round.filter(|&(_, before)| waits && before == changes) {
            along.skip_rounds(tape, before);
        }
        if waits {
            *went_round = Some((along.steps(), changes));
        }
    }

    /// Threads that were created since have tapes of their own.
    fn welcome(&mut self) {
        for thread in self.machine.thread_ids().skip(self.roles.len()) {
            let tape = self.ways.tapes.get(self.machine.name(thread)).cloned().unwrap_or_default();
            self.roles.push(Role { tape, along: Along::default(), left: false, went_round: None });
            // Whoever goes another way before the first point will be noticed at the next step.
            let _ = self.hold(thread);
        }
    }

    /// Takes a turn of a schedule; whether that is possible, and leads nobody another way before it does something further.
    pub fn take(&mut self, turn: &Turn) -> bool {
        match turn {
            Turn::Run { thread, points } => (0..*points).all(|_| self.may_step(thread, 0)),
            Turn::Choose { thread, outcome } => self.may_step(thread, *outcome),
            Turn::Commit { thread, nth } => self.may_commit(thread, *nth),
        }
    }

    /// Takes as much of a turn as is possible before the thread has to wait, or would go another way: so many points. Before what
    /// would lead it elsewhere it stops without a mutex, which others may need.
    pub fn take_some(&mut self, turn: &Turn) -> u32 {
        let Turn::Run { thread: name, points } = turn else { return u32::from(self.take(turn)) };
        let before = self.clone();
        let mut free = 0;
        for done in 0..*points {
            if self.machine.end().is_some() {
                return *points;
            }
            let Some(thread) = self.machine.thread_by_name(name) else { return 0 };
            if !matches!(self.machine.status(thread), Status::Ready | Status::Awaiting) || self.has_left(thread) {
                return done;
            }
            if self.machine.mutexes_of(thread).next().is_none() {
                free = done;
            }
            if self.step(thread, 0).is_err() {
                *self = before;
                let goes_well = self.take(&Turn::Run { thread: name.clone(), points: free });
                assert!(goes_well, "what went well goes well again");
                return free;
            }
        }
        *points
    }

    /// Steps a thread if it can be stepped; whether it goes the recorded way.
    fn may_step(&mut self, name: &ThreadName, outcome: u32) -> bool {
        if self.machine.end().is_some() {
            return true;
        }
        let Some(thread) = self.machine.thread_by_name(name) else { return false };
        matches!(self.machine.status(thread), Status::Ready | Status::Awaiting)
            && !self.has_left(thread)
            && outcome < self.machine.outcomes(thread)
            && self.step_or_leave(thread, outcome)
    }

    fn may_commit(&mut self, name: &ThreadName, nth: u32) -> bool {
        let Some(thread) = self.machine.thread_by_name(name) else { return false };
        let may = self.machine.commits().contains(&(thread, nth));
        if may {
            self.machine.commit(thread, nth);
        }
        may
    }

    /// How many points the thread can execute, the way it was recorded, until it has to wait: at least one, and at most so many.
    pub fn points_until_waiting(&self, name: &ThreadName, most: u32) -> Option<u32> {
        let mut stage = self.clone();
        let thread = stage.machine.thread_by_name(name)?;
        for points in 0..=most {
            if stage.machine.end().is_some() {
                return None;
            }
            if !can_go_on(&stage.machine, thread) {
                return (points > 0 && stage.machine.status(thread) != Status::Ended).then_some(points);
            }
            if stage.machine.outcomes(thread) > 1 || !stage.may_step(name, 0) {
                return None;
            }
        }
        None
    }

    /// Two runs of the same digest go on in the same ways.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.machine.fingerprint());
        for role in &self.roles {
            hash.update((role.along.steps() as u64).to_le_bytes());
            hash.update([u8::from(role.left)]);
        }
        hash.finalize().into()
    }

    /// Whether the run has ended as the recorded one did.
    pub fn ends_as_recorded(&self) -> bool {
        self.machine.end().is_some_and(|end| self.goal.is_shown_by(end)) && self.has_come_to_fail()
    }

    /// Another failure that the run has ended with, which a process could have gone on after.
    pub fn failure_before(&self) -> Option<&Failure> {
        match self.machine.end() {
            Some(End::Failed(failure)) if self.goal.is_preceded_by(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether the thread that failed has gone all of its way: it may have failed so before, had it been treated otherwise. Where nobody
    /// goes on, nobody in particular has failed, and all have to be where they were.
    fn has_come_to_fail(&self) -> bool {
        if !self.goal.at_end {
            return true;
        }
        if self.goal.is_stuck() {
            let all_are_there = self.machine.threads() >= self.ways.tapes.len();
            return all_are_there && self.roles.iter().all(|role| role.along.only_waits(&role.tape));
        }
        let thread = self.machine.thread_by_name(&self.goal.thread);
        thread.is_some_and(|thread| {
            let role = self.role(thread);
            !role.along.rest(&role.tape).iter().any(|step| matches!(step.what, What::Branch { .. }))
        })
    }
}
