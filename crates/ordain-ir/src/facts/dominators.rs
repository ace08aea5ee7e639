//! Dominators and postdominators, by iterating to the fixed point over reverse postorder.

use crate::program::BlockId;

/// For every block the closest other block that all paths from the entry (block 0) to it go through.
pub(super) fn immediate_dominators(successors: &[Vec<BlockId>], predecessors: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    if successors.is_empty() {
        return Vec::new();
    }
    let graph = Graph { forward: indices(successors), backward: indices(predecessors), root: 0 };
    graph.immediate_dominators().into_iter().map(|d| d.map(|d| BlockId(d as u32))).collect()
}

/// The same on the reversed graph, from a virtual exit that follows every block that returns. Blocks that can only end in
/// a call that does not come back are no part of it. Those that never get to any end have an edge to the virtual exit too:
/// what comes after an endless loop is no meeting point.
pub(super) fn immediate_postdominators(
    successors: &[Vec<BlockId>],
    predecessors: &[Vec<BlockId>],
    returns: &[bool],
) -> Vec<Option<BlockId>> {
    let exit = successors.len();
    let (mut forward, mut backward) = (indices(predecessors), indices(successors));
    forward.push((0..exit).filter(|&b| backward[b].is_empty()).collect());
    let ends = reachable(&forward, exit);
    forward[exit].retain(|&b| returns[b]);
    forward[exit].extend((0..exit).filter(|&b| !ends[b]));
    for &b in &forward[exit] {
        backward[b].push(exit);
    }
    backward.push(Vec::new());
    let mut result = Graph { forward, backward, root: exit }.immediate_dominators();
    result.pop();
    result.into_iter().map(|d| d.filter(|&d| d != exit).map(|d| BlockId(d as u32))).collect()
}

fn indices(edges: &[Vec<BlockId>]) -> Vec<Vec<usize>> {
    edges.iter().map(|to| to.iter().map(|b| b.index()).collect()).collect()
}

fn reachable(forward: &[Vec<usize>], root: usize) -> Vec<bool> {
    let mut seen = vec![false; forward.len()];
    let mut work = vec![root];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            work.extend(&forward[node]);
        }
    }
    seen
}

struct Graph {
    forward: Vec<Vec<usize>>,
    backward: Vec<Vec<usize>>,
    root: usize,
}

impl Graph {
    fn postorder(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.forward.len()];
        seen[self.root] = true;
        let mut path = vec![(self.root, 0)];
        while let Some((node, next)) = path.last_mut() {
            match self.forward[*node].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        path.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
        order
    }

    fn immediate_dominators(&self) -> Vec<Option<usize>> {
        let order = self.postorder();
        let mut number = vec![usize::MAX; self.forward.len()];
        for (i, &node) in order.iter().enumerate() {
            number[node] = i;
        }
        let mut idom: Vec<Option<usize>> = vec![None; self.forward.len()];
        idom[self.root] = Some(self.root);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().filter(|&&n| n != self.root) {
                let known = self.backward[node].iter().copied().filter(|&p| idom[p].is_some());
                let new = known.reduce(|a, b| meet(&idom, &number, a, b));
                if new != idom[node] {
                    idom[node] = new;
                    changed = true;
                }
            }
        }
        idom[self.root] = None;
        idom
    }
}

/// The closest common ancestor in the tree of dominators so far.
fn meet(idom: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let low = if number[a] < number[b] { &mut a } else { &mut b };
        *low = idom[*low].expect("a processed node has a dominator");
    }
    a
}
