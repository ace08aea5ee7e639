//! Classic litmus tests, stated by hand as an encoder would: which outcomes do SC and TSO allow?

use ordain_solve::engine::Engine;
use ordain_solve::oracle::Z3Oracle;
use ordain_solve::order::{Access, Answer, CellId, Lit, OrderSolver, WriteId};

#[derive(Clone, Copy, PartialEq)]
enum Model {
    Sc,
    Tso,
}

/// One access of a thread. A read says which write of its location it sees: 0 is the initial one, n the nth in the
/// order in which the test lists them.
#[derive(Clone, Copy)]
enum Op {
    W(usize),
    R(usize, usize),
}
use Op::{R, W};

const X: usize = 0;
const Y: usize = 1;

struct Write {
    id: WriteId,
    thread: Option<usize>,
    location: usize,
}

fn add_access(solver: &mut impl OrderSolver, model: Model) -> Access {
    let global = solver.new_node();
    Access { global, coherence: (model == Model::Tso).then(|| solver.new_node()) }
}

/// May all reads see what the test says?
fn is_allowed(solver: &mut impl OrderSolver, model: Model, threads: &[&[Op]]) -> bool {
    let mut writes = Vec::new();
    let mut reads: Vec<(CellId, usize, usize, usize)> = Vec::new();
    let initial: Vec<Access> = (0..2).map(|_| add_access(solver, model)).collect();
    for (location, &access) in initial.iter().enumerate() {
        writes.push(Write { id: solver.new_write(access), thread: None, location });
    }
    for (thread, ops) in threads.iter().enumerate() {
        let mut earlier: Vec<(Op, Access)> = Vec::new();
        for &op in *ops {
            let access = add_access(solver, model);
            for &start in &initial {
                solver.add_edge(Lit::TRUE, start.global, access.global);
            }
            for &(before, before_access) in &earlier {
                let passes = model == Model::Tso && matches!((before, op), (W(_), R(..)));
                if !passes {
                    solver.add_edge(Lit::TRUE, before_access.global, access.global);
                }
                let (W(a) | R(a, _), W(b) | R(b, _)) = (before, op);
                if let (true, Some(from), Some(to)) = (a == b, before_access.coherence, access.coherence) {
                    solver.add_edge(Lit::TRUE, from, to);
                }
            }
            earlier.push((op, access));
            match op {
                W(location) => writes.push(Write { id: solver.new_write(access), thread: Some(thread), location }),
                R(location, seen) => reads.push((solver.new_cell(access), thread, location, seen)),
            }
        }
    }
    order_writes(solver, &writes);
    for &(cell, thread, location, seen) in &reads {
        let candidates = writes.iter().filter(|write| write.location == location);
        for (number, write) in candidates.enumerate() {
            solver.add_hit(Lit::TRUE, write.id, cell);
            if number == seen {
                solver.add_reads_from(Lit::TRUE, write.id, cell, write.thread != Some(thread));
            }
        }
    }
    solver.solve(&[]) == Answer::Sat
}

fn order_writes(solver: &mut impl OrderSolver, writes: &[Write]) {
    for (k, second) in writes.iter().enumerate() {
        for first in writes[..k].iter().filter(|first| first.location == second.location) {
            let lit = if first.thread.is_none() { Lit::TRUE } else { solver.new_lit() };
            solver.add_write_order(lit, first.id, second.id);
            solver.add_write_order(!lit, second.id, first.id);
        }
    }
}

fn judge(name: &str, threads: &[&[Op]], sc: bool, tso: bool) {
    for (model, expected) in [(Model::Sc, sc), (Model::Tso, tso)] {
        let mut oracle = Z3Oracle::new().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(is_allowed(&mut oracle, model, threads), expected, "oracle, {name}");
        assert_eq!(is_allowed(&mut Engine::new(), model, threads), expected, "engine, {name}");
    }
}

#[test]
fn store_buffering() {
    judge("both reads early", &[&[W(X), R(Y, 0)], &[W(Y), R(X, 0)]], false, true);
    judge("one read early", &[&[W(X), R(Y, 1)], &[W(Y), R(X, 0)]], true, true);
}

#[test]
fn a_thread_sees_its_own_store_early() {
    judge("forwarding", &[&[W(X), R(X, 1), R(Y, 0)], &[W(Y), R(Y, 1), R(X, 0)]], false, true);
}

#[test]
fn message_passing() {
    judge("flag without data", &[&[W(X), W(Y)], &[R(Y, 1), R(X, 0)]], false, false);
    judge("flag and data", &[&[W(X), W(Y)], &[R(Y, 1), R(X, 1)]], true, true);
}

#[test]
fn load_buffering() {
    judge("both from the future", &[&[R(X, 1), W(Y)], &[R(Y, 1), W(X)]], false, false);
}

#[test]
fn independent_reads() {
    let [left, right]: [&[Op]; 2] = [&[R(X, 1), R(Y, 0)], &[R(Y, 1), R(X, 0)]];
    judge("two orders of two writes", &[&[W(X)], &[W(Y)], left, right], false, false);
}

#[test]
fn coherence() {
    judge("new, then old", &[&[W(X)], &[R(X, 1), R(X, 0)]], false, false);
    judge("own store not seen", &[&[W(X), R(X, 0)]], false, false);
    judge("own store overtaken", &[&[W(X), R(X, 2)], &[W(X)]], true, true);
    let [left, right]: [&[Op]; 2] = [&[R(X, 1), R(X, 2)], &[R(X, 2), R(X, 1)]];
    judge("two orders of one location", &[&[W(X)], &[W(X)], left, right], false, false);
}
