//! Which targets flow where: a graph of sets, and what is to be done when a set grows.

use crate::object::{OUTSIDE, ObjectId, Offset, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of targets: those of a register, or of a part of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node(pub u32);

/// What becomes of an address on its way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Along {
    Same,
    Plus(i64),
    /// It ends up somewhere in the same object.
    Any,
}

/// What is done with every target of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// What is there goes to the node.
    Load {
        to: Node,
        bytes: u32,
    },
    /// The node's goes there.
    Store {
        from: Node,
        bytes: u32,
    },
    /// All that is in the object goes to the node, and the other way round.
    LoadAll {
        to: Node,
    },
    StoreAll {
        from: Node,
    },
    /// It is called: the number of a call.
    Call(u32),
    /// Functions without a model can get at it.
    Escape,
}

/// More offsets in one object than this are any.
const MOST_OFFSETS: u16 = 24;
const WORD: u32 = 8;

/// The parts of an object.
#[derive(Default)]
struct Parts {
    words: FxHashMap<u32, Node>,
    /// What is anywhere in it.
    any: Option<Node>,
    /// All of the above.
    all: Option<Node>,
}

#[derive(Default)]
pub(crate) struct Solver {
    targets: Vec<FxHashSet<Target>>,
    edges: Vec<Vec<(Node, Along)>>,
    uses: Vec<Vec<Use>>,
    /// Targets that have arrived and were not passed on yet.
    fresh: Vec<Vec<Target>>,
    open: Vec<Node>,
    known_edges: FxHashSet<(Node, Node, Along)>,
    offsets: FxHashMap<(Node, ObjectId), u16>,
    parts: FxHashMap<ObjectId, Parts>,
    /// What is anywhere outside.
    outside: Option<Node>,
    /// Calls that lead to somewhere new.
    called: Vec<(u32, Target)>,
}

impl Solver {
    pub fn node(&mut self) -> Node {
        self.targets.push(FxHashSet::default());
        self.edges.push(Vec::new());
        self.uses.push(Vec::new());
        self.fresh.push(Vec::new());
        Node(self.targets.len() as u32 - 1)
    }

    pub fn targets(&self, node: Node) -> impl Iterator<Item = Target> + '_ {
        self.targets[node.0 as usize].iter().copied()
    }

    /// All that any part of an object may point to.
    pub fn contents(&self, object: ObjectId) -> impl Iterator<Item = Target> + '_ {
        let parts = self.parts.get(&object);
        let nodes = parts.into_iter().flat_map(|parts| parts.words.values().chain(&parts.any));
        nodes.flat_map(|&node| self.targets(node))
    }

    pub fn add(&mut self, node: Node, mut target: Target) {
        let any = Target { offset: Offset::ANY, ..target };
        let known = &mut self.targets[node.0 as usize];
        if known.contains(&target) || known.contains(&any) {
            return;
        }
        let offsets = self.offsets.entry((node, target.object)).or_default();
        *offsets += 1;
        if *offsets > MOST_OFFSETS {
            target = any;
        }
        known.insert(target);
        let fresh = &mut self.fresh[node.0 as usize];
        if fresh.is_empty() {
            self.open.push(node);
        }
        fresh.push(target);
    }

    pub fn edge(&mut self, from: Node, to: Node, along: Along) {
        if (from == to && along == Along::Same) || !self.known_edges.insert((from, to, along)) {
            return;
        }
        self.edges[from.0 as usize].push((to, along));
        for target in self.targets[from.0 as usize].iter().copied().collect::<Vec<_>>() {
            if self.leaves(from, target) {
                self.pass(target, to, along);
            }
        }
    }

    /// Whether a target goes on from a node. What has escaped is all one: whoever finds any of it finds the outside.
    fn leaves(&self, from: Node, target: Target) -> bool {
        target.object == OUTSIDE || self.outside != Some(from)
    }

    pub fn use_as(&mut self, node: Node, what: Use) {
        self.uses[node.0 as usize].push(what);
        for target in self.targets[node.0 as usize].iter().copied().collect::<Vec<_>>() {
            self.apply(target, what);
        }
    }

    fn pass(&mut self, target: Target, to: Node, along: Along) {
        let offset = match along {
            Along::Same => target.offset,
            Along::Plus(bytes) => target.offset.plus(bytes),
            Along::Any => Offset::ANY,
        };
        self.add(to, Target { offset, ..target });
    }

    /// Passes on what has arrived, until nothing does, or calls lead to somewhere new.
    pub fn run(&mut self) -> Vec<(u32, Target)> {
        while let Some(node) = self.open.pop() {
            let fresh = std::mem::take(&mut self.fresh[node.0 as usize]);
            for target in fresh {
                // Uses may add edges, also to this node's.
                let edges = if self.leaves(node, target) { self.edges[node.0 as usize].len() } else { 0 };
                for nth in 0..edges {
                    let (to, along) = self.edges[node.0 as usize][nth];
                    self.pass(target, to, along);
                }
                for nth in 0..self.uses[node.0 as usize].len() {
                    self.apply(target, self.uses[node.0 as usize][nth]);
                }
            }
        }
        std::mem::take(&mut self.called)
    }

    fn apply(&mut self, target: Target, what: Use) {
        match what {
            Use::Load { to, bytes } => self.load(target, to, bytes),
            Use::Store { from, bytes } => self.store(target, from, bytes),
            Use::LoadAll { to } => {
                let all = self.all(target.object);
                self.edge(all, to, Along::Any);
            }
            Use::StoreAll { from } => {
                let any = self.any(target.object);
                self.edge(from, any, Along::Any);
            }
            Use::Call(call) => self.called.push((call, target)),
            Use::Escape => self.escape(target.object),
        }
    }

    fn load(&mut self, target: Target, to: Node, bytes: u32) {
        let Some(words) = words(target.offset, bytes) else {
            let all = self.all(target.object);
            self.edge(all, to, Along::Any);
            return;
        };
        let whole = is_whole(target.offset, bytes);
        for word in words {
            let from = self.word(target.object, word);
            self.edge(from, to, if whole { Along::Same } else { Along::Any });
        }
        let any = self.any(target.object);
        self.edge(any, to, Along::Any);
    }

    fn store(&mut self, target: Target, from: Node, bytes: u32) {
        let Some(words) = words(target.offset, bytes) else {
            let any = self.any(target.object);
            self.edge(from, any, Along::Any);
            return;
        };
        let whole = is_whole(target.offset, bytes);
        for word in words {
            let to = self.word(target.object, word);
            self.edge(from, to, if whole { Along::Same } else { Along::Any });
        }
    }

    /// Whoever is outside may read all of an object, and put there what is outside.
    fn escape(&mut self, object: ObjectId) {
        if object == OUTSIDE {
            return;
        }
        let (outside, all, any) = (self.any(OUTSIDE), self.all(object), self.any(object));
        self.edge(all, outside, Along::Any);
        self.edge(outside, any, Along::Any);
    }

    pub fn word(&mut self, object: ObjectId, word: u32) -> Node {
        if let Some(&node) = self.parts.entry(object).or_default().words.get(&word) {
            return node;
        }
        let (node, all) = (self.node(), self.all(object));
        self.edge(node, all, Along::Same);
        self.parts.entry(object).or_default().words.insert(word, node);
        node
    }

    pub fn any(&mut self, object: ObjectId) -> Node {
        if let Some(node) = self.parts.entry(object).or_default().any {
            return node;
        }
        let node = self.node();
        self.parts.entry(object).or_default().any = Some(node);
        if object == OUTSIDE {
            self.outside = Some(node);
        }
        let all = self.all(object);
        self.edge(node, all, Along::Same);
        node
    }

    pub fn all(&mut self, object: ObjectId) -> Node {
        if let Some(node) = self.parts.entry(object).or_default().all {
            return node;
        }
        let node = self.node();
        self.parts.entry(object).or_default().all = Some(node);
        node
    }
}

/// The words that an access of so many bytes touches, if it is known where it is.
fn words(offset: Offset, bytes: u32) -> Option<std::ops::RangeInclusive<u32>> {
    let first = offset.bytes()?;
    Some(first / WORD..=(first + bytes.max(1) - 1) / WORD)
}

/// Whether an access is one of a whole word, so that an address in it stays what it is.
fn is_whole(offset: Offset, bytes: u32) -> bool {
    bytes == WORD && offset.bytes().is_some_and(|first| first.is_multiple_of(WORD))
}
