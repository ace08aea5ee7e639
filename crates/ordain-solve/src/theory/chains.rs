//! Laying out the graph: which nodes can ever meet, and a cover of them by chains.
//!
//! A chain is a path of facts; under sequential consistency the events of a thread are one. A node's clock has one lane
//! per chain, so fewer chains make faster clocks. Nodes that no possible edge connects, however indirectly (the
//! coherence orders of different locations, above all), need no lanes for each other.

use super::graph::{Graph, Place};
use crate::order::Node;

/// The facts contradict each other: they contain a cycle.
#[derive(Debug)]
pub(super) struct Cyclic;

/// A graph that holds the facts and has room for the possible edges.
pub(super) fn lay_out(
    nodes: usize,
    facts: &[(Node, Node)],
    possible: impl Iterator<Item = (Node, Node)>,
) -> Result<Graph, Cyclic> {
    let mut out: Vec<Vec<Node>> = vec![Vec::new(); nodes];
    for &(from, to) in facts {
        out[from.0 as usize].push(to);
    }
    let order = topological(&out).ok_or(Cyclic)?;
    let component = components(nodes, facts.iter().copied().chain(possible));
    let places = cover(&out, &order, &component);
    Ok(Graph::new(places, out, &order))
}

/// An order in which every edge ascends; `None` if there is none.
pub(super) fn topological(out: &[Vec<Node>]) -> Option<Vec<Node>> {
    let mut incoming = vec![0u32; out.len()];
    for to in out.iter().flatten() {
        incoming[to.0 as usize] += 1;
    }
    let mut ready: Vec<Node> = (0..out.len() as u32).rev().map(Node).filter(|n| incoming[n.0 as usize] == 0).collect();
    let mut order = Vec::with_capacity(out.len());
    // Last in, first out: the order follows a chain as far as it can before it turns to another.
    while let Some(node) = ready.pop() {
        order.push(node);
        for &to in out[node.0 as usize].iter().rev() {
            incoming[to.0 as usize] -= 1;
            if incoming[to.0 as usize] == 0 {
                ready.push(to);
            }
        }
    }
    (order.len() == out.len()).then_some(order)
}

/// A representative for every node; nodes with the same one may come to be connected.
fn components(nodes: usize, edges: impl Iterator<Item = (Node, Node)>) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..nodes as u32).collect();
    fn find(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            parent[node as usize] = parent[parent[node as usize] as usize];
            node = parent[node as usize];
        }
        node
    }
    for (a, b) in edges {
        let (a, b) = (find(&mut parent, a.0), find(&mut parent, b.0));
        parent[a as usize] = b;
    }
    (0..nodes as u32).map(|node| find(&mut parent, node)).collect()
}

/// Greedy chain cover: a node continues the chain of a predecessor that is still at its chain's end.
fn cover(out: &[Vec<Node>], order: &[Node], component: &[u32]) -> Vec<Place> {
    let nodes = out.len();
    let mut width = vec![0u32; nodes];
    let mut places = vec![Place::default(); nodes];
    let mut continued = vec![None; nodes];
    let mut is_end = vec![true; nodes];
    for &node in order {
        let place = match continued[node.0 as usize] {
            Some(Place { chain, index, .. }) => Place { chain, index: index + 1, ..Place::default() },
            None => {
                let lanes = &mut width[component[node.0 as usize] as usize];
                *lanes += 1;
                Place { chain: *lanes - 1, ..Place::default() }
            }
        };
        places[node.0 as usize] = place;
        for &to in &out[node.0 as usize] {
            if is_end[node.0 as usize] && continued[to.0 as usize].is_none() {
                continued[to.0 as usize] = Some(place);
                is_end[node.0 as usize] = false;
            }
        }
    }
    let mut row = 0;
    for (place, &component) in places.iter_mut().zip(component) {
        place.row = row;
        place.width = width[component as usize];
        row += place.width as usize;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_are_two_chains() {
        let facts = [(0, 1), (1, 2), (3, 4), (0, 3)].map(|(a, b)| (Node(a), Node(b)));
        let graph = lay_out(6, &facts, std::iter::empty()).expect("acyclic");
        assert_eq!(graph.place(Node(2)).width, 2);
        assert_eq!(graph.place(Node(5)).width, 1);
        assert!(graph.before(Node(0), Node(4)));
        assert!(!graph.before(Node(1), Node(4)));
        assert!(!graph.before(Node(4), Node(0)));
    }

    #[test]
    fn a_cycle_of_facts_is_refused() {
        let facts = [(0, 1), (1, 0)].map(|(a, b)| (Node(a), Node(b)));
        assert!(lay_out(2, &facts, std::iter::empty()).is_err());
    }
}
