//! The graph of true edges, with reachability by clocks.
//!
//! A node's clock says, per chain, how many nodes of that chain come before it (itself included, in its own chain), so
//! whether one node comes before another is one comparison. A new edge raises the clocks of the nodes behind it, and only
//! of those that it tells something new. Everything is undone from a trail. An edge that would close a cycle is refused,
//! so the graph is acyclic at all times.
//!
//! Edges are numbered in the order in which they came, and go in the reverse order: whatever is explained with edges below
//! some number was true when there were only so many.

use crate::faults::{Fault, seeded};
use crate::order::{Lit, Node};

/// The literals that make an edge true, filled up with `Lit::TRUE`.
pub(super) type Why = [Lit; 3];

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: Node,
    pub to: Node,
    pub why: Why,
}

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
    Clock { slot: usize, value: u32 },
    Edge,
    Shortcut,
}

/// The edge would close a cycle.
pub(super) struct ClosesCycle;

#[derive(Default)]
pub(super) struct Graph {
    places: Vec<Place>,
    facts: Vec<Vec<Node>>,
    clock: Vec<u32>,
    /// The clocks as the facts alone would have them.
    clock_of_facts: Vec<u32>,
    edges: Vec<Edge>,
    /// By start, the edges that raised clocks,
    out: Vec<Vec<u32>>,
    /// and those that told nothing new. They make explanations shorter.
    shortcuts: Vec<Vec<u32>>,
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
        let (clock_of_facts, shortcuts) = (clock.clone(), out.clone());
        Graph { places, facts, clock, clock_of_facts, out, shortcuts, ..Graph::default() }
    }

    pub fn node_count(&self) -> usize {
        self.places.len()
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

    /// Does a path of facts alone lead from `a` to `b`?
    pub fn before_by_facts(&self, a: Node, b: Node) -> bool {
        let (from, to) = (self.place(a), self.place(b));
        a != b && self.clock_of_facts[to.row + from.chain as usize] > from.index
    }

    pub fn insert(&mut self, edge: Edge) -> Result<(), ClosesCycle> {
        let Edge { from, to, .. } = edge;
        let refuse = from == to || self.before(to, from);
        if refuse && !(seeded(Fault::ShortCycleMissed) && self.has_direct_edge(to, from)) {
            return Err(ClosesCycle);
        }
        if refuse || self.before_by_facts(from, to) {
            return Ok(());
        }
        let id = self.edges.len() as u32;
        self.edges.push(edge);
        if self.before(from, to) {
            self.shortcuts[from.0 as usize].push(id);
            self.undo.push(Undo::Shortcut);
            return Ok(());
        }
        self.out[from.0 as usize].push(id);
        self.undo.push(Undo::Edge);
        self.raise(from, to);
        self.work.push(to);
        if seeded(Fault::ClockNotPassedOn) {
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
                if self.raise(node, to) {
                    self.work.push(to);
                }
            }
            for k in 0..self.out[node.0 as usize].len() {
                let to = self.edges[self.out[node.0 as usize][k] as usize].to;
                if self.raise(node, to) {
                    self.work.push(to);
                }
            }
        }
    }

    /// Raise the clock of `to` by that of `from`. Did anything rise?
    fn raise(&mut self, from: Node, to: Node) -> bool {
        let (source, target) = (self.place(from), self.place(to));
        let before = self.undo.len();
        for lane in 0..source.width as usize {
            let slot = target.row + lane;
            let (new, old) = (self.clock[source.row + lane], self.clock[slot]);
            if new > old {
                self.undo.push(Undo::Clock { slot, value: old });
                self.clock[slot] = new;
                self.risen.push(Rise { node: to, chain: lane as u32, old, new });
            }
        }
        self.undo.len() > before
    }

    pub fn facts_from(&self, node: Node) -> &[Node] {
        &self.facts[node.0 as usize]
    }

    /// The edges from a node among the first `count`.
    pub fn edges_from(&self, node: Node, count: usize) -> impl Iterator<Item = &Edge> {
        let ids = self.out[node.0 as usize].iter().chain(&self.shortcuts[node.0 as usize]);
        ids.filter(move |&&id| (id as usize) < count).map(|&id| &self.edges[id as usize])
    }

    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All edges, facts included, as lists of successors.
    pub fn successors(&self) -> Vec<Vec<Node>> {
        let mut successors = self.facts.clone();
        if !seeded(Fault::PositionsOfFactsOnly) {
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
                Some(Undo::Clock { slot, value }) => {
                    if !seeded(Fault::ClocksNotUndone) {
                        self.clock[slot] = value;
                    }
                }
                Some(Undo::Edge) => self.remove_last(|graph| &mut graph.out),
                Some(Undo::Shortcut) => self.remove_last(|graph| &mut graph.shortcuts),
                None => break,
            }
        }
        self.risen.clear();
    }

    fn remove_last(&mut self, list: impl Fn(&mut Graph) -> &mut Vec<Vec<u32>>) {
        if seeded(Fault::EdgesNotUndone) {
            return;
        }
        if let Some(edge) = self.edges.pop() {
            list(self)[edge.from.0 as usize].pop();
        }
    }
}
