//! A problem as a list of statements, so that several solvers can be told the same.

use ordain_solve::order::{Access, CellId, Lit, Node, OrderSolver, WriteId};

#[derive(Clone, Debug)]
pub enum Statement {
    NewLit,
    Clause(Vec<Lit>),
    NewNode,
    Edge(Lit, Node, Node),
    NewWrite(Access),
    NewCell(Access),
    Order(Lit, WriteId, WriteId),
    ReadsFrom(Lit, WriteId, CellId, bool),
    Hit(Lit, WriteId, CellId),
}

/// State this, then solve under these assumptions.
#[derive(Clone, Debug, Default)]
pub struct Round {
    pub statements: Vec<Statement>,
    pub assumptions: Vec<Lit>,
}

pub fn tell(solver: &mut impl OrderSolver, statements: &[Statement]) {
    for statement in statements {
        match statement {
            Statement::NewLit => {
                solver.new_lit();
            }
            Statement::Clause(clause) => solver.add_clause(clause),
            Statement::NewNode => {
                solver.new_node();
            }
            &Statement::Edge(lit, from, to) => solver.add_edge(lit, from, to),
            &Statement::NewWrite(access) => {
                solver.new_write(access);
            }
            &Statement::NewCell(access) => {
                solver.new_cell(access);
            }
            &Statement::Order(lit, first, second) => solver.add_write_order(lit, first, second),
            &Statement::ReadsFrom(lit, write, cell, external) => solver.add_reads_from(lit, write, cell, external),
            &Statement::Hit(lit, write, cell) => solver.add_hit(lit, write, cell),
        }
    }
}
