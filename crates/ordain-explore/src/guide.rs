//! Running an execution that the solver found.
//!
//! The machine is stepped in the order of the solution's events. Between them a thread may do things that nobody else can
//! notice; those are done on the way. Under TSO and PSO a store stands in the solution where it reaches memory: it is
//! executed when its turn, or that of a later event of its thread, comes, and committed at its own.

use crate::Error;
use crate::fewest::is_beyond;
use crate::follow::is_event;
use ordain_ir::program::{Ordering, SystemCall};
use ordain_model::encode::{Mistrust, Solution};
use ordain_model::event::{EventId, EventKind};
use ordain_model::forest::{Forest, NodeEnd, Position};
use ordain_model::names::ThreadName;
use ordain_model::witness::MemoryModel;
use ordain_unfold::{Script, Unfolder};
use ordain_vm::{Action, Machine, Pending, PendingKind, Status, ThreadId, can_go_on, would_look_at};
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
    /// Of a recorded run: how its threads went.
    script: Option<&'g Script>,
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
        Guide { unfolder, size_of, machine, paths, buffers: FxHashMap::default(), solution, script: None }
    }

    /// Threads go no further than they were recorded to. The machine keeps their branches.
    pub fn within(self, script: Option<&'g Script>) -> Self {
        Guide { script, ..self }
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

    /// The same, and lets every thread do what nobody else can notice before the next one has its turn; the last turn is that of
    /// `last`. Says who was taken to wait for memory to change, and does not have to.
    pub fn run_in_turns(&mut self, last: &ThreadName) -> Result<Vec<Mistrust>, Error> {
        let solution = self.solution;
        let mut running: Option<ThreadName> = None;
        let mut mistrusts = Vec::new();
        for &e in &solution.order {
            let thread = self.forest().thread(e).clone();
            if self.machine.end().is_some() {
                return Ok(mistrusts);
            }
            if self.is_local(e) && !self.is_whole_turn(&thread, e) {
                // It comes with what is before it.
                continue;
            }
            if self.is_buffered(e) && self.has_executed(&thread, e) {
                self.commit(&thread, e)?;
                continue;
            }
            if let Some(before) = running.replace(thread.clone()).filter(|before| *before != thread) {
                self.end_turn(&before)?;
                mistrusts.extend(self.mistrust(&before));
            }
            self.execute_up_to(&thread, e)?;
            if self.is_buffered(e) && self.machine.end().is_none() {
                self.commit(&thread, e)?;
            }
        }
        if let Some(before) = running {
            self.end_turn(&before)?;
            mistrusts.extend(Some(&before).filter(|before| *before != last).and_then(|before| self.mistrust(before)));
        }
        Ok(mistrusts)
    }

    /// The thread's turn is over: if it might have been taken to wait for memory to change, but could go on or has ended, then
    /// why it does not.
    fn mistrust(&self, thread: &ThreadName) -> Option<Mistrust> {
        let position = self.next_position(thread).filter(|&next| self.unfolder.waits().may_be(self.forest(), next))?;
        let t = self.machine.thread_by_name(thread)?;
        let is_over = matches!(self.forest().node(position.node).end, NodeEnd::Cut(_));
        let ended = is_over && self.machine.status(t) == Status::Ended;
        if !ended && !can_go_on(self.machine, t) {
            return None;
        }
        let reads = would_look_at(self.machine.clone(), t);
        let is_executed = |e: &&EventId| self.has_executed(self.forest().thread(**e), **e);
        let executed = self.solution.order.iter().filter(is_executed).copied().collect();
        Some(Mistrust { ended, position, reads, executed })
    }

    /// Where the thread goes on after what it has done, if that is known.
    fn next_position(&self, thread: &ThreadName) -> Option<Position> {
        let (path, done) = &self.paths[thread];
        if let Some(&next) = path.get(*done) {
            return Some(self.forest().position(next));
        }
        let last = self.forest().position(*path.get(done.checked_sub(1)?)?);
        let mut next = Position { index: last.index + 1, ..last };
        while let NodeEnd::Onward(meeting) = self.forest().node(next.node).end
            && next.index == self.forest().node(next.node).events.len()
        {
            next = Position { node: meeting, index: 0 };
        }
        Some(next)
    }

    /// The thread goes on as far as it can without anybody noticing: its stores go into its buffer.
    fn end_turn(&mut self, thread: &ThreadName) -> Result<(), Error> {
        loop {
            let (path, done) = &self.paths[thread];
            match path.get(*done) {
                Some(&next) if self.waits_before(next) => break,
                Some(&next) if self.machine.end().is_none() && (self.is_local(next) || self.stays_buffered(next)) => {
                    self.execute(thread, next)?;
                }
                _ => break,
            }
        }
        let Some(t) = self.machine.thread_by_name(thread) else { return Ok(()) };
        let Some(next) = self.next_position(thread).filter(|_| self.paths[thread].1 > 0) else { return Ok(()) };
        // Who waits stands at the beginning of a round.
        if next.index < self.forest().node(next.node).events.len() {
            let script = self.script;
            let is_beyond = |machine: &Machine<'_>| script.is_some_and(|script| is_beyond(script, machine, t));
            self.step_privately(t, |machine| is_beyond(machine) || !can_go_on(machine, t));
        } else if self.unfolder.waits().rounds.contains(&next) {
            self.wait_at_the_end(t);
        }
        Ok(())
    }

    /// The last that is known of the thread is that it comes to a loop. It goes there if that is to wait, and else stays.
    fn wait_at_the_end(&mut self, t: ThreadId) {
        let (machine, buffers) = (self.machine.clone(), self.buffers.clone());
        self.step_privately(t, |machine| !can_go_on(machine, t));
        let waits = self.machine.status(t) == Status::Ready && !can_go_on(self.machine, t);
        if !waits {
            (*self.machine, self.buffers) = (machine, buffers);
        }
    }

    fn has_executed(&self, thread: &ThreadName, e: EventId) -> bool {
        let (path, done) = &self.paths[thread];
        path[..*done].contains(&e)
    }

    /// Whether the thread ends with this event, and does nothing before that anybody notices.
    fn is_whole_turn(&self, thread: &ThreadName, e: EventId) -> bool {
        let is_exit = matches!(self.forest().event(e).kind, EventKind::Exit { .. });
        is_exit && self.paths[thread].0.iter().all(|&other| self.is_local(other))
    }

    /// Whether the event is no point of its own.
    fn is_local(&self, e: EventId) -> bool {
        matches!(
            self.forest().event(e).kind,
            EventKind::Start { .. }
                | EventKind::Use { .. }
                | EventKind::Assume { .. }
                | EventKind::Exit { .. }
                | EventKind::Free { returning: Some(_), .. }
        )
    }

    /// Whether a round of a loop begins before the event.
    fn waits_before(&self, e: EventId) -> bool {
        self.unfolder.waits().rounds.contains(&self.forest().position(e))
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

    /// Whether the event is a store that does not have to reach memory at once.
    fn stays_buffered(&self, e: EventId) -> bool {
        let reaches_memory =
            matches!(self.forest().event(e).kind, EventKind::Write { order: Some(Ordering::SeqCst), .. });
        self.is_buffered(e) && !reaches_memory
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
            EventKind::Free { object, returning: Some(_) } => {
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
        let alone = self.machine.thread_ids().count() == 1;
        would_do(&pending).is_some_and(|action| is_event(self.unfolder, thread, &action, alone, self.size_of))
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
        PendingKind::Create { .. }
        | PendingKind::Join { .. }
        | PendingKind::Detach { .. }
        | PendingKind::Choose { .. }
        | PendingKind::Sleep { .. }
        | PendingKind::Condition
        | PendingKind::AtomicBegin => Action::AtomicBegin,
        PendingKind::Input { address, size, nth } => Action::Input { nth, address, bytes: vec![0; size as usize] },
        PendingKind::AtomicEnd => Action::AtomicEnd,
        PendingKind::Free { address } => Action::Free { address },
        PendingKind::System { touched } => Action::System { call: SystemCall::Write, result: 0, touched },
        _ => return None,
    })
}
