//! Why one node comes before another: the literals along a path.

use super::graph::{Graph, Why};
use crate::faults::{Fault, active};
use crate::order::{Lit, Node};

/// Append the literals of a path from `from` to `to`, which must exist or be empty.
pub(super) fn path(graph: &Graph, from: Node, to: Node, lits: &mut Vec<Lit>) {
    let start = graph.place(from);
    let mut node = to;
    // Whenever the path arrives in the chain of `from` it is behind it, and the chain itself is made of facts.
    while node != from && graph.place(node).chain != start.chain {
        match graph.last_edge(from, node) {
            Some(edge) => {
                push(&edge.why, lits);
                node = edge.from;
            }
            None => return,
        }
    }
}

/// Append the literals of one edge.
pub(super) fn push(why: &Why, lits: &mut Vec<Lit>) {
    let order = if active(Fault::FromReadLacksOrder) { Lit::TRUE } else { why[1] };
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
