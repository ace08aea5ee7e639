//! A plain SAT solver in the place of a solver of orders.

use std::cell::RefCell;

use cadical_sys::{CaDiCal, Status};
use ordain_solve::order::{Access, Answer, CellId, Lit, Node, OrderSolver, WriteId};

pub struct SatSolver {
    // Reading the model changes the solver's state, as far as CaDiCaL is concerned.
    solver: RefCell<CaDiCal>,
    variables: i32,
    assumptions: Vec<Lit>,
}

impl SatSolver {
    pub fn new() -> Self {
        let mut solver = CaDiCal::new();
        solver.clause1(Lit::TRUE.dimacs());
        SatSolver { solver: RefCell::new(solver), variables: 1, assumptions: Vec::new() }
    }
}

impl OrderSolver for SatSolver {
    fn new_lit(&mut self) -> Lit {
        self.variables += 1;
        Lit::from_dimacs(self.variables)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let solver = self.solver.get_mut();
        clause.iter().for_each(|lit| solver.add(lit.dimacs()));
        solver.add(0);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.assumptions = assumptions.to_vec();
        let solver = self.solver.get_mut();
        assumptions.iter().for_each(|lit| solver.assume(lit.dimacs()));
        match solver.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.solver.borrow_mut().val(lit.dimacs()) == lit.dimacs()
    }

    fn core(&self) -> Vec<Lit> {
        let failed = |lit: &Lit| self.solver.borrow_mut().failed(lit.dimacs());
        self.assumptions.iter().copied().filter(failed).collect()
    }

    fn new_node(&mut self) -> Node {
        unreachable!("values have no order")
    }

    fn add_edge(&mut self, _: Lit, _: Node, _: Node) {
        unreachable!("values have no order")
    }

    fn new_write(&mut self, _: Access) -> WriteId {
        unreachable!("values have no order")
    }

    fn new_cell(&mut self, _: Access) -> CellId {
        unreachable!("values have no order")
    }

    fn add_write_order(&mut self, _: Lit, _: WriteId, _: WriteId) {
        unreachable!("values have no order")
    }

    fn add_reads_from(&mut self, _: Lit, _: WriteId, _: CellId, _: bool) {
        unreachable!("values have no order")
    }

    fn add_hit(&mut self, _: Lit, _: WriteId, _: CellId) {
        unreachable!("values have no order")
    }

    fn position(&self, _: Node) -> u64 {
        unreachable!("values have no order")
    }
}
