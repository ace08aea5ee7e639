//! The graph of true edges, with reachability by clocks.
//!
//! A node's clock says, per chain, how many nodes of that chain come before it (itself included, in its own chain), so
//! whether one node comes before another is one comparison. A new edge raises the clocks of the nodes behind it, and only
//! of those that it tells something new. Everything is undone from a trail. An edge that would close a cycle is refused,
//! so the graph is acyclic at all times.

use crate::faults::{Fault, active};
use crate::order::{Lit, Node};

/// The literals that make an edge true, filled up with `Lit::TRUE`.
pub(super) type Why = [Lit; 3];

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: Node,
    pub to: Node,
    pub why: Why,
}

/// Marks a clock value that the facts alone account for.
const FACTS: u32 = u32::MAX;

/// Where a node is: which of the chains of its component, where in that chain, and where its clock is.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Place {
    pub chain: u32,
    pub index: u32,
    pub row: usize,
    pub width: u32,
}

/// The clock of `node` rose in the lane of `chain`: the nodes of that chain at `old..new` now come before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rise {
    pub node: Node,
    pub chain: u32,
    pub old: u32,
    pub new: u32,
}

enum Undo {
    Clock { slot: usize, value: u32, cause: u32 },
    Edge,
}

/// The edge would close a cycle.
pub(super) struct ClosesCycle;

#[derive(Default)]
pub(super) struct Graph {
    places: Vec<Place>,
    facts: Vec<Vec<Node>>,
    clock: Vec<u32>,
    /// For every clock value the edge that brought it, or `FACTS`.
    cause: Vec<u32>,
    edges: Vec<Edge>,
    out: Vec<Vec<u32>>,
    undo: Vec<Undo>,
    work: Vec<Node>,
    /// What rose since somebody last took an interest; not undone.
    pub risen: Vec<Rise>,
}

impl Graph {
    /// `order` must ascend along the facts.
    pub fn new(places: Vec<Place>, facts: Vec<Vec<Node>>, order: &[Node]) -> Graph {
        let slots = places.last().map_or(0, |place| place.row + place.width as usize);
        let mut clock = vec![0; slots];
        for place in &places {
            clock[place.row + place.chain as usize] = place.index + 1;
        }
        for &from in order {
            for to in &facts[from.0 as usize] {
                let (from, to) = (places[from.0 as usize], places[to.0 as usize]);
                for lane in 0..from.width as usize {
                    clock[to.row + lane] = clock[to.row + lane].max(clock[from.row + lane]);
                }
            }
        }
        let out = vec![Vec::new(); places.len()];
        Graph { cause: vec![FACTS; slots], places, facts, clock, out, ..Graph::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn place(&self, node: Node) -> Place {
        self.places[node.0 as usize]
    }

    /// Does an edge, or a path of edges, lead from `a` to `b`? Both must be nodes that a possible edge connects.
    pub fn before(&self, a: Node, b: Node) -> bool {
        let (from, to) = (self.place(a), self.place(b));
        debug_assert_eq!(from.width, to.width);
        a != b && self.clock[to.row + from.chain as usize] > from.index
    }

    pub fn insert(&mut self, edge: Edge) -> Result<(), ClosesCycle> {
        let Edge { from, to, .. } = edge;
        let refuse = from == to || self.before(to, from);
        if refuse && !(active(Fault::ShortCycleMissed) && self.has_direct_edge(to, from)) {
            return Err(ClosesCycle);
        }
        if self.before(from, to) || refuse {
            return Ok(());
        }
        let id = self.edges.len() as u32;
        self.edges.push(edge);
        self.out[from.0 as usize].push(id);
        self.undo.push(Undo::Edge);
        if self.raise(from, to, Some(id)) {
            self.work.push(to);
        }
        if active(Fault::ClockNotPassedOn) {
            self.work.clear();
        }
        self.pass_on();
        Ok(())
    }

    fn has_direct_edge(&self, from: Node, to: Node) -> bool {
        self.facts[from.0 as usize].contains(&to)
            || self.out[from.0 as usize].iter().any(|&id| self.edges[id as usize].to == to)
    }

    /// Let every node behind a risen one know.
    fn pass_on(&mut self) {
        while let Some(node) = self.work.pop() {
            for k in 0..self.facts[node.0 as usize].len() {
                let to = self.facts[node.0 as usize][k];
                if self.raise(node, to, None) {
                    self.work.push(to);
                }
            }
            for k in 0..self.out[node.0 as usize].len() {
                let id = self.out[node.0 as usize][k];
                let to = self.edges[id as usize].to;
                if self.raise(node, to, Some(id)) {
                    self.work.push(to);
                }
            }
        }
    }

    /// Raise the clock of `to` by that of `from`, along an edge or (`None`) a fact. A fact hands on the cause, so that
    /// an explanation steps from edge to edge and over all facts between them. Did anything rise?
    fn raise(&mut self, from: Node, to: Node, edge: Option<u32>) -> bool {
        let (source, target) = (self.place(from), self.place(to));
        let mut rose = false;
        for lane in 0..source.width as usize {
            let slot = target.row + lane;
            let (new, old) = (self.clock[source.row + lane], self.clock[slot]);
            if new > old {
                self.undo.push(Undo::Clock { slot, value: old, cause: self.cause[slot] });
                self.clock[slot] = new;
                self.cause[slot] = edge.unwrap_or(self.cause[source.row + lane]);
                self.risen.push(Rise { node: to, chain: lane as u32, old, new });
                rose = true;
            }
        }
        rose
    }

    /// The last edge on a path from `a` to `b` that is not a fact; `None` if there is a path of facts only.
    /// `a` must come before `b`.
    pub fn last_edge(&self, a: Node, b: Node) -> Option<&Edge> {
        debug_assert!(self.before(a, b));
        let cause = self.cause[self.place(b).row + self.place(a).chain as usize];
        (cause != FACTS).then(|| &self.edges[cause as usize])
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// All edges, facts included, as lists of successors.
    pub fn successors(&self) -> Vec<Vec<Node>> {
        let mut successors = self.facts.clone();
        if !active(Fault::PositionsOfFactsOnly) {
            for edge in &self.edges {
                successors[edge.from.0 as usize].push(edge.to);
            }
        }
        successors
    }

    pub fn savepoint(&self) -> usize {
        self.undo.len()
    }

    pub fn undo_to(&mut self, savepoint: usize) {
        while self.undo.len() > savepoint {
            match self.undo.pop() {
                Some(Undo::Clock { slot, value, cause }) => {
                    if !active(Fault::ClocksNotUndone) {
                        self.clock[slot] = value;
                    }
                    self.cause[slot] = cause;
                }
                Some(Undo::Edge) => {
                    if !active(Fault::EdgesNotUndone)
                        && let Some(edge) = self.edges.pop()
                    {
                        self.out[edge.from.0 as usize].pop();
                    }
                }
                None => break,
            }
        }
        self.risen.clear();
    }
}
