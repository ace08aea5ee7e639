//! Running an execution that the solver found.
//!
//! The machine is stepped in the order of the solution's events. Between them a thread may do things that nobody else can
//! notice; those are done on the way. Under TSO and PSO a store stands in the solution where it reaches memory: it is
//! executed when its turn, or that of a later event of its thread, comes, and committed at its own.

use crate::Error;
use crate::follow::is_event;
use ordain_model::encode::Solution;
use ordain_model::event::{EventId, EventKind};
use ordain_model::forest::Forest;
use ordain_model::names::ThreadName;
use ordain_model::witness::MemoryModel;
use ordain_unfold::Unfolder;
use ordain_vm::{Action, Machine, Pending, PendingKind, Status, ThreadId};
use rustc_hash::FxHashMap;

pub struct Guide<'g, 'p> {
    unfolder: &'g Unfolder<'p>,
    size_of: &'g dyn Fn(u64) -> u64,
    machine: &'g mut Machine<'p>,
    /// Per thread, the solution's events in program order, and how many of them have been executed.
    paths: FxHashMap<ThreadName, (Vec<EventId>, usize)>,
    /// What is in the store buffer of each thread, oldest first; `None` for stores that nobody else can notice.
    buffers: FxHashMap<ThreadId, Vec<Option<EventId>>>,
    solution: &'g Solution,
}

impl<'g, 'p> Guide<'g, 'p> {
    pub fn new(
        unfolder: &'g Unfolder<'p>,
        size_of: &'g dyn Fn(u64) -> u64,
        machine: &'g mut Machine<'p>,
        solution: &'g Solution,
    ) -> Self {
        let forest = &unfolder.forest;
        let mut paths: FxHashMap<ThreadName, (Vec<EventId>, usize)> = FxHashMap::default();
        for &e in &solution.order {
            paths.entry(forest.thread(e).clone()).or_default().0.push(e);
        }
        for (path, _) in paths.values_mut() {
            path.sort_by(|&a, &b| forest.order_on_path(forest.position(a), forest.position(b)));
        }
        Guide { unfolder, size_of, machine, paths, buffers: FxHashMap::default(), solution }
    }

    fn forest(&self) -> &Forest {
        &self.unfolder.forest
    }

    /// Runs the whole solution. The run may end on the way, when a failure that the solution leads to happens.
    pub fn run(&mut self) -> Result<(), Error> {
        let solution = self.solution;
        for &e in &solution.order {
            if self.machine.end().is_some() {
                return Ok(());
            }
            let thread = self.forest().thread(e).clone();
            self.execute_up_to(&thread, e)?;
            if self.is_buffered(e) && self.machine.end().is_none() {
                self.commit(&thread, e)?;
            }
        }
        Ok(())
    }

    /// Lets every thread do what nobody else can notice.
    pub fn settle(&mut self) {
        for t in self.machine.thread_ids() {
            self.step_privately(t, |_| false);
        }
    }

    fn is_buffered(&self, e: EventId) -> bool {
        self.machine.config().memory != MemoryModel::Sc
            && matches!(self.forest().event(e).kind, EventKind::Write { .. })
    }

    /// Executes the thread's events up to and including `e`, as far as that has not been done.
    fn execute_up_to(&mut self, thread: &ThreadName, e: EventId) -> Result<(), Error> {
        loop {
            let (path, done) = &self.paths[thread];
            let Some(&next) = path.get(*done).filter(|_| self.machine.end().is_none()) else { return Ok(()) };
            if self.forest().program_order(e, next) {
                return Ok(());
            }
            self.execute(thread, next)?;
        }
    }

    /// Executes the thread's next event, and whatever else belongs to the same step.
    fn execute(&mut self, thread: &ThreadName, e: EventId) -> Result<(), Error> {
        let kind = self.forest().event(e).kind.clone();
        let Some(t) = self.machine.thread_by_name(thread) else {
            return Err(self.diverged(thread, e, "there is no such thread"));
        };
        match kind {
            EventKind::Start { .. } | EventKind::Use { .. } | EventKind::Assume { .. } => self.pass(thread, 1),
            EventKind::Exit { .. } => {
                self.step_privately(t, |machine| machine.status(t) == Status::Ended);
                self.pass(thread, 1);
            }
            EventKind::Free { object, returning: true } => {
                self.step_privately(t, |machine| !machine.is_live(object));
                self.pass(thread, 1);
            }
            _ => self.execute_point(thread, t, e)?,
        }
        Ok(())
    }

    fn pass(&mut self, thread: &ThreadName, events: usize) {
        if let Some((_, done)) = self.paths.get_mut(thread) {
            *done += events;
        }
    }

    fn step_privately(&mut self, t: ThreadId, until: impl Fn(&Machine<'p>) -> bool) {
        while self.machine.end().is_none() && !until(self.machine) && self.machine.status(t) == Status::Ready {
            if self.stands_at_event(t) {
                return;
            }
            self.step(t, None, 0);
        }
    }

    /// Steps a thread, and keeps track of its store buffer: a step adds one store to it, empties it, or leaves it alone.
    fn step(&mut self, t: ThreadId, store: Option<EventId>, outcome: u32) {
        let before = self.machine.buffered(t);
        self.machine.step_with(t, outcome);
        let after = self.machine.buffered(t);
        let buffer = self.buffers.entry(t).or_default();
        match after.cmp(&before) {
            std::cmp::Ordering::Greater => buffer.push(store),
            std::cmp::Ordering::Less => buffer.clear(),
            std::cmp::Ordering::Equal => {}
        }
    }

    fn execute_point(&mut self, thread: &ThreadName, t: ThreadId, e: EventId) -> Result<(), Error> {
        self.step_privately(t, |_| false);
        if self.machine.end().is_some() {
            return Ok(());
        }
        if !matches!(self.machine.status(t), Status::Ready | Status::Awaiting) {
            return Err(self.diverged(thread, e, &format!("it is {:?}", self.machine.status(t))));
        }
        let site = self.forest().event(e).site;
        match self.machine.pending(t) {
            Some(p) if (p.function, p.pc) == (site.function, site.pc) => {}
            other => return Err(self.diverged(thread, e, &format!("it stands at {other:?}"))),
        }
        let step = self.forest().event(e).step;
        let (path, done) = &self.paths[thread];
        let group: Vec<EventId> =
            path[*done..].iter().copied().take_while(|&g| self.forest().event(g).step == step).collect();
        let store = group.iter().copied().find(|&g| self.is_buffered(g));
        let outcome = self.outcome(e);
        self.step(t, store, outcome);
        self.pass(thread, group.len());
        Ok(())
    }

    /// What the solution says comes of an event where there is something to decide.
    fn outcome(&self, e: EventId) -> u32 {
        let waiting = match self.forest().event(e).kind {
            EventKind::Choose { .. } => return self.solution.choices.get(&e).copied().unwrap_or(0),
            EventKind::Signal { condition, all: false } => self.machine.waiting_for(condition),
            _ => return 0,
        };
        let woken = self.solution.woken.get(&e).map(|&q| self.forest().thread(q));
        waiting.iter().position(|&t| Some(self.machine.name(t)) == woken).unwrap_or(0) as u32
    }

    /// Lets a store reach memory, if it has not done so in its own step.
    fn commit(&mut self, thread: &ThreadName, e: EventId) -> Result<(), Error> {
        let t = self.machine.thread_by_name(thread).expect("it has executed a store");
        loop {
            let buffer = self.buffers.entry(t).or_default();
            let Some(at) = buffer.iter().position(|&s| s == Some(e)) else { return Ok(()) };
            // Stores that nobody notices go out of the way.
            let private = buffer[..at].iter().position(Option::is_none);
            let nth = private.unwrap_or(at);
            buffer.remove(nth);
            if !self.machine.commits().contains(&(t, nth as u32)) {
                return Err(self.diverged(thread, e, "the store cannot reach memory yet"));
            }
            self.machine.commit(t, nth as u32);
        }
    }

    fn stands_at_event(&self, t: ThreadId) -> bool {
        let Some(pending) = self.machine.pending(t) else { return false };
        let thread = self.machine.name(t);
        would_do(&pending).is_some_and(|action| is_event(self.unfolder, thread, &action, self.size_of))
            || matches!(pending.kind, PendingKind::Exit { .. } | PendingKind::Fail(_) | PendingKind::AssumeViolated)
    }

    fn diverged(&self, thread: &ThreadName, e: EventId, what: &str) -> Error {
        let event = self.forest().event(e);
        Error::Diverged(format!("thread {thread} should do {:?} at {:?}, but {what}", event.kind, event.site))
    }
}

/// What a pending point would be in the log, as far as it takes to tell whether it is an event.
fn would_do(pending: &Pending) -> Option<Action> {
    Some(match pending.kind {
        PendingKind::Load { address, size, order } => Action::Load { address, size, value: 0, order },
        PendingKind::Store { address, size, value, order } => Action::Store { address, size, value, order },
        PendingKind::Rmw { address, size, .. } | PendingKind::CmpXchg { address, size, .. } => {
            Action::CmpXchg { address, size, old: 0, new: None }
        }
        PendingKind::Fence(order) => Action::Fence(order),
        PendingKind::Lock { address } => Action::Lock { address },
        PendingKind::TryLock { address } => Action::TryLock { address, taken: true },
        PendingKind::Unlock { address } => Action::Unlock { address },
        PendingKind::DestroyMutex { address } => Action::DestroyMutex { address },
        // Always events, whatever their operands.
        PendingKind::Create
        | PendingKind::Join { .. }
        | PendingKind::Detach { .. }
        | PendingKind::Choose { .. }
        | PendingKind::Sleep { .. }
        | PendingKind::Condition
        | PendingKind::AtomicBegin => Action::AtomicBegin,
        PendingKind::Input { address, size, nth } => Action::Input { nth, address, bytes: vec![0; size as usize] },
        PendingKind::AtomicEnd => Action::AtomicEnd,
        PendingKind::Free { address } => Action::Free { address },
        _ => return None,
    })
}
