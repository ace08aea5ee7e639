//! Is this model a model? Decided from the statements alone, by plain depth-first search.

use super::script::Statement;
use ordain_solve::order::{Access, Lit, Node, OrderSolver};

/// The edges that are true in the solver's model, from-reads included.
fn true_edges(solver: &impl OrderSolver, statements: &[Statement]) -> Vec<(Node, Node)> {
    let holds = |lit: Lit| solver.value(lit);
    let mut writes: Vec<Access> = Vec::new();
    let mut cells: Vec<Access> = Vec::new();
    let (mut orders, mut reads, mut hits) = (Vec::new(), Vec::new(), Vec::new());
    let mut edges = Vec::new();
    for statement in statements {
        match statement {
            Statement::NewWrite(access) => writes.push(*access),
            Statement::NewCell(access) => cells.push(*access),
            &Statement::Edge(lit, from, to) if holds(lit) => edges.push((from, to)),
            &Statement::Order(lit, first, second) if holds(lit) => orders.push((first, second)),
            &Statement::ReadsFrom(lit, write, cell, external) if holds(lit) => reads.push((write, cell, external)),
            &Statement::Hit(lit, write, cell) if holds(lit) => hits.push((write, cell)),
            _ => {}
        }
    }
    let mut both = |from: Access, to: Access| {
        edges.push((from.global, to.global));
        edges.extend(from.coherence.zip(to.coherence));
    };
    for &(first, second) in &orders {
        both(writes[first.0 as usize], writes[second.0 as usize]);
        for &(_, cell, _) in reads.iter().filter(|read| read.0 == first) {
            if hits.contains(&(second, cell)) {
                both(cells[cell.0 as usize], writes[second.0 as usize]);
            }
        }
    }
    for (write, cell, external) in reads {
        let (from, to) = (writes[write.0 as usize], cells[cell.0 as usize]);
        match from.coherence.zip(to.coherence) {
            Some(edge) => {
                edges.push(edge);
                edges.extend(external.then_some((from.global, to.global)));
            }
            None => edges.push((from.global, to.global)),
        }
    }
    edges
}

fn is_acyclic(nodes: usize, edges: &[(Node, Node)]) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    fn visit(node: usize, edges: &[(Node, Node)], state: &mut [State]) -> bool {
        match state[node] {
            State::Done => return true,
            State::Open => return false,
            State::New => state[node] = State::Open,
        }
        let fine = edges.iter().filter(|e| e.0.0 as usize == node).all(|e| visit(e.1.0 as usize, edges, state));
        state[node] = State::Done;
        fine
    }
    let mut state = vec![State::New; nodes];
    (0..nodes).all(|node| visit(node, edges, &mut state))
}

/// What is wrong with the model, if anything.
pub fn flaw(solver: &impl OrderSolver, statements: &[Statement], assumptions: &[Lit]) -> Option<String> {
    if !solver.value(Lit::TRUE) || solver.value(Lit::FALSE) {
        return Some("the constants have wrong values".into());
    }
    if let Some(lit) = assumptions.iter().find(|&&lit| !solver.value(lit)) {
        return Some(format!("assumption {lit:?} is false"));
    }
    for statement in statements {
        if let Statement::Clause(clause) = statement
            && !clause.iter().any(|&lit| solver.value(lit))
        {
            return Some(format!("clause {clause:?} is false"));
        }
    }
    let nodes = statements.iter().filter(|s| matches!(s, Statement::NewNode)).count();
    let edges = true_edges(solver, statements);
    if !is_acyclic(nodes, &edges) {
        return Some(format!("cycle in {edges:?}"));
    }
    let descending = edges.iter().find(|(from, to)| solver.position(*from) >= solver.position(*to));
    descending.map(|edge| format!("positions do not ascend along {edge:?}"))
}
