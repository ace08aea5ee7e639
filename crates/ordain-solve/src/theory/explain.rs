//! Why one node comes before another: the literals along a path with as few edges as possible.
//!
//! Short explanations are what the solver learns from, so this is worth a search; it is made only when the solver asks.

use std::collections::VecDeque;

use super::graph::{Graph, Why};
use crate::faults::{Fault, seeded};
use crate::order::{Lit, Node};

const FACT: Why = [Lit::TRUE; 3];

/// The search, with its memory.
#[derive(Default)]
pub(super) struct Paths {
    /// By node: in which search it was last reached, and from where, by which literals.
    reached: Vec<(u32, Node, Why)>,
    search: u32,
    queue: VecDeque<(Node, Node, Why)>,
}

impl Paths {
    /// Append the literals of a path from `from` to `to` along the first `count` edges. Such a path must exist; it is
    /// empty if the nodes are the same.
    pub fn explain(&mut self, graph: &Graph, (from, to): (Node, Node), count: usize, lits: &mut Vec<Lit>) {
        let mut node = self.search(graph, (from, to), count);
        while node != from {
            let (_, previous, why) = self.reached[node.0 as usize];
            push(&why, lits);
            node = previous;
        }
    }

    /// The node from which facts lead on to `to`, after the fewest edges. Facts cost nothing and go to the front.
    fn search(&mut self, graph: &Graph, (from, to): (Node, Node), count: usize) -> Node {
        self.search += 1;
        self.reached.resize(graph.node_count(), (0, from, FACT));
        self.queue.clear();
        self.queue.push_back((from, from, FACT));
        while let Some((node, previous, why)) = self.queue.pop_front() {
            if self.reached[node.0 as usize].0 == self.search {
                continue;
            }
            self.reached[node.0 as usize] = (self.search, previous, why);
            if node == to || graph.before_by_facts(node, to) {
                return node;
            }
            // Edges that came later may make this true of more nodes, never of fewer.
            let leads_on = |next: Node| next == to || graph.before(next, to);
            let facts = graph.facts_from(node).iter().copied().filter(|&next| leads_on(next));
            for next in facts {
                self.queue.push_front((next, node, FACT));
            }
            for edge in graph.edges_from(node, count).filter(|edge| leads_on(edge.to)) {
                self.queue.push_back((edge.to, node, edge.why));
            }
        }
        unreachable!("nothing explains why {from:?} comes before {to:?}")
    }
}

/// Append the literals of one edge.
pub(super) fn push(why: &Why, lits: &mut Vec<Lit>) {
    let order = if seeded(Fault::FromReadLacksOrder) { Lit::TRUE } else { why[1] };
    lits.extend([why[0], order, why[2]].iter().filter(|&&lit| lit != Lit::TRUE));
}

/// A clause that says: not all of these.
pub(super) fn not_all(mut lits: Vec<Lit>) -> Vec<Lit> {
    lits.sort_unstable();
    lits.dedup();
    for lit in &mut lits {
        *lit = !*lit;
    }
    lits
}
