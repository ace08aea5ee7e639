//! Where paths of one thread meet again.
//!
//! Two paths that come to the same place of the program in the same state go on in the same way, so what comes after is
//! in the forest once: both lead on to one node, a *meeting*. Without meetings the forest has one tree per thread. With
//! them a thread has a graph of trees, its *stages*: from the root, and from every meeting, a tree grows down to the
//! next meetings. There is no way from a meeting back to itself.
//!
//! The states need not be quite the same: where they differ only in which symbols they have, these get new names, and each
//! way says what the new symbols stand for if the thread comes by it.

use crate::event::EventId;
use crate::forest::{Entry, Forest, NodeEnd, NodeId, Position, TreeId};
use ordain_expr::op::Width;
use ordain_expr::{SymbolId, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// What is known of a place where paths meet.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// What leads here.
    pub ways: Vec<Way>,
    /// Symbols that stand for others from here on.
    pub symbols: Vec<SymbolId>,
    /// All nodes from which some way leads here.
    before: NodeSet,
    /// If the last thing that every path has done is to take a mutex: that event.
    pub locked: Option<EventId>,
}

#[derive(Clone, Debug)]
pub struct Way {
    /// The node that ends by going on to the meeting.
    pub from: NodeId,
    /// What each of the meeting's symbols stands for.
    pub given: Vec<SymbolId>,
    pub at_once: AtOnce,
}

/// Whether the last thing that a path has done is an event: then nothing that is a point lies between it and the meeting, and
/// what follows the meeting up to the next point belongs to the same step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtOnce {
    Yes,
    No,
    /// There was nothing since the meeting before: as with that.
    AsAt(NodeId),
}

/// A set of nodes.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct NodeSet(Vec<u64>);

impl NodeSet {
    pub fn insert(&mut self, n: NodeId) {
        let word = n.0 as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (n.0 % 64);
    }

    pub fn contains(&self, n: NodeId) -> bool {
        self.0.get(n.0 as usize / 64).is_some_and(|word| word >> (n.0 % 64) & 1 == 1)
    }

    pub fn union(&mut self, other: &NodeSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub fn intersect(&mut self, other: &NodeSet) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }
}

/// The number of the step that a path is in at a meeting.
pub fn first_step(meeting: NodeId) -> u64 {
    (u64::from(meeting.0) + 1) << 32
}

impl Forest {
    pub fn meeting(&self, n: NodeId) -> Option<&Meeting> {
        match &self.node(n).entry {
            Entry::Meeting(meeting) => Some(meeting),
            _ => None,
        }
    }

    /// A new meeting, to which nothing leads yet, with as many symbols of these widths.
    pub fn add_meeting(
        &mut self,
        tree: TreeId,
        locked: Option<EventId>,
        widths: impl Iterator<Item = Width>,
    ) -> NodeId {
        let symbols: Vec<Term> = widths.map(|width| self.terms.symbol(width)).collect();
        let symbols: Vec<SymbolId> = symbols.iter().filter_map(|&t| self.terms.symbol_id(t)).collect();
        let meeting = Meeting { ways: Vec::new(), symbols: symbols.clone(), before: NodeSet::default(), locked };
        let here = self.add_entered(tree, Entry::Meeting(meeting));
        self.renamed.extend(symbols.into_iter().enumerate().map(|(i, s)| (s, (here, i))));
        here
    }

    /// The path of a node ends by going on to a meeting. There must be no way from the meeting to it.
    pub fn lead_to(&mut self, way: Way, to: NodeId) {
        let from = way.from;
        debug_assert!(!self.reaches(to, from), "a way round");
        self.node_mut(from).end = NodeEnd::Onward(to);
        let mut new = self.before_stage(from);
        self.path_to(from).into_iter().for_each(|n| new.insert(n));
        let meetings = std::mem::take(&mut self.meetings);
        for &m in &meetings {
            if m == to || self.reaches(to, m) {
                self.meeting_mut(m).before.union(&new);
            }
        }
        self.meetings = meetings;
        self.meeting_mut(to).ways.push(way);
    }

    /// What a symbol can stand for, if it got its name at a meeting.
    pub fn stands_for(&self, symbol: SymbolId) -> Option<impl Iterator<Item = (NodeId, SymbolId)> + '_> {
        let &(n, i) = self.renamed.get(&symbol)?;
        Some(self.meeting(n)?.ways.iter().map(move |way| (way.from, way.given[i])))
    }

    /// The symbols that one can stand for, by whatever meetings; of one that got its name elsewhere, itself.
    pub fn origins(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let (mut origins, mut seen) = (Vec::new(), FxHashSet::default());
        let mut todo = vec![symbol];
        while let Some(symbol) = todo.pop() {
            match self.stands_for(symbol) {
                _ if !seen.insert(symbol) => {}
                Some(given) => todo.extend(given.map(|(_, given)| given)),
                None => origins.push(symbol),
            }
        }
        origins
    }

    /// The events that a symbol can get its value by on the way to `later`.
    pub fn bound_before(&self, symbol: SymbolId, later: EventId) -> Vec<EventId> {
        let events = self.origins(symbol).into_iter().filter_map(|s| self.bound_by.get(&s)).flatten().copied();
        events.filter(|&e| e == later || self.program_order(e, later)).collect()
    }

    fn meeting_mut(&mut self, n: NodeId) -> &mut Meeting {
        match &mut self.node_mut(n).entry {
            Entry::Meeting(meeting) => meeting,
            _ => unreachable!("only meetings are led to"),
        }
    }

    /// Where the stage of a node begins: a root, or a meeting.
    pub fn stage(&self, n: NodeId) -> NodeId {
        self.node(n).stage
    }

    /// All nodes from which a way leads to the stage of `n`, without those in it.
    fn before_stage(&self, n: NodeId) -> NodeSet {
        self.meeting(self.stage(n)).map(|m| m.before.clone()).unwrap_or_default()
    }

    /// Whether some path goes through `first` and then comes to `then`, or both are the same.
    pub fn reaches(&self, first: NodeId, then: NodeId) -> bool {
        let stage = self.stage(then);
        match self.stage(first) == stage {
            true => self.is_above(first, then),
            false => self.meeting(stage).is_some_and(|m| m.before.contains(first)),
        }
    }

    /// Which of two positions on one path comes first.
    pub fn order_on_path(&self, a: Position, b: Position) -> Ordering {
        match a.node == b.node {
            true => a.index.cmp(&b.index),
            false if self.reaches(a.node, b.node) => Ordering::Less,
            false => Ordering::Greater,
        }
    }

    /// The events one of which is the last before a node is entered, as far as there is one.
    pub fn last_before(&self, n: NodeId) -> Vec<EventId> {
        let (mut last, mut seen) = (Vec::new(), FxHashSet::default());
        let mut todo: Vec<NodeId> = self.parent(n).into_iter().collect();
        todo.extend(self.meeting(n).into_iter().flat_map(|m| &m.ways).map(|way| way.from));
        while let Some(n) = todo.pop() {
            match self.node(n).events.last() {
                _ if !seen.insert(n) => {}
                Some(&e) => last.push(e),
                None => {
                    todo.extend(self.parent(n));
                    todo.extend(self.meeting(n).into_iter().flat_map(|m| &m.ways).map(|way| way.from));
                }
            }
        }
        last
    }

    /// The nodes of a tree, each after all that lead to it.
    pub fn in_order(&self, tree: TreeId) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut awaited: FxHashMap<NodeId, usize> = FxHashMap::default();
        let mut next = vec![self.tree(tree).root];
        while let Some(n) = next.pop() {
            order.push(n);
            match &self.node(n).end {
                NodeEnd::Decision(d) => next.extend(d.children.iter().map(|&(_, child)| child)),
                NodeEnd::Onward(to) => {
                    let missing = awaited.entry(*to).or_insert_with(|| self.meeting(*to).map_or(0, |m| m.ways.len()));
                    *missing -= 1;
                    if *missing == 0 {
                        next.push(*to);
                    }
                }
                _ => {}
            }
        }
        order
    }
}

/// For every stage, the nodes that each path to it goes through.
pub struct Inevitable(FxHashMap<NodeId, NodeSet>);

impl Inevitable {
    pub fn new(forest: &Forest) -> Inevitable {
        let mut this = Inevitable(FxHashMap::default());
        for n in forest.tree_ids().flat_map(|tree| forest.in_order(tree)) {
            let Some(meeting) = forest.meeting(n) else { continue };
            let on_all = meeting.ways.iter().map(|way| this.on_the_way(forest, way.from));
            let on_all = on_all.reduce(|mut all, way| {
                all.intersect(&way);
                all
            });
            this.0.insert(n, on_all.unwrap_or_default());
        }
        this
    }

    /// The nodes that every path to the end of `n` goes through.
    fn on_the_way(&self, forest: &Forest, n: NodeId) -> NodeSet {
        let mut nodes = self.0.get(&forest.stage(n)).cloned().unwrap_or_default();
        forest.path_to(n).into_iter().for_each(|n| nodes.insert(n));
        nodes
    }

    /// Whether every path that comes to `n` goes through `first`.
    pub fn comes_before(&self, forest: &Forest, first: NodeId, n: NodeId) -> bool {
        match forest.stage(first) == forest.stage(n) {
            true => forest.is_above(first, n),
            false => self.0.get(&forest.stage(n)).is_some_and(|nodes| nodes.contains(first)),
        }
    }
}
