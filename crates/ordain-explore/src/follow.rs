//! Following a run through the forest.
//!
//! The log of a concrete run is laid along the trees of its threads: every logged access must be the event that the tree
//! has there, with the same address and value, and where the run takes an outcome that the tree does not have yet, the
//! tree grows. So every run, whatever made it, checks the thread-local executor against the machine.

use crate::Error;
use ordain_expr::{SymbolId, Term};
use ordain_ir::program::{FuncId, Ordering, Pc};
use ordain_model::event::{EventId, EventKind, Site};
use ordain_model::failure::FailureKind;
use ordain_model::forest::{InputKey, NodeEnd, NodeId, Outcome, Position, Subject};
use ordain_model::names::ThreadName;
use ordain_unfold::{Sharing, Unfolder};
use ordain_vm::{Action, End, Machine, PendingKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a run did, point by point.
#[derive(Clone, Debug)]
pub struct Record {
    pub thread: ThreadName,
    pub site: (FuncId, Pc),
    pub action: Action,
    /// Which point of the thread's it is.
    pub points: u64,
}

#[derive(Clone, Debug)]
pub struct Log {
    records: Vec<Record>,
    /// The thread whose failure ended the run, and what that was.
    failed: Option<(ThreadName, FailureKind)>,
    /// Threads that were about to decide something by an undefined value when the run ended, and where: they have not
    /// decided it.
    undecided: Vec<(ThreadName, (FuncId, Pc))>,
}

impl Log {
    pub fn of(machine: &Machine<'_>) -> Log {
        let records = machine.log().iter().map(|e| Record {
            thread: machine.name(e.thread).clone(),
            site: (e.function, e.pc),
            action: e.action.clone(),
            points: e.points,
        });
        let failed = match machine.end() {
            Some(End::Failed(f)) if !f.kind.is_stuck() => Some((f.thread.clone(), f.kind)),
            _ => None,
        };
        let undefined = PendingKind::Fail(FailureKind::Uninitialised);
        let has_failed = |t| match machine.end() {
            Some(End::Failed(f)) => f.kind == FailureKind::Uninitialised && f.thread == *machine.name(t),
            _ => false,
        };
        let is_undecided = |t| has_failed(t) || machine.pending(t).is_some_and(|p| p.kind == undefined);
        let at = |t| Some((machine.name(t).clone(), *machine.stack(t).first()?));
        let undecided = machine.thread_ids().filter(|&t| is_undecided(t)).filter_map(at).collect();
        Log { records: records.collect(), failed, undecided }
    }

    /// Tells the sharing map who touched what.
    /// `settles`: what the main thread does before it creates another is how memory begins.
    pub fn note(&self, sharing: &mut Sharing, settles: bool, size_of: &dyn Fn(u64) -> u64) {
        let creates = |record: &Record| matches!(record.action, Action::Create { .. });
        let early = if settles { self.records.iter().position(creates).unwrap_or(self.records.len()) } else { 0 };
        for record in &self.records[early..] {
            let t = &record.thread;
            match &record.action {
                Action::Load { address, size, .. } => sharing.note_read(t, *address, *size as u64),
                Action::Store { address, size, .. } => sharing.note_write(t, *address, *size as u64),
                Action::Rmw { address, size, .. } | Action::CmpXchg { address, size, .. } => {
                    sharing.note_read(t, *address, *size as u64);
                    sharing.note_write(t, *address, *size as u64);
                }
                Action::Input { address: Some(a), bytes, .. } => sharing.note_write(t, *a, bytes.len() as u64),
                Action::Lock { address }
                | Action::TryLock { address, .. }
                | Action::Unlock { address }
                | Action::DestroyMutex { address }
                | Action::Enqueue { condition: address }
                | Action::Signal { condition: address, .. }
                | Action::Waiters { condition: address, .. } => sharing.note_read(t, *address, 1),
                Action::Free { address } if *address != 0 => sharing.note_write(t, *address, size_of(*address)),
                Action::System { touched, .. } => {
                    touched.read.iter().for_each(|read| sharing.note_read(t, read.address, read.bytes));
                    touched.written.iter().for_each(|written| sharing.note_write(t, written.address, written.bytes));
                }
                _ => {}
            }
        }
    }
}

/// Whether an action of a thread, which may be the only one, is something that others can notice, as far as is known.
pub fn is_event(
    unfolder: &Unfolder<'_>,
    t: &ThreadName,
    action: &Action,
    alone: bool,
    size_of: &dyn Fn(u64) -> u64,
) -> bool {
    let sharing = &unfolder.sharing;
    let early = alone && unfolder.settles();
    match action {
        Action::Load { .. } if early => false,
        Action::Store { address, size, .. } if early => sharing.early_write_is_event(t, *address, *size as u64),
        Action::Rmw { address, size, .. } | Action::CmpXchg { address, size, .. } if early => {
            sharing.early_write_is_event(t, *address, *size as u64)
        }
        Action::System { touched, .. } if early => {
            touched.written.is_some_and(|written| sharing.early_write_is_event(t, written.address, written.bytes))
        }
        Action::Input { address: Some(a), bytes, .. } if early => {
            sharing.early_write_is_event(t, *a, bytes.len() as u64)
        }
        Action::Free { address } if early => {
            *address != 0 && sharing.early_write_is_event(t, *address, size_of(*address))
        }
        // What empties a store buffer can be noticed, whatever it works on.
        Action::Rmw { .. } | Action::CmpXchg { .. } | Action::Store { order: Some(Ordering::SeqCst), .. }
            if unfolder.is_weak() =>
        {
            true
        }
        Action::Load { address, size, .. } => sharing.read_is_event(t, *address, *size as u64),
        Action::Store { address, size, .. } => sharing.write_is_event(t, *address, *size as u64),
        Action::Rmw { address, size, .. } | Action::CmpXchg { address, size, .. } => {
            let n = *size as u64;
            sharing.read_is_event(t, *address, n) || sharing.write_is_event(t, *address, n)
        }
        Action::Input { address: Some(a), bytes, .. } => sharing.write_is_event(t, *a, bytes.len() as u64),
        Action::Free { address } => *address != 0 && sharing.write_is_event(t, *address, size_of(*address)),
        Action::System { touched, .. } => {
            touched.read.is_some_and(|read| sharing.read_is_event(t, read.address, read.bytes))
                || touched.written.is_some_and(|written| sharing.write_is_event(t, written.address, written.bytes))
        }
        Action::Fence(_)
        | Action::Lock { .. }
        | Action::TryLock { .. }
        | Action::Unlock { .. }
        | Action::DestroyMutex { .. }
        | Action::Chosen { .. }
        | Action::Enqueue { .. }
        | Action::Wake { .. }
        | Action::Look { .. }
        | Action::Signal { .. }
        | Action::Waiters { .. }
        | Action::Create { .. }
        | Action::Join { .. }
        | Action::Detach { .. }
        | Action::AtomicBegin
        | Action::AtomicEnd => true,
        Action::ThreadExit
        | Action::Input { address: None, .. }
        | Action::Allocate { .. }
        | Action::Output { .. }
        | Action::Divide { .. }
        | Action::Stop
        | Action::Commit { .. } => false,
    }
}

/// Nodes that one run may add to the forest. A run through a long loop would add one per iteration; what matters is that it
/// adds what it was made for, which comes first.
const GROWTH_LIMIT: usize = 500;
/// Of a part of a run, all of it is of interest.
const GROWTH_LIMIT_IN_SCENE: usize = 50_000;

/// Where a thread of the run is in its tree.
struct Cursor {
    at: Position,
    /// Nothing more can be said: the path was cut, or depends on something undefined.
    lost: bool,
    /// Where the thread is about to decide something by an undefined value.
    stops: Option<(FuncId, Pc)>,
}

impl Cursor {
    fn at(root: NodeId) -> Cursor {
        Cursor { at: Position { node: root, index: 0 }, lost: false, stops: None }
    }
}

pub struct Follower<'f, 'p> {
    unfolder: &'f mut Unfolder<'p>,
    size_of: &'f dyn Fn(u64) -> u64,
    cursors: FxHashMap<ThreadName, Cursor>,
    /// How many nodes the forest had before.
    known_nodes: usize,
    values: FxHashMap<SymbolId, u64>,
    /// Symbols of reads that did not take place: nothing depends on their values.
    absent: FxHashSet<SymbolId>,
    /// What threads that have ended returned.
    returned: FxHashMap<ThreadName, u64>,
    /// Events that took place, in order, for whoever wants to know.
    pub taken: Vec<EventId>,
    /// Which point of its thread's each of them was.
    pub points: FxHashMap<EventId, u64>,
    /// The node at whose end the run failed.
    pub failed: Option<NodeId>,
    /// The run goes on with objects at other places than in the forest.
    moved: bool,
}

impl<'f, 'p> Follower<'f, 'p> {
    pub fn new(unfolder: &'f mut Unfolder<'p>, size_of: &'f dyn Fn(u64) -> u64) -> Self {
        let mut cursors = FxHashMap::default();
        for tree in unfolder.first_trees() {
            let tree = unfolder.forest.tree(tree);
            cursors.insert(tree.key.thread.clone(), Cursor::at(tree.root));
        }
        let known_nodes = unfolder.forest.nodes.len();
        Follower {
            unfolder,
            size_of,
            cursors,
            known_nodes,
            values: FxHashMap::default(),
            absent: FxHashSet::default(),
            returned: FxHashMap::default(),
            taken: Vec::new(),
            points: FxHashMap::default(),
            failed: None,
            moved: false,
        }
    }

    /// Lays a whole run along the forest. False if what was unfolded on the way has shown that memory is shared which was
    /// taken to be private, so that the forest is worth nothing.
    pub fn follow(&mut self, log: &Log) -> Result<bool, Error> {
        for record in &log.records {
            if record.action == Action::Stop && log.undecided.iter().any(|(thread, _)| *thread == record.thread) {
                break;
            }
            self.advance(&record.thread, Some(&record.action));
            if self.unfolder.is_stale() {
                return Ok(false);
            }
            if self.moved {
                return Ok(true);
            }
            match (&record.action, &log.failed) {
                (Action::Stop, Some((_, FailureKind::LockMisuse))) => self.misuse(record)?,
                _ => self.record(record)?,
            }
        }
        for (thread, place) in &log.undecided {
            self.cursor(thread).stops = Some(*place);
        }
        let threads: Vec<ThreadName> = self.cursors.keys().cloned().collect();
        for thread in threads {
            self.advance(&thread, None);
        }
        // A thread that fails at an event, for what others did, has not come to the end of its node.
        let is_leaf = |at: &Position| {
            let node = self.unfolder.forest.node(at.node);
            at.index == node.events.len() && matches!(node.end, NodeEnd::Failure(_))
        };
        let failed = log.failed.as_ref().and_then(|(thread, _)| self.cursors.get(thread)).map(|c| c.at);
        self.failed = failed.filter(is_leaf).map(|at| at.node);
        Ok(!self.unfolder.is_stale())
    }

    /// The values that symbols had in the run.
    pub fn values(&self) -> FxHashMap<SymbolId, u64> {
        let present = self.values.iter().filter(|(s, _)| !self.absent.contains(s));
        present.map(|(&s, &value)| (s, value)).collect()
    }

    fn record(&mut self, record: &Record) -> Result<(), Error> {
        let thread = &record.thread;
        if self.is_lost(thread) {
            return Ok(());
        }
        if let Action::Input { nth, bytes, .. } = &record.action {
            self.bind_input(thread, *nth, bytes);
        }
        if !is_event(self.unfolder, thread, &record.action, self.cursors.len() == 1, self.size_of) {
            return Ok(());
        }
        let Some(first) = self.next_event(thread) else {
            return Err(self.mismatch(record, "the model has no event there"));
        };
        let event = self.unfolder.forest.event(first);
        if (event.site.function, event.site.pc) != record.site {
            return Err(self.mismatch(record, &format!("the model has {:?} there", event.kind)));
        }
        let step = event.step;
        while let Some(e) = self.next_event(thread) {
            let event = self.unfolder.forest.event(e);
            if event.step != step || matches!(event.kind, EventKind::Assume { .. }) {
                break;
            }
            self.take(record, e)?;
            self.cursor(thread).at.index += 1;
        }
        Ok(())
    }

    /// A thread that stops has done nothing that others could notice. But if it stops because it destroys a mutex that
    /// another holds, then it has noticed that.
    fn misuse(&mut self, record: &Record) -> Result<(), Error> {
        let thread = &record.thread;
        if self.is_lost(thread) {
            return Ok(());
        }
        let Some(e) = self.next_event(thread) else { return Ok(()) };
        if matches!(self.unfolder.forest.event(e).kind, EventKind::Busy { .. }) {
            self.take(record, e)?;
            self.cursor(thread).at.index += 1;
        }
        Ok(())
    }

    fn mismatch(&self, record: &Record, what: &str) -> Error {
        let name = &record.thread;
        Error::Diverged(format!("thread {name} did {:?} at {:?}, but {what}", record.action, record.site))
    }

    fn cursor(&mut self, thread: &ThreadName) -> &mut Cursor {
        self.cursors.get_mut(thread).expect("a thread is created before it does anything")
    }

    fn is_lost(&self, thread: &ThreadName) -> bool {
        self.cursors.get(thread).is_none_or(|c| c.lost)
    }

    fn stops_at(&self, thread: &ThreadName, site: Site) -> bool {
        self.cursors.get(thread).is_some_and(|c| c.stops == Some((site.function, site.pc)))
    }

    /// The event that the thread's cursor is at, if it is inside a segment.
    fn next_event(&mut self, thread: &ThreadName) -> Option<EventId> {
        self.skip_silent(thread);
        let at = self.cursors[thread].at;
        self.unfolder.forest.node(at.node).events.get(at.index).copied()
    }

    /// The value of a term; `None` if it depends on a symbol that has none.
    fn eval(&self, t: Term) -> Option<u64> {
        self.unfolder.forest.terms.eval_known(t, &mut |s| self.values.get(&s).copied())
    }

    /// Moves over events that no log mentions, and over guarded ones that do not take place.
    fn skip_silent(&mut self, thread: &ThreadName) {
        loop {
            let at = self.cursors[thread].at;
            let Some(&e) = self.unfolder.forest.node(at.node).events.get(at.index) else { return };
            let event = self.unfolder.forest.event(e);
            let is_over = self.unfolder.forest.opening.events.contains(&e);
            match event.kind {
                EventKind::Lock { .. } | EventKind::Enqueue { .. } if is_over => {}
                EventKind::Use { .. } if self.stops_at(thread, event.site) => return,
                EventKind::Start { .. } | EventKind::Use { .. } => {}
                EventKind::Assume { condition } => match self.eval(condition) {
                    Some(0) => {
                        // The run ends here, if the thread goes on at all.
                        self.cursor(thread).lost = true;
                        return;
                    }
                    Some(_) => {}
                    None => return,
                },
                EventKind::Exit { value } => {
                    let value = self.eval(value).unwrap_or(0);
                    self.returned.insert(thread.clone(), value);
                    self.taken.push(e);
                }
                EventKind::Free { returning: Some(_), .. } => self.taken.push(e),
                _ => match self.eval(event.guard) {
                    Some(0) => {
                        if let Some(value) = event.kind.seen() {
                            self.leave_out(value);
                        }
                    }
                    // Without a value, it depends on something that has not happened yet.
                    Some(_) | None => return,
                },
            }
            self.cursor(thread).at.index += 1;
        }
    }

    /// Moves the cursor through the decisions that the thread has taken by now.
    fn advance(&mut self, thread: &ThreadName, action: Option<&Action>) {
        let mut went_round = None;
        loop {
            if self.is_lost(thread) {
                return;
            }
            if self.next_event(thread).is_some() || self.is_lost(thread) {
                return;
            }
            let limit = if self.unfolder.is_in_scene() { GROWTH_LIMIT_IN_SCENE } else { GROWTH_LIMIT };
            if self.unfolder.forest.nodes.len() > self.known_nodes + limit {
                self.cursor(thread).lost = true;
                return;
            }
            let node = self.cursors[thread].at.node;
            let next = match &self.unfolder.forest.node(node).end {
                NodeEnd::Decision(d) if self.stops_at(thread, d.site) => return,
                NodeEnd::Decision(d) => {
                    let on = d.on.clone();
                    match self.outcome(&on, action) {
                        Some(outcome) => Position { node: self.unfolder.extend(node, outcome), index: 0 },
                        // Not taken yet, or it depends on something undefined, and then the run ends here.
                        None => return,
                    }
                }
                NodeEnd::Onward(meeting) => {
                    let meeting = *meeting;
                    self.rename(node, meeting);
                    Position { node: meeting, index: 0 }
                }
                // It goes round without any event: nothing will ever change that.
                NodeEnd::Again(_) if went_round == Some(node) => return,
                NodeEnd::Again(position) => {
                    let position = *position;
                    went_round = Some(node);
                    self.moved |= self.unfolder.allocates_in_vain(node);
                    self.forget_since(thread, position);
                    position
                }
                NodeEnd::Exit | NodeEnd::ProcessEnd | NodeEnd::Failure(_) | NodeEnd::Cut(_) => {
                    self.cursor(thread).lost = true;
                    return;
                }
            };
            self.cursor(thread).at = next;
        }
    }

    /// A failing iteration of an await is no part of the execution once the thread goes round again.
    fn forget_since(&mut self, thread: &ThreadName, start: Position) {
        let forest = &self.unfolder.forest;
        self.taken.retain(|&e| {
            let comes_first = forest.order_on_path(forest.position(e), start).is_lt();
            forest.thread(e) != thread || comes_first
        });
    }

    fn outcome(&mut self, on: &Subject, action: Option<&Action>) -> Option<Outcome> {
        let subject = match on {
            Subject::TryLock { .. } => {
                return match action? {
                    Action::TryLock { taken: true, .. } | Action::DestroyMutex { .. } => Some(Outcome::Yes),
                    Action::TryLock { taken: false, .. } | Action::Stop => Some(Outcome::No),
                    _ => None,
                };
            }
            Subject::Condition(t)
            | Subject::Value(t)
            | Subject::Switch { value: t, .. }
            | Subject::Pointer { address: t, .. } => *t,
        };
        let value = self.eval(subject)?;
        self.unfolder.outcome_of(on, &mut |_| value)
    }

    fn bind_input(&mut self, thread: &ThreadName, nth: u32, bytes: &[u8]) {
        let key = InputKey { thread: thread.clone(), nth };
        let Some(input) = self.unfolder.forest.inputs.get(&key) else { return };
        for (&symbol, &byte) in input.bytes.iter().zip(bytes) {
            let symbol = self.unfolder.forest.terms.symbol_id(symbol).expect("inputs are symbols");
            self.values.insert(symbol, byte as u64);
        }
    }

    fn bind(&mut self, symbol: Term, value: u64) {
        let symbol = self.unfolder.forest.terms.symbol_id(symbol).expect("read values are symbols");
        self.values.insert(symbol, value);
        self.absent.remove(&symbol);
    }

    /// The symbols of a meeting stand for what they do if the thread comes from `node`.
    fn rename(&mut self, node: NodeId, meeting: NodeId) {
        let Some(meeting) = self.unfolder.forest.meeting(meeting) else { return };
        let Some(way) = meeting.ways.iter().find(|way| way.from == node) else { return };
        for (&symbol, given) in meeting.symbols.iter().zip(&way.given) {
            match self.values.get(given) {
                Some(&value) => self.values.insert(symbol, value),
                None => self.values.remove(&symbol),
            };
            match self.absent.contains(given) {
                true => self.absent.insert(symbol),
                false => self.absent.remove(&symbol),
            };
        }
    }

    /// A read that does not take place has no value; any will do where terms are evaluated.
    fn leave_out(&mut self, symbol: Term) {
        self.bind(symbol, 0);
        self.absent.extend(self.unfolder.forest.terms.symbol_id(symbol));
    }

    /// The event takes place; its values are those of the record.
    fn take(&mut self, record: &Record, e: EventId) -> Result<(), Error> {
        let kind = self.unfolder.forest.event(e).kind.clone();
        match (&kind, &record.action) {
            (EventKind::Read { address, value, .. }, Action::Load { address: a, value: v, .. }) => {
                self.expect(record, address.term, *a)?;
                self.bind(*value, *v);
            }
            (EventKind::Write { address, value, .. }, Action::Store { address: a, value: v, .. }) => {
                self.expect(record, address.term, *a)?;
                self.expect(record, *value, *v)?;
            }
            (EventKind::Rmw { address, old, new, .. }, Action::Rmw { address: a, old: o, new: n, .. }) => {
                self.expect(record, address.term, *a)?;
                self.bind(*old, *o);
                self.expect(record, *new, *n)?;
            }
            (EventKind::Rmw { address, old, writes, .. }, Action::CmpXchg { address: a, old: o, new, .. }) => {
                self.expect(record, address.term, *a)?;
                self.bind(*old, *o);
                self.expect(record, *writes, u64::from(new.is_some()))?;
            }
            (EventKind::Create { child, argument }, Action::Create { name, .. }) if child.thread == *name => {
                self.start(child, *argument);
            }
            (EventKind::Join { thread, value }, Action::Join { .. }) => {
                self.advance(thread, None);
                let returned = self.returned.get(thread).copied();
                if returned.is_none() && self.is_lost(thread) {
                    // Nobody knows what it has returned, or what follows from that.
                    self.cursor(&record.thread).lost = true;
                }
                self.bind(*value, returned.unwrap_or(0));
            }
            (EventKind::Lock { mutex, .. }, Action::Lock { address } | Action::TryLock { address, taken: true })
            | (EventKind::Busy { mutex }, Action::TryLock { address, taken: false })
            | (EventKind::Unlock { mutex, .. }, Action::Unlock { address })
            | (EventKind::Lock { mutex, .. } | EventKind::Unlock { mutex, .. }, Action::DestroyMutex { address })
                if mutex == address => {}
            (EventKind::Choose { value }, Action::Chosen { outcome, .. }) => self.bind(*value, *outcome as u64),
            (EventKind::Look { woken, leaves, .. }, Action::Look { woken: w, leaves: l, .. }) if leaves == l => {
                self.bind(*woken, *w as u64);
            }
            (EventKind::Waiters { condition, any }, Action::Waiters { condition: c, any: a }) if condition == c => {
                self.bind(*any, *a as u64);
            }
            (EventKind::Enqueue { condition }, Action::Enqueue { condition: c }) if condition == c => {}
            (EventKind::Wake { .. }, Action::Wake { .. }) => {}
            (EventKind::Signal { condition, all }, Action::Signal { condition: c, all: a, .. })
                if condition == c && all == a => {}
            (EventKind::Free { object, .. }, Action::Free { address }) if object == address => {}
            // Nothing depends on it: what a system call returns was recorded.
            (EventKind::Read { value, .. }, Action::System { .. }) => self.leave_out(*value),
            (EventKind::Fence { .. }, Action::Fence(_))
            | (EventKind::Drain, Action::Store { .. } | Action::Rmw { .. } | Action::CmpXchg { .. })
            | (EventKind::Busy { .. }, Action::Stop)
            | (EventKind::Detach { .. }, Action::Detach { .. })
            | (EventKind::AtomicBegin, Action::AtomicBegin)
            | (EventKind::AtomicEnd { .. }, Action::AtomicEnd)
            | (EventKind::Write { .. }, Action::Input { .. } | Action::Create { .. } | Action::Join { .. })
            | (EventKind::Write { .. }, Action::System { .. }) => {}
            (kind, _) => return Err(self.mismatch(record, &format!("the model has {kind:?} there"))),
        }
        self.taken.push(e);
        self.points.insert(e, record.points);
        Ok(())
    }

    fn start(&mut self, key: &ordain_model::event::TreeKey, argument: Term) {
        let tree = self.unfolder.forest.by_key[key];
        let root = self.unfolder.forest.tree(tree).root;
        let start = self.unfolder.forest.node(root).events[0];
        if let EventKind::Start { argument: Some(symbol) } = self.unfolder.forest.event(start).kind
            && let Some(value) = self.eval(argument)
        {
            self.bind(symbol, value);
        }
        self.cursors.insert(key.thread.clone(), Cursor::at(root));
    }

    /// What the model computes must be what the machine did, unless it depends on something undefined.
    fn expect(&self, record: &Record, t: Term, value: u64) -> Result<(), Error> {
        match self.eval(t) {
            Some(v) if v != value => {
                let term = self.unfolder.forest.terms.display(t);
                Err(self.mismatch(record, &format!("the model computes {v:#x} instead of {value:#x} ({term})")))
            }
            _ => Ok(()),
        }
    }
}
