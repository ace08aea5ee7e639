//! Threads whose decisions nobody else has a part in.
//!
//! A thread *decides alone* if every decision of its tree is over its own inputs, and nothing on its paths can hold it up
//! for ever or fail: it reads, writes, and takes locks that it gives back. Whatever values it reads, it can be run from
//! its start to its end along any of its paths, as soon as the locks that it takes are free.
//!
//! A node *runs out* if what is left of it can be left to any scheduler: no decision follows, and its events only access
//! memory that is there, take locks, create and join.
//!
//! Both say less than could be said: what is not known to be so counts as not so.

use crate::event::{Event, EventId, EventKind, TreeKey};
use crate::forest::{Forest, NodeEnd, NodeId, Subject, TreeId};
use crate::names::ThreadName;
use ordain_expr::{SymbolId, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known about the threads of a forest.
pub struct Alone {
    /// For each tree whose thread decides alone, where its paths end.
    leaves: FxHashMap<TreeId, Vec<NodeId>>,
    runs_out: FxHashSet<NodeId>,
}

impl Alone {
    pub fn new(forest: &Forest) -> Self {
        let facts = Facts::new(forest);
        let mut nodes: Vec<Vec<NodeId>> = vec![Vec::new(); forest.trees.len()];
        for n in forest.node_ids() {
            nodes[forest.node(n).tree.0 as usize].push(n);
        }
        let mut alone = Alone { leaves: FxHashMap::default(), runs_out: FxHashSet::default() };
        // Who is inside an atomic section keeps everybody else from running.
        if forest.events.iter().any(|e| e.kind == EventKind::AtomicBegin) {
            return alone;
        }
        for (tree, nodes) in nodes.iter().enumerate().map(|(i, nodes)| (TreeId(i as u32), nodes)) {
            alone.runs_out.extend(nodes.iter().copied().filter(|&n| facts.runs_out(n)));
            if nodes.len() > 1 && nodes.iter().all(|&n| facts.is_free_to_go(n)) {
                let is_leaf = |n: &&NodeId| !matches!(forest.node(**n).end, NodeEnd::Decision(_));
                alone.leaves.insert(tree, nodes.iter().filter(is_leaf).copied().collect());
            }
        }
        alone
    }

    /// Where the paths of a thread end that decides alone; `None` if it does not.
    pub fn leaves(&self, tree: TreeId) -> Option<&[NodeId]> {
        self.leaves.get(&tree).map(Vec::as_slice)
    }

    /// Whether what follows on this node can be left to any scheduler.
    pub fn runs_out(&self, n: NodeId) -> bool {
        self.runs_out.contains(&n)
    }

    /// Whether a node creates the thread of a tree.
    pub fn creates(forest: &Forest, n: NodeId, tree: &TreeKey) -> bool {
        let creates = |e: &EventId| matches!(&forest.event(*e).kind, EventKind::Create { child, .. } if child == tree);
        forest.node(n).events.iter().any(creates)
    }
}

struct Facts<'f> {
    forest: &'f Forest,
    inputs: FxHashMap<SymbolId, &'f ThreadName>,
    touched: FxHashMap<u64, FxHashSet<&'f ThreadName>>,
    frees: FxHashMap<u64, Vec<Free<'f>>>,
}

/// An end of an object's life.
struct Free<'f> {
    by: &'f ThreadName,
    /// Threads that have ended by then.
    joined: Vec<&'f ThreadName>,
}

impl<'f> Facts<'f> {
    fn new(forest: &'f Forest) -> Self {
        let bytes = forest.inputs.iter().flat_map(|(key, input)| input.bytes.iter().map(|&b| (b, &key.thread)));
        let inputs = bytes.filter_map(|(byte, thread)| Some((forest.terms.symbol_id(byte)?, thread))).collect();
        let mut touched: FxHashMap<u64, FxHashSet<&ThreadName>> = FxHashMap::default();
        let mut frees: FxHashMap<u64, Vec<Free>> = FxHashMap::default();
        for e in forest.event_ids() {
            let (kind, by) = (&forest.event(e).kind, forest.thread(e));
            if let Some((address, _)) = kind.access() {
                touched.entry(address.object).or_default().insert(by);
            }
            if let EventKind::Free { object, .. } = kind {
                frees.entry(*object).or_default().push(Free { by, joined: joined_before(forest, e) });
            }
        }
        Facts { forest, inputs, touched, frees }
    }

    /// Whether nothing on this node, nor at its end, can hold its thread up or be decided by others.
    fn is_free_to_go(&self, n: NodeId) -> bool {
        let node = self.forest.node(n);
        let thread = self.forest.thread_of_node(n);
        let ends = match &node.end {
            NodeEnd::Exit => self.gives_locks_back(n),
            NodeEnd::Decision(d) => match &d.on {
                Subject::Condition(t) | Subject::Switch { value: t, .. } => self.is_own_input(*t, thread),
                Subject::Pointer { .. } | Subject::Value(_) | Subject::TryLock { .. } => false,
            },
            _ => false,
        };
        ends && self.events(n).all(|event| match &event.kind {
            EventKind::Free { object, .. } => self.is_only_for(*object, thread),
            EventKind::Create { .. } | EventKind::Join { .. } => false,
            EventKind::Lock { waits, .. } => *waits,
            _ => self.is_plain(event, thread),
        })
    }

    fn runs_out(&self, n: NodeId) -> bool {
        let thread = self.forest.thread_of_node(n);
        let ends = matches!(self.forest.node(n).end, NodeEnd::Exit | NodeEnd::ProcessEnd);
        ends && self.events(n).all(|event| match &event.kind {
            EventKind::Free { .. } | EventKind::Create { .. } | EventKind::Join { .. } => self.takes_place(event),
            kind => {
                let object = kind.access().map(|(address, _)| address.object);
                self.is_plain(event, thread) && object.is_none_or(|object| self.outlives(object, thread))
            }
        })
    }

    fn events(&self, n: NodeId) -> impl Iterator<Item = &'f Event> {
        self.forest.node(n).events.iter().map(|&e| self.forest.event(e))
    }

    fn takes_place(&self, event: &Event) -> bool {
        self.forest.terms.as_const(event.guard) == Some(1)
    }

    /// What a thread does that needs nobody else, but for locks.
    fn is_plain(&self, event: &Event, thread: &ThreadName) -> bool {
        self.takes_place(event)
            && match &event.kind {
                EventKind::Start { .. }
                | EventKind::Exit { .. }
                | EventKind::Read { .. }
                | EventKind::Write { .. }
                | EventKind::Rmw { .. }
                | EventKind::Fence { .. }
                | EventKind::Drain
                // Those of a trylock are executed by the decision that leads to their node.
                | EventKind::Lock { .. }
                | EventKind::Busy { .. }
                | EventKind::Unlock { .. } => true,
                EventKind::Use { value } => self.is_own_input(*value, thread),
                _ => false,
            }
    }

    /// Whether a value is a function of what the thread was given as input.
    fn is_own_input(&self, value: Term, thread: &ThreadName) -> bool {
        let symbols = self.forest.terms.cone_until(&[value], |_| false);
        let mut symbols = symbols.into_iter().filter_map(|t| self.forest.terms.symbol_id(t));
        symbols.all(|symbol| self.inputs.get(&symbol) == Some(&thread))
    }

    fn is_only_for(&self, object: u64, thread: &ThreadName) -> bool {
        self.touched.get(&object).is_none_or(|by| by.iter().all(|t| *t == thread))
    }

    /// Whether an object is there for as long as `thread` is, or the thread itself ends its life.
    fn outlives(&self, object: u64, thread: &ThreadName) -> bool {
        let frees = self.frees.get(&object).map_or(&[][..], |frees| frees);
        frees.iter().all(|free| free.by == thread || free.joined.contains(&thread))
    }

    /// Whether a path takes no lock twice, and keeps none.
    fn gives_locks_back(&self, leaf: NodeId) -> bool {
        let mut held: Vec<u64> = Vec::new();
        for event in self.forest.path_to(leaf).into_iter().flat_map(|n| self.events(n)) {
            match event.kind {
                EventKind::Lock { mutex, .. } if held.contains(&mutex) => return false,
                EventKind::Lock { mutex, .. } => held.push(mutex),
                EventKind::Unlock { mutex, .. } => held.retain(|&m| m != mutex),
                _ => {}
            }
        }
        held.is_empty()
    }
}

/// The threads that `e`'s thread has joined on its way there.
fn joined_before(forest: &Forest, e: EventId) -> Vec<&ThreadName> {
    let path = forest.path_to(forest.position(e).node);
    let before = path.into_iter().flat_map(|n| &forest.node(n).events).take_while(|&&b| b != e);
    let joined = before.filter_map(|&b| match &forest.event(b).kind {
        EventKind::Join { thread, .. } => Some(thread),
        _ => None,
    });
    joined.collect()
}
