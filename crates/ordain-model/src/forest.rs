//! The forest: one tree of events per thread, as far as it is known.
//!
//! A node is a segment: events in program order, and how it ends. Inner nodes end in a decision, a point where the
//! thread's own path can go on in more than one way; their children are the outcomes that were seen. An outcome that
//! was not is a stub: whether it can be reached is a question for the solver. Paths may meet again (`meeting`).

use crate::event::{Event, EventId, EventKind, TreeKey};
use crate::failure::FailureKind;
use crate::meeting::Meeting;
use crate::names::ThreadName;
use ordain_expr::op::{BinOp, Pred};
use ordain_expr::{SymbolId, Term, Terms};
use ordain_ir::program::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use crate::event::Site;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TreeId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Debug)]
pub struct Tree {
    pub key: TreeKey,
    pub root: NodeId,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub tree: TreeId,
    pub entry: Entry,
    /// Where the part of the tree begins that the node is in: at the root, or at the last meeting.
    pub stage: NodeId,
    pub events: Vec<EventId>,
    pub end: NodeEnd,
}

/// How a thread comes to a node.
#[derive(Clone, Debug)]
pub enum Entry {
    /// By starting.
    Root,
    /// By an outcome of the decision at the end of another.
    Outcome(NodeId, Outcome),
    /// From several others.
    Meeting(Meeting),
}

#[derive(Clone, Debug)]
pub enum NodeEnd {
    Decision(Decision),
    /// The thread goes on as all others do that come to this meeting.
    Onward(NodeId),
    /// The thread has ended.
    Exit,
    /// The thread ends the process in an orderly way.
    ProcessEnd,
    /// The thread fails here.
    Failure(FailureKind),
    /// A failing iteration of an await: back to where the iteration began, with nothing changed.
    Again(Position),
    /// The executor cannot go on: nothing is known of what comes after.
    Cut(Cut),
}

/// Why a path is not followed any further.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Cut {
    /// Something has no meaning in the model.
    Unsupported(String),
    /// A bound the user gave.
    Bound(String),
}

/// Before the `index`th event of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    pub node: NodeId,
    pub index: usize,
}

#[derive(Clone, Debug)]
pub struct Decision {
    pub site: Site,
    pub on: Subject,
    pub children: Vec<(Outcome, NodeId)>,
}

/// What is decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// Yes or no: a branch, or whether a division traps.
    Condition(Term),
    Switch {
        value: Term,
        cases: Vec<u64>,
    },
    /// Which object an access of `bytes` bytes at this address is in.
    Pointer {
        address: Term,
        bytes: u64,
    },
    /// Which value a size, callee, thread or lock has.
    Value(Term),
    /// Whether a trylock finds the mutex free.
    TryLock {
        mutex: u64,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Outcome {
    Yes,
    No,
    Case(u64),
    Default,
    /// Inside the object with this base and size.
    Object {
        base: u64,
        size: u64,
    },
    /// In no object: from `low` to `high` (inclusive) there is none, and never will be.
    Nowhere {
        low: u64,
        high: u64,
    },
    Value(u64),
}

/// An outcome nobody has followed yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Stub {
    pub node: NodeId,
    /// `None`: any outcome but the known ones.
    pub outcome: Option<Outcome>,
}

/// The `nth` input of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InputKey {
    pub thread: ThreadName,
    pub nth: u32,
}

/// An input as a term: its bytes, as symbols.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    /// One symbol per byte.
    pub bytes: Vec<Term>,
}

/// What memory holds before anything was written to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    Bytes(Vec<u8>),
    Zero,
    Undefined,
    /// Of an object in the middle of a run: its bytes, and for each of them a bit (the lowest of each eight first) that is set where
    /// it is undefined.
    Partly {
        bytes: Vec<u8>,
        undefined: Vec<u8>,
    },
}

impl Contents {
    /// The byte at an offset, if it is defined.
    pub fn byte(&self, at: usize) -> Option<u8> {
        match self {
            Contents::Bytes(bytes) => bytes.get(at).copied(),
            Contents::Zero => Some(0),
            Contents::Undefined => None,
            Contents::Partly { bytes, undefined } => {
                let is_undefined = undefined.get(at / 8).is_some_and(|bits| bits >> (at % 8) & 1 == 1);
                bytes.get(at).copied().filter(|_| !is_undefined)
            }
        }
    }

    /// The number of `size` bytes at an offset, if all of them are defined.
    pub fn number(&self, at: usize, size: u8) -> Option<u64> {
        (0..usize::from(size)).rev().try_fold(0, |number, i| Some(number << 8 | u64::from(self.byte(at + i)?)))
    }

    /// Whether nothing is known to be defined in some part of it.
    pub fn has_undefined(&self) -> bool {
        matches!(self, Contents::Undefined | Contents::Partly { .. })
    }
}

#[derive(Clone, Debug)]
pub struct Object {
    pub size: u64,
    pub contents: Contents,
    /// Of a large one: where accesses may be whose addresses depend on what threads read, each with its size. Of others, anywhere.
    pub indexed: BTreeSet<(u64, u8)>,
}

impl Object {
    pub fn new(size: u64, contents: Contents) -> Object {
        Object { size, contents, indexed: BTreeSet::new() }
    }

    /// The offsets of all cells of so many bytes that may be accessed at an address which is not known.
    pub fn cells(&self, base: u64, bytes: u8) -> Vec<u64> {
        if self.indexed.is_empty() {
            return (0..self.size / u64::from(bytes)).map(|cell| cell * u64::from(bytes)).collect();
        }
        let of =
            |&(address, size): &(u64, u8)| (address - base..address - base + u64::from(size)).step_by(bytes.into());
        let cells: BTreeSet<u64> = self.indexed.iter().flat_map(of).collect();
        cells.into_iter().collect()
    }
}

/// What has happened before the first event of a forest whose threads are already under way.
#[derive(Default)]
pub struct Opening {
    /// Trees of threads that exist.
    pub trees: FxHashSet<TreeId>,
    /// Events that have taken place, though only what is left of them matters: threads have mutexes, wait for conditions, or have ended.
    pub events: FxHashSet<EventId>,
    /// Those by which threads have begun to wait who have been woken since.
    pub woken: FxHashSet<EventId>,
}

#[derive(Default)]
pub struct Forest {
    pub terms: Terms,
    pub trees: Vec<Tree>,
    pub nodes: Vec<Node>,
    pub events: Vec<Event>,
    /// The node of each event, and its index there.
    pub positions: Vec<Position>,
    pub by_key: FxHashMap<TreeKey, TreeId>,
    pub(crate) meetings: Vec<NodeId>,
    /// Symbols that got their names at a meeting: where, and the how manieth of it.
    pub(crate) renamed: FxHashMap<SymbolId, (NodeId, usize)>,
    pub inputs: FxHashMap<InputKey, Input>,
    /// Objects that some event touches, by base address.
    pub objects: FxHashMap<u64, Object>,
    /// Symbols for values that the program never defined.
    pub undefined: FxHashSet<SymbolId>,
    /// Of an execution that is looked at from the middle on: how it stands there.
    pub opening: Opening,
    /// The events that a symbol gets its value by: a read, a join, a start. No two of them are ever in one execution, for they are
    /// on different paths of one thread.
    pub bound_by: FxHashMap<SymbolId, Vec<EventId>>,
}

impl Forest {
    pub fn node(&self, n: NodeId) -> &Node {
        &self.nodes[n.0 as usize]
    }

    pub fn node_mut(&mut self, n: NodeId) -> &mut Node {
        &mut self.nodes[n.0 as usize]
    }

    pub fn event(&self, e: EventId) -> &Event {
        &self.events[e.0 as usize]
    }

    pub fn position(&self, e: EventId) -> Position {
        self.positions[e.0 as usize]
    }

    pub fn tree(&self, t: TreeId) -> &Tree {
        &self.trees[t.0 as usize]
    }

    pub fn tree_of(&self, e: EventId) -> TreeId {
        self.node(self.position(e).node).tree
    }

    pub fn thread(&self, e: EventId) -> &ThreadName {
        &self.tree(self.tree_of(e)).key.thread
    }

    pub fn thread_of_node(&self, n: NodeId) -> &ThreadName {
        &self.tree(self.node(n).tree).key.thread
    }

    pub fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len() as u32).map(EventId)
    }

    pub fn tree_ids(&self) -> impl Iterator<Item = TreeId> + use<> {
        (0..self.trees.len() as u32).map(TreeId)
    }

    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Whether nobody has to create the thread: it is the main thread, or was under way when the forest begins.
    pub fn exists_from_the_start(&self, tree: TreeId) -> bool {
        self.tree(tree).key.thread.is_main() || self.opening.trees.contains(&tree)
    }

    pub fn add_tree(&mut self, key: TreeKey) -> TreeId {
        let id = TreeId(self.trees.len() as u32);
        let root = self.add_entered(id, Entry::Root);
        self.trees.push(Tree { key: key.clone(), root });
        self.by_key.insert(key, id);
        id
    }

    /// The node that an outcome of the decision at the end of `parent` leads to.
    pub fn add_child(&mut self, parent: NodeId, outcome: Outcome) -> NodeId {
        let id = self.add_entered(self.node(parent).tree, Entry::Outcome(parent, outcome));
        let NodeEnd::Decision(decision) = &mut self.node_mut(parent).end else {
            unreachable!("only decisions have children")
        };
        decision.children.push((outcome, id));
        id
    }

    pub(crate) fn add_entered(&mut self, tree: TreeId, entry: Entry) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let end = NodeEnd::Cut(Cut::Unsupported("a segment under construction".into()));
        let stage = match entry {
            Entry::Root => id,
            Entry::Outcome(parent, _) => self.stage(parent),
            Entry::Meeting(_) => {
                self.meetings.push(id);
                id
            }
        };
        self.nodes.push(Node { tree, entry, stage, events: Vec::new(), end });
        id
    }

    pub fn add_event(&mut self, node: NodeId, event: Event) -> EventId {
        let id = EventId(self.events.len() as u32);
        let symbol = match &event.kind {
            EventKind::Read { value, .. } => Some(*value),
            EventKind::Rmw { old, .. } => Some(*old),
            EventKind::Join { value, .. } => Some(*value),
            EventKind::Start { argument } => *argument,
            _ => None,
        };
        if let Some(s) = symbol.and_then(|t| self.terms.symbol_id(t)) {
            self.bound_by.entry(s).or_default().push(id);
        }
        let index = self.node(node).events.len();
        self.events.push(event);
        self.positions.push(Position { node, index });
        self.node_mut(node).events.push(id);
        id
    }

    /// Forgets the events of a node from `position` on, which must be the last that were added; says whether they were.
    pub fn take_back(&mut self, position: Position) -> bool {
        let taken = self.node(position.node).events[position.index..].to_vec();
        let first = self.events.len() - taken.len();
        if taken.iter().enumerate().any(|(i, e)| e.0 as usize != first + i) {
            return false;
        }
        for e in taken {
            let bound = self.event(e).kind.seen().and_then(|t| self.terms.symbol_id(t));
            if let Some(events) = bound.and_then(|s| self.bound_by.get_mut(&s)) {
                events.retain(|&other| other != e);
            }
        }
        self.events.truncate(first);
        self.positions.truncate(first);
        self.node_mut(position.node).events.truncate(position.index);
        true
    }

    /// A value that nobody defined.
    pub fn undefined(&mut self, width: u8) -> Term {
        let t = self.terms.symbol(width);
        let symbol = self.terms.symbol_id(t).expect("just made");
        self.undefined.insert(symbol);
        t
    }

    /// The object that an address is in, of those that some event touches.
    pub fn object_at(&self, address: u64) -> Option<u64> {
        self.objects.iter().find(|(base, o)| (**base..**base + o.size).contains(&address)).map(|(base, _)| *base)
    }

    pub fn child(&self, node: NodeId, outcome: Outcome) -> Option<NodeId> {
        match &self.node(node).end {
            NodeEnd::Decision(d) => d.children.iter().find(|(o, _)| *o == outcome).map(|(_, n)| *n),
            _ => None,
        }
    }

    /// The decision that leads to a node, and nothing else does.
    pub fn parent(&self, n: NodeId) -> Option<NodeId> {
        match self.node(n).entry {
            Entry::Outcome(parent, _) => Some(parent),
            Entry::Root | Entry::Meeting(_) => None,
        }
    }

    /// Whether `first` is `node` or above it in its stage.
    pub(crate) fn is_above(&self, first: NodeId, node: NodeId) -> bool {
        let mut at = Some(node);
        while let Some(n) = at {
            if n == first {
                return true;
            }
            // Children have larger numbers than their parents.
            if n < first {
                return false;
            }
            at = self.parent(n);
        }
        false
    }

    /// Whether `first` comes before `second` in program order, on some path of one thread.
    pub fn program_order(&self, first: EventId, second: EventId) -> bool {
        let (a, b) = (self.position(first), self.position(second));
        if a.node == b.node { a.index < b.index } else { self.reaches(a.node, b.node) }
    }

    /// Whether the two can never be in one execution: they are on different paths of one thread.
    pub fn exclusive(&self, a: EventId, b: EventId) -> bool {
        self.thread(a) == self.thread(b) && a != b && !self.program_order(a, b) && !self.program_order(b, a)
    }

    /// The condition, over the thread's symbols, under which a decision has this outcome.
    pub fn outcome_condition(&mut self, on: &Subject, outcome: Outcome) -> Term {
        let terms = &mut self.terms;
        match (on, outcome) {
            (Subject::TryLock { .. }, _) => terms.bool(true),
            (Subject::Condition(c), Outcome::Yes) => *c,
            (Subject::Condition(c), Outcome::No) => terms.not(*c),
            (Subject::Switch { value, .. }, Outcome::Case(v)) | (Subject::Value(value), Outcome::Value(v)) => {
                let v = terms.constant(terms.width(*value), v);
                terms.eq(*value, v)
            }
            (Subject::Switch { value, cases }, Outcome::Default) => {
                let mut none = terms.bool(true);
                for &case in cases {
                    let case = terms.constant(terms.width(*value), case);
                    let differs = terms.cmp(Pred::Ne, *value, case);
                    none = terms.and(none, differs);
                }
                none
            }
            (Subject::Pointer { address, bytes }, Outcome::Object { base, size }) => {
                within(terms, *address, base, size - bytes)
            }
            (Subject::Pointer { address, .. }, Outcome::Nowhere { low, high }) => {
                within(terms, *address, low, high - low)
            }
            (on, outcome) => unreachable!("{outcome:?} is no outcome of {on:?}"),
        }
    }

    /// The outcomes that nobody has followed, of every decision of the forest.
    pub fn stubs(&self) -> Vec<Stub> {
        self.node_ids().flat_map(|n| self.stubs_of(n)).collect()
    }

    fn stubs_of(&self, node: NodeId) -> Vec<Stub> {
        let NodeEnd::Decision(d) = &self.node(node).end else { return Vec::new() };
        let missing = |outcomes: Vec<Outcome>| {
            let open = outcomes.into_iter().filter(|o| d.children.iter().all(|(c, _)| c != o));
            open.map(|o| Stub { node, outcome: Some(o) }).collect()
        };
        match &d.on {
            Subject::Condition(_) | Subject::TryLock { .. } => missing(vec![Outcome::Yes, Outcome::No]),
            Subject::Switch { cases, .. } => {
                missing(cases.iter().map(|&c| Outcome::Case(c)).chain([Outcome::Default]).collect())
            }
            Subject::Pointer { .. } | Subject::Value(_) => vec![Stub { node, outcome: None }],
        }
    }

    /// The condition under which a stub is entered from the end of its node.
    pub fn stub_condition(&mut self, stub: Stub) -> Term {
        let NodeEnd::Decision(d) = &self.node(stub.node).end else { unreachable!("stubs hang off decisions") };
        let on = d.on.clone();
        let known: Vec<Outcome> = d.children.iter().map(|(o, _)| *o).collect();
        match stub.outcome {
            Some(outcome) => self.outcome_condition(&on, outcome),
            None => {
                let mut other = self.terms.bool(true);
                for outcome in known {
                    let c = self.outcome_condition(&on, outcome);
                    let not = self.terms.not(c);
                    other = self.terms.and(other, not);
                }
                other
            }
        }
    }

    /// Whether a value depends on what was read from memory, or was given by another thread.
    pub fn depends_on_memory(&self, t: Term) -> bool {
        let is_bound = |t: &Term| self.terms.symbol_id(*t).is_some_and(|s| self.is_bound(s));
        self.terms.cone_until(&[t], |_| false).iter().any(is_bound)
    }

    /// Symbols that get their values in the course of an execution.
    pub fn bound_symbols(&self) -> impl Iterator<Item = SymbolId> + '_ {
        self.bound_by.keys().chain(self.renamed.keys()).copied()
    }

    /// Whether a symbol gets its value in the course of an execution: it is no input.
    pub fn is_bound(&self, s: SymbolId) -> bool {
        self.bound_by.contains_key(&s) || self.renamed.contains_key(&s)
    }

    /// Nodes from the beginning of `node`'s stage down to it.
    pub fn path_to(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        while let Some(parent) = self.parent(path[path.len() - 1]) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// The trees that a thread of this name can have.
    pub fn trees_of_thread<'a>(&'a self, thread: &'a ThreadName) -> impl Iterator<Item = TreeId> + 'a {
        let trees = self.trees.iter().enumerate();
        trees.filter(move |(_, t)| t.key.thread == *thread).map(|(i, _)| TreeId(i as u32))
    }
}

/// `low <= address <= low + span`.
fn within(terms: &mut Terms, address: Term, low: u64, span: u64) -> Term {
    let low = terms.constant(64, low);
    let offset = terms.bin(BinOp::Sub, address, low);
    let span = terms.constant(64, span);
    terms.cmp(Pred::Ule, offset, span)
}

/// The key of the main thread's tree.
pub fn main_tree(start: FuncId) -> TreeKey {
    TreeKey { thread: ThreadName::main(), entry: start, argument: Some(0), context: 0 }
}
