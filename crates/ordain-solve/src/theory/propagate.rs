//! Literals that the order decides: an edge that would close a cycle cannot be true.
//!
//! Every possible edge waits at the node where it starts, sorted by where it leads; when that node's clock rises over the
//! place where it leads, the edge is impossible. Hits wait likewise at the cell's node for the overwriting write.

use std::collections::VecDeque;

use super::graph::{Graph, Rise};
use crate::order::{CellId, Lit, Node, WriteId};

#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    /// The literal's edge leads from the node where it waits to the one that it waits for.
    Edge(Lit),
    /// If the literal is true, the write may overwrite the cell.
    Hit(Lit, WriteId, CellId),
}

/// `waiting` is to be looked at when `target` comes before `node`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    pub node: Node,
    pub target: Node,
    pub waiting: Waiting,
}

struct Placed {
    chain: u32,
    index: u32,
    watch: Watch,
}

/// All watches, by node, chain and place in the chain.
#[derive(Default)]
pub(super) struct Watches {
    placed: Vec<Placed>,
    start: Vec<usize>,
}

impl Watches {
    pub fn new(graph: &Graph, nodes: usize, watches: impl Iterator<Item = Watch>) -> Watches {
        let mut placed: Vec<Placed> = watches
            .map(|watch| {
                let target = graph.place(watch.target);
                Placed { chain: target.chain, index: target.index, watch }
            })
            .collect();
        placed.sort_by_key(|p| (p.watch.node, p.chain, p.index));
        let mut start = vec![0; nodes + 1];
        for p in &placed {
            start[p.watch.node.0 as usize + 1] += 1;
        }
        for node in 0..nodes {
            start[node + 1] += start[node];
        }
        Watches { placed, start }
    }

    /// The watches whose targets have come before their node by this rise.
    pub fn woken(&self, rise: Rise) -> impl Iterator<Item = Watch> {
        let node = rise.node.0 as usize;
        let here = &self.placed[self.start[node]..self.start[node + 1]];
        let from = here.partition_point(|p| (p.chain, p.index) < (rise.chain, rise.old));
        let to = here.partition_point(|p| (p.chain, p.index) < (rise.chain, rise.new));
        here[from..to].iter().map(|p| p.watch)
    }

    pub fn all(&self) -> impl Iterator<Item = Watch> {
        self.placed.iter().map(|p| p.watch)
    }
}

/// `lit` is true as long as `from` comes before `to` (or is the same) and the other literals are true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Implied {
    pub lit: Lit,
    pub from: Node,
    pub to: Node,
    pub others: [Lit; 2],
}

/// Implied literals that the solver has not heard of. Backtracking leaves them alone: whether they still hold is checked
/// when they are taken.
pub(super) type Queue = VecDeque<Implied>;
