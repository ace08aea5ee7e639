//! The machine: all threads of one run of a program, stepped from outside, point by point.
//!
//! Between steps every thread stands at a point, or has ended. Copies of a machine share what neither of them has
//! changed, so that a search can branch anywhere.

use crate::config::Config;
use crate::inputs::Inputs;
use crate::local;
use crate::log::{Action, Branch, Executed, Marked};
use crate::pending::{self, Blocker, Pending, PendingKind, Status};
use crate::points;
use crate::stop::{End, Stop};
use crate::stuck;
use crate::system::{Outside, PublishError};
use crate::thread::{Poise, Thread, ThreadId};
use crate::trail::{Natives, Passed};
use crate::watch::Watch;
use crate::world::World;
use ordain_ir::facts::Facts;
use ordain_ir::program::{Builtin, Callee, FuncId, Inst, Pc, Program};
use ordain_model::answers::Answers;
use ordain_model::failure::{Failure, Frame, Place};
use ordain_model::memory::AddressBook;
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, MemoryModel, Turn};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone)]
pub struct Machine<'p> {
    pub(crate) world: World<'p>,
    pub(crate) threads: Vec<Rc<Thread>>,
    turns: Vec<Taken>,
    stuck: Vec<Failure>,
    end: Option<End>,
}

/// A turn of the schedule so far.
#[derive(Clone, Copy)]
enum Taken {
    Run { thread: ThreadId, points: u32 },
    Choose { thread: ThreadId, outcome: u32 },
    Commit { thread: ThreadId, nth: u32 },
}

impl<'p> Machine<'p> {
    /// A machine whose main thread stands at its first point. `book` gives objects their addresses; runs that share it
    /// agree on them.
    pub fn new(program: &'p Program, facts: &'p Facts, config: Config, book: Rc<RefCell<AddressBook>>) -> Self {
        Self::start(World::new(program, facts, config, book))
    }

    /// The same, with somebody who watches from the first instruction on.
    pub fn watched(
        program: &'p Program,
        facts: &'p Facts,
        config: Config,
        book: Rc<RefCell<AddressBook>>,
        watch: Rc<Watch>,
    ) -> Self {
        let mut world = World::new(program, facts, config, book);
        world.watch = Some(watch);
        Self::start(world)
    }

    /// A machine whose threads leave a trail, except in functions that run natively in a recording.
    pub fn on_trail(
        program: &'p Program,
        facts: &'p Facts,
        config: Config,
        book: Rc<RefCell<AddressBook>>,
        natives: Rc<Natives>,
    ) -> Self {
        let mut world = World::new(program, facts, config, book);
        world.natives = Some(natives);
        Self::start(world)
    }

    fn start(world: World<'p>) -> Self {
        let program = world.program;
        let mut machine = Machine { world, threads: Vec::new(), turns: Vec::new(), stuck: Vec::new(), end: None };
        let mut main = Thread::new(ThreadId::MAIN, ThreadName::main());
        main.marks = machine.world.config.marks.then(Vec::new);
        main.enter(program.start, program.function(program.start));
        machine.add(main);
        machine.settle();
        machine
    }

    /// A machine with an address book of its own.
    pub fn alone(program: &'p Program, facts: &'p Facts, config: Config) -> Self {
        Self::new(program, facts, config, Rc::new(RefCell::new(AddressBook::new(program))))
    }

    /// From here on the run is a long one: no records are kept, those so far are gone, and of racing accesses not every pair
    /// is found.
    pub fn stop_recording(&mut self) {
        self.world.stop_recording();
    }

    /// Whether the log has everything that was executed.
    pub fn is_recorded(&self) -> bool {
        self.world.config.record
    }

    pub fn provide_inputs(&mut self, inputs: Inputs) {
        self.world.inputs = inputs;
    }

    /// From now on it is kept how system calls are answered, so that `execution` needs nothing from outside.
    pub fn keep_answers(&mut self) {
        self.world.answered = Some(std::collections::BTreeMap::new());
    }

    /// Lets the program see what is granted of the world outside; before it has run.
    pub fn connect(&mut self, outside: &Outside) -> std::io::Result<()> {
        Rc::make_mut(&mut self.world.system).connect(outside)
    }

    /// Files that the program asked for and was not granted.
    pub fn refused(&self) -> impl Iterator<Item = &std::path::Path> {
        self.world.system.refused().iter().map(|path| path.as_path())
    }

    /// Hands the files that the program changed over to the host.
    pub fn publish(&self) -> Result<(), PublishError> {
        self.world.system.publish()
    }

    /// Sets one input that the program has not asked for yet.
    pub fn set_input(&mut self, thread: ThreadName, nth: u32, bytes: Vec<u8>) {
        self.world.inputs.set(thread, nth, bytes);
    }

    pub fn program(&self) -> &'p Program {
        self.world.program
    }

    pub fn config(&self) -> &Config {
        &self.world.config
    }

    pub fn address_book(&self) -> &Rc<RefCell<AddressBook>> {
        &self.world.book
    }

    /// How many threads there have been so far, those that have ended included.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    pub fn name(&self, thread: ThreadId) -> &ThreadName {
        &self.threads[thread.index()].name
    }

    pub fn thread_by_name(&self, name: &ThreadName) -> Option<ThreadId> {
        self.threads.iter().find(|t| t.name == *name).map(|t| t.id)
    }

    pub fn status(&self, thread: ThreadId) -> Status {
        let world = &self.world;
        let thread = &self.threads[thread.index()];
        if thread.has_ended() {
            return Status::Ended;
        }
        if let Some(blocker) = self.blocker(thread) {
            return Status::Blocked(blocker);
        }
        match world.atomic {
            Some((holder, _)) if holder != thread.id => return Status::Blocked(Blocker::Atomic(holder)),
            _ => {}
        }
        if thread.arrivals.is_awaiting(world.changes_by_others(thread)) && thread.poise == Poise::Point {
            return Status::Awaiting;
        }
        Status::Ready
    }

    /// Whether the thread has come to the head of a loop, and executed no point since.
    pub fn is_at_loop(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].arrivals.is_at_header(self.points(thread))
    }

    /// How often the thread has changed memory, or will have when its stores have reached it.
    pub fn own_changes(&self, thread: ThreadId) -> u64 {
        let thread = &self.threads[thread.index()];
        thread.own_changes + thread.buffer.stores().len() as u64
    }

    /// What the thread would read at `address`, and which bytes of it are undefined; `None` if it cannot.
    pub fn sees(&self, thread: ThreadId, address: u64, size: u8) -> Option<(u64, u8)> {
        let (value, undefined) = self.world.memory.load(address, size).ok()?;
        Some(self.threads[thread.index()].buffer.forward(address, size, value, undefined))
    }

    fn blocker(&self, thread: &Thread) -> Option<Blocker> {
        if !thread.may_block {
            return None;
        }
        match pending::pending(&self.world, &self.threads, thread)?.kind {
            PendingKind::Lock { address } => {
                let owner = *self.world.mutexes.get(&address)?;
                Some(Blocker::Mutex { address, owner })
            }
            PendingKind::Sleep { condition } => {
                let woken = thread.waiting.is_some_and(|w| w.woken);
                (!woken).then_some(Blocker::Condition { address: condition })
            }
            PendingKind::Join { target: Some(target), .. } if target != thread.id => {
                let target = &self.threads[target.index()];
                (!target.has_ended() && !target.joined && !target.detached).then_some(Blocker::Join(target.id))
            }
            _ => None,
        }
    }

    /// The point that `thread` stands at; `None` once it has ended.
    pub fn pending(&self, thread: ThreadId) -> Option<Pending> {
        pending::pending(&self.world, &self.threads, &self.threads[thread.index()])
    }

    /// Where in the user's code `thread` is.
    pub fn place(&self, thread: ThreadId) -> Place {
        self.world.place(&self.threads[thread.index()])
    }

    /// The frames of `thread`, innermost first; of callers the call instruction.
    pub fn stack(&self, thread: ThreadId) -> Vec<(FuncId, Pc)> {
        self.threads[thread.index()].frames.iter().rev().map(|f| (f.function, f.pc)).collect()
    }

    /// The user's functions that `thread` is in, innermost first.
    pub fn user_stack(&self, thread: ThreadId) -> Vec<Frame> {
        self.world.stack(&self.threads[thread.index()])
    }

    /// The library function that the program has called and that `thread` is in, if it is one with a model.
    pub fn library_call(&self, thread: ThreadId) -> Option<&'p str> {
        let functions = self.threads[thread.index()].frames.iter().map(|f| self.world.program.function(f.function));
        functions.rev().take_while(|f| f.model).last().map(|f| f.name.as_str())
    }

    /// `address` in words, such as `'counter' + 4`.
    pub fn describe(&self, address: u64) -> String {
        self.world.describe(address)
    }

    /// Executes the point of `thread`, then what is local to it up to the next one. The run must not have ended, and
    /// the thread must be ready or awaiting.
    pub fn step(&mut self, thread: ThreadId) {
        self.run(thread, 1);
    }

    /// As many steps of `thread` as `points`, but no more once the run has ended, the thread has to wait, somebody who
    /// waited can go on, or there is something to decide: then whoever decides should do so again. Returns how many points
    /// were executed.
    pub fn run(&mut self, thread: ThreadId, points: u32) -> u32 {
        assert!(self.end.is_none(), "the run has ended");
        assert!(matches!(self.status(thread), Status::Ready | Status::Awaiting), "the thread cannot go on");
        let waiting = if points > 1 { self.waiting_besides(thread) } else { Vec::new() };
        // A store may end the wait of those that wait for memory to change: they have to be asked after each.
        let watched = waiting.iter().any(|&t| self.status(t) == Status::Awaiting);
        let mut left = points;
        while left > 0 {
            left -= 1;
            let threads = self.threads.len();
            if let Err(stop) = self.execute(thread) {
                self.stop(thread, stop);
                break;
            }
            let joined_by_another = self.threads.len() > threads;
            if !self.threads[thread.index()].has_ended() {
                let woken = || joined_by_another || waiting.iter().any(|&t| self.is_ready(t));
                let more = if self.world.is_plain() && !watched && !woken() { left } else { 0 };
                left -= self.run_local(thread, more);
            }
            // Most steps leave their thread ready, and then nobody else can have become stuck.
            let ready = self.is_ready(thread);
            if joined_by_another || self.world.config.memory != MemoryModel::Sc || !ready {
                self.settle();
            }
            let others = joined_by_another || waiting.iter().any(|&t| self.is_ready(t));
            if self.end.is_some() || !ready || others || self.has_to_decide(thread) {
                break;
            }
        }
        self.count_points(thread, points - left);
        points - left
    }

    /// Whether the point that `thread` stands at can go in more than one way.
    fn has_to_decide(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].at_call && self.outcomes(thread) > 1
    }

    fn waiting_besides(&self, thread: ThreadId) -> Vec<ThreadId> {
        let waits = |t: &ThreadId| matches!(self.status(*t), Status::Blocked(_) | Status::Awaiting);
        self.thread_ids().filter(|&t| t != thread).filter(waits).collect()
    }

    /// How many instructions all threads have executed.
    pub fn instructions(&self) -> u64 {
        self.world.instructions
    }

    /// How many points `thread` has executed.
    pub fn points(&self, thread: ThreadId) -> u64 {
        self.threads[thread.index()].points
    }

    /// Like `step`, for a point where there is something to decide: `outcome` is below `outcomes()`.
    pub fn step_with(&mut self, thread: ThreadId, outcome: u32) {
        assert!(outcome < self.outcomes(thread), "there is no such outcome");
        self.world.outcome = outcome;
        self.step(thread);
        self.world.outcome = 0;
    }

    fn is_ready(&self, thread: ThreadId) -> bool {
        self.status(thread) == Status::Ready
    }

    /// The stores that may reach memory now, each as a thread and a number in its buffer.
    pub fn commits(&self) -> Vec<(ThreadId, u32)> {
        let may_commit = |t: &Thread| self.world.atomic.is_none_or(|(holder, _)| holder == t.id);
        let memory = self.world.config.memory;
        let mut commits = Vec::new();
        for thread in self.threads.iter().filter(|t| !t.buffer.is_empty() && may_commit(t)) {
            let count = thread.buffer.stores().len();
            commits.extend((0..count).filter(|&n| thread.buffer.may_commit(memory, n)).map(|n| (thread.id, n as u32)));
        }
        commits
    }

    /// How many stores of `thread` have not reached memory.
    pub fn buffered(&self, thread: ThreadId) -> usize {
        self.threads[thread.index()].buffer.stores().len()
    }

    /// Where these go to, the oldest first: address and size.
    pub fn buffered_places(&self, thread: ThreadId) -> Vec<(u64, u8)> {
        self.threads[thread.index()].buffer.stores().iter().map(|store| (store.address, store.size)).collect()
    }

    /// Those that have to reach memory before the `nth` one can, by their numbers, in order.
    pub fn commits_before(&self, thread: ThreadId, nth: u32) -> Vec<u32> {
        let before = self.threads[thread.index()].buffer.before(self.world.config.memory, nth as usize);
        before.into_iter().map(|n| n as u32).collect()
    }

    /// Whether there is an object at `base`, alive.
    pub fn is_live(&self, base: u64) -> bool {
        self.world.memory.object(base).is_some()
    }

    /// Lets a buffered store reach memory; must be one of `commits()`.
    pub fn commit(&mut self, thread: ThreadId, nth: u32) {
        assert!(self.end.is_none(), "the run has ended");
        let target = Rc::make_mut(&mut self.threads[thread.index()]);
        assert!(target.buffer.may_commit(self.world.config.memory, nth as usize), "the store cannot commit");
        self.turns.push(Taken::Commit { thread, nth });
        points::commit(&mut self.world, target, nth as usize);
        self.settle();
    }

    pub(crate) fn buffers_empty(&self) -> bool {
        self.threads.iter().all(|t| t.buffer.is_empty())
    }

    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The sets of threads that were found stuck so far, the one that ended the run included.
    pub fn stuck(&self) -> &[Failure] {
        &self.stuck
    }

    /// The data races of the run so far, each pair of places once.
    pub fn races(&self) -> &[Failure] {
        self.world.races.found()
    }

    /// Everything that was executed, in order, if the machine was asked to keep it.
    pub fn log(&self) -> &[Executed] {
        &self.world.log
    }

    /// What the log has by now; it goes on empty.
    pub fn take_log(&mut self) -> Vec<Executed> {
        std::mem::take(&mut self.world.log)
    }

    /// The branches that `thread` took, without failing iterations of awaits, if the machine was asked to keep them.
    pub fn branches(&self, thread: ThreadId) -> &[Branch] {
        &self.threads[thread.index()].branches
    }

    /// When `thread` entered and left functions and regions, if the machine was asked to keep that.
    pub fn marks(&self, thread: ThreadId) -> &[Marked] {
        self.threads[thread.index()].marks.as_deref().unwrap_or_default()
    }

    /// Whether `thread` is about to make a system call of which it was not recorded how it was answered.
    pub fn lacks_answer(&self, thread: ThreadId) -> bool {
        let (world, thread) = (&self.world, &self.threads[thread.index()]);
        if !thread.at_call || !world.inputs.answers.are_recorded() || thread.has_ended() {
            return false;
        }
        let top = thread.top();
        match world.program.function(top.function).code[top.pc.index()] {
            Inst::Call { callee: Callee::Builtin(Builtin::System(call)), .. } if !call.is_computed() => {
                world.next_answer(thread).is_none()
            }
            _ => false,
        }
    }

    /// The mutexes that `thread` has.
    pub fn mutexes_of(&self, thread: ThreadId) -> impl Iterator<Item = u64> + '_ {
        self.world.mutexes.iter().filter(move |(_, owner)| **owner == thread).map(|(&address, _)| address)
    }

    /// Whether `thread` is in a function that runs natively in a recording.
    pub fn is_in_native(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].native_depth.is_some()
    }

    /// What `thread` has done since it was last asked, if it leaves a trail.
    pub fn take_trail(&mut self, thread: ThreadId) -> Vec<Passed> {
        match self.threads[thread.index()].trail.is_empty() {
            true => Vec::new(),
            false => std::mem::take(&mut Rc::make_mut(&mut self.threads[thread.index()]).trail),
        }
    }

    /// What the program wrote to its standard output.
    pub fn output(&self) -> &[u8] {
        &self.world.output
    }

    /// What the program wrote to its standard error.
    pub fn error_output(&self) -> &[u8] {
        &self.world.errors
    }

    /// The run so far, written down so that it can be run again.
    pub fn execution(&self) -> Execution {
        let turn = |taken: &Taken| match *taken {
            Taken::Run { thread, points } => Turn::Run { thread: self.name(thread).clone(), points },
            Taken::Choose { thread, outcome } => Turn::Choose { thread: self.name(thread).clone(), outcome },
            Taken::Commit { thread, nth } => Turn::Commit { thread: self.name(thread).clone(), nth },
        };
        Execution {
            memory: self.world.config.memory,
            schedule: self.turns.iter().map(turn).collect(),
            inputs: self.world.consumed.clone(),
            answers: match &self.world.answered {
                Some(answered) => Answers::recorded(answered.clone()),
                None => self.world.inputs.answers.clone(),
            },
        }
    }

    /// What was before is no part of the run's schedule, nor who was stuck then.
    pub(crate) fn forget_history(&mut self) {
        self.turns = Vec::new();
        self.stuck = Vec::new();
    }

    fn count_points(&mut self, stepped: ThreadId, count: u32) {
        if self.world.outcome != 0 {
            self.turns.push(Taken::Choose { thread: stepped, outcome: self.world.outcome });
        } else if let Some(Taken::Run { thread, points }) = self.turns.last_mut()
            && *thread == stepped
            && let Some(sum) = points.checked_add(count)
        {
            *points = sum;
        } else {
            self.turns.push(Taken::Run { thread: stepped, points: count });
        }
    }

    /// A new thread joins the others, at its first point.
    pub(crate) fn add(&mut self, thread: Thread) {
        let id = thread.id;
        Rc::make_mut(&mut self.world.names).push(thread.name.clone());
        self.threads.push(Rc::new(thread));
        self.run_local(id, 0);
    }

    /// Lets `thread` go on to its next point, and past as many as `points` that are plain accesses; returns how many.
    fn run_local(&mut self, thread: ThreadId, points: u32) -> u32 {
        let thread = Rc::make_mut(&mut self.threads[thread.index()]);
        let executed = local::run(&mut self.world, thread, points);
        if thread.has_ended() {
            points::end_thread(&mut self.world, thread);
        }
        executed
    }

    /// Ends the run if it cannot go on as it should.
    fn settle(&mut self) {
        if self.threads.iter().all(|t| t.has_ended()) {
            self.end = Some(End::Exit(0));
        } else if let Some(failure) = stuck::find(self) {
            if self.world.config.stop_when_stuck || !self.somebody_can_go() {
                self.end = Some(End::Failed(failure.clone()));
            }
            if !self.stuck.iter().any(|known| known.same_claim(&failure)) {
                self.stuck.push(failure);
            }
        }
    }

    fn somebody_can_go(&self) -> bool {
        self.thread_ids().any(|t| self.is_ready(t)) || !self.commits().is_empty()
    }

    fn stop(&mut self, thread: ThreadId, stop: Stop) {
        let thread = Rc::make_mut(&mut self.threads[thread.index()]);
        self.world.record(thread, || Action::Stop);
        let place = self.world.place(thread);
        self.end = Some(match stop {
            Stop::Exit(status) => End::Exit(status),
            Stop::AssumeViolated => End::AssumeViolated,
            Stop::Unsupported(what) => End::Unsupported { what, place },
            Stop::Failure(kind, message) => {
                let stack = self.world.stack(thread);
                End::Failed(Failure { kind, thread: thread.name.clone(), place, others: Vec::new(), message, stack })
            }
        });
    }
}
