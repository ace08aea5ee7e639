//! Problems of every size, as exploration and prediction pose them.

use ordain_solve::order::{Access, Answer, CellId, Lit, Node, OrderSolver, WriteId};

/// A problem of some number of events, with the answer that it must have.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub family: Family,
    pub events: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Threads increment a counter under a lock. Can two increments see the same value?
    Locked,
    /// The same without the lock.
    Unlocked,
    /// A run of many threads over many locations, in which each read may see some other writes as well. Can two accesses
    /// that were far apart come the other way round?
    Trace,
    /// The same, asked for what contradicts the order of a third thread's accesses.
    TraceCycle,
}

impl Family {
    pub const ALL: [Family; 4] = [Family::Locked, Family::Unlocked, Family::Trace, Family::TraceCycle];

    pub fn answer(self) -> Answer {
        match self {
            Family::Locked | Family::TraceCycle => Answer::Unsat,
            Family::Unlocked | Family::Trace => Answer::Sat,
        }
    }
}

/// States the problem; the literals to assume.
pub fn state(solver: &mut impl OrderSolver, shape: Shape) -> Vec<Lit> {
    match shape.family {
        Family::Locked => counters(solver, shape.events, true),
        Family::Unlocked => counters(solver, shape.events, false),
        Family::Trace => trace(solver, shape.events, false),
        Family::TraceCycle => trace(solver, shape.events, true),
    }
}

struct Increment {
    thread: usize,
    first: Node,
    last: Node,
    write: WriteId,
    cell: CellId,
}

const THREADS: usize = 4;
/// Increments of one counter; larger problems have more counters.
const PER_COUNTER: usize = 16;

/// Four events per increment: lock, read, write, unlock.
fn counters(solver: &mut impl OrderSolver, events: usize, locked: bool) -> Vec<Lit> {
    let mut last: [Option<Node>; THREADS] = [None; THREADS];
    let mut goal = Vec::new();
    for _ in 0..(events / (4 * PER_COUNTER)).max(1) {
        let all: Vec<Increment> = (0..PER_COUNTER).map(|k| increment(solver, k % THREADS, &mut last)).collect();
        goal = one_counter(solver, &all, locked);
    }
    goal
}

fn increment(solver: &mut impl OrderSolver, thread: usize, last: &mut [Option<Node>]) -> Increment {
    let nodes = [0; 4].map(|_| solver.new_node());
    if let Some(before) = last[thread] {
        solver.add_edge(Lit::TRUE, before, nodes[0]);
    }
    nodes.windows(2).for_each(|pair| solver.add_edge(Lit::TRUE, pair[0], pair[1]));
    last[thread] = Some(nodes[3]);
    let cell = solver.new_cell(Access { global: nodes[1], coherence: None });
    let write = solver.new_write(Access { global: nodes[2], coherence: None });
    Increment { thread, first: nodes[0], last: nodes[3], write, cell }
}

/// Which write each increment sees. Those of the first in each thread may see what was there before, a write of its own.
fn one_counter(solver: &mut impl OrderSolver, all: &[Increment], locked: bool) -> Vec<Lit> {
    let origin = solver.new_node();
    let initial = solver.new_write(Access { global: origin, coherence: None });
    for (k, second) in all.iter().enumerate() {
        solver.add_write_order(Lit::TRUE, initial, second.write);
        for first in &all[..k] {
            let order = if first.thread == second.thread { Lit::TRUE } else { solver.new_lit() };
            solver.add_write_order(order, first.write, second.write);
            if order != Lit::TRUE {
                solver.add_write_order(!order, second.write, first.write);
            }
            if locked && first.thread != second.thread {
                let section = solver.new_lit();
                solver.add_edge(section, first.last, second.first);
                solver.add_edge(!section, second.last, first.first);
            }
        }
    }
    let mut of_last = Vec::new();
    for reader in all {
        let mut sources = vec![solver.new_lit()];
        solver.add_reads_from(sources[0], initial, reader.cell, true);
        for writer in all.iter().filter(|w| w.write != reader.write) {
            let reads = solver.new_lit();
            solver.add_reads_from(reads, writer.write, reader.cell, true);
            solver.add_hit(Lit::TRUE, writer.write, reader.cell);
            sources.push(reads);
        }
        solver.add_clause(&sources);
        of_last.push(sources);
    }
    // Two increments, of different threads, see what was there at first.
    vec![of_last[0][0], of_last[1][0]]
}

/// Accesses per location.
const PER_LOCATION: usize = 16;

fn trace(solver: &mut impl OrderSolver, events: usize, cycle: bool) -> Vec<Lit> {
    let threads = 8;
    let locations = (events / PER_LOCATION).max(1);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n as u64) as usize
    };
    let mut last: Vec<Option<Node>> = vec![None; threads];
    let origin = solver.new_node();
    let mut writes: Vec<Vec<(WriteId, usize)>> =
        (0..locations).map(|_| vec![(solver.new_write(Access { global: origin, coherence: None }), threads)]).collect();
    let mut reads = Vec::new();
    let mut nodes = Vec::new();
    for _ in 0..events {
        let (thread, location) = (below(threads), below(locations));
        let node = solver.new_node();
        solver.add_edge(Lit::TRUE, last[thread].unwrap_or(origin), node);
        last[thread] = Some(node);
        nodes.push((node, thread));
        let access = Access { global: node, coherence: None };
        if below(5) < 2 {
            let write = solver.new_write(access);
            writes[location].push((write, thread));
        } else {
            let cell = solver.new_cell(access);
            reads.push((cell, location, writes[location].len() - 1));
        }
    }
    for of_location in &writes {
        for (k, &(second, b)) in of_location.iter().enumerate() {
            for &(first, a) in &of_location[..k] {
                let fact = a == b || a == threads;
                let order = if fact { Lit::TRUE } else { solver.new_lit() };
                solver.add_write_order(order, first, second);
                if !fact {
                    solver.add_write_order(!order, second, first);
                }
            }
        }
    }
    for (cell, location, seen) in reads {
        // What it has seen, and two others that wrote the same value.
        let mut candidates = vec![seen, below(writes[location].len()), below(writes[location].len())];
        candidates.sort_unstable();
        candidates.dedup();
        let lits: Vec<Lit> = candidates.iter().map(|_| solver.new_lit()).collect();
        for (&lit, &source) in lits.iter().zip(&candidates) {
            solver.add_reads_from(lit, writes[location][source].0, cell, true);
        }
        solver.add_clause(&lits);
        for &(write, _) in &writes[location] {
            solver.add_hit(Lit::TRUE, write, cell);
        }
    }
    goal_of_trace(solver, &nodes, cycle)
}

/// Two accesses of different threads, next to each other in the run, the other way round; for a contradiction, also an
/// access before the first that comes after one behind the second.
fn goal_of_trace(solver: &mut impl OrderSolver, nodes: &[(Node, usize)], cycle: bool) -> Vec<Lit> {
    let middle = nodes.len() / 2;
    let Some(at) = (middle..nodes.len() - 1).find(|&i| nodes[i].1 != nodes[i + 1].1) else { return Vec::new() };
    let swapped = solver.new_lit();
    solver.add_edge(swapped, nodes[at + 1].0, nodes[at].0);
    if !cycle {
        return vec![swapped];
    }
    let earlier = nodes[..=at].iter().rev().find(|n| n.1 == nodes[at + 1].1).map_or(nodes[at + 1].0, |n| n.0);
    let later = nodes[at + 1..].iter().find(|n| n.1 == nodes[at].1).map_or(nodes[at].0, |n| n.0);
    let back = solver.new_lit();
    solver.add_edge(back, later, earlier);
    vec![swapped, back]
}
