//! The engine: the theory of orders under the SAT solver CaDiCaL.
//!
//! CaDiCaL calls back (its IPASIR-UP interface): assignments to observed variables, new levels and backtracking go to the
//! theory; implied literals and conflicts come back. What keeps that sound:
//! - every variable is frozen when it is made, so that clauses and meanings may be added to it later;
//! - a literal is handed out only while it is open; when its reason is asked for, perhaps much later, it is explained with
//!   what was true when it was handed out;
//! - backtracking may leave literals assigned that came late; CaDiCaL tells them again, and the theory sees a stack.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cadical_sys::{CaDiCal, ExternalPropagator, Status, Terminator};

use crate::faults::{Fault, seeded};
use crate::guidance::Guidance;
use crate::order::{About, Access, Answer, CellId, Lit, Node, OrderSolver, Way, WriteId};
use crate::theory::{Statistics, Theory};

pub struct Engine {
    solver: CaDiCal,
    link: Rc<RefCell<Link>>,
    variables: i32,
    limit_conflicts: Option<u64>,
    stop: StopSign,
    /// By variable; after `Sat`.
    model: Vec<bool>,
    /// After `Unsat`.
    core: Vec<Lit>,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::interrupted_by(Arc::default())
    }
}

impl Engine {
    pub fn new() -> Engine {
        Engine::default()
    }

    /// While `flag` is set, which any thread may do, solving gives up with `Unknown`.
    pub fn interrupted_by(flag: Arc<AtomicBool>) -> Engine {
        let link = Rc::new(RefCell::new(Link::new()));
        let stop = StopSign { interrupted: flag, deadline: Rc::default() };
        let mut solver = CaDiCal::new();
        // What nothing needs does not happen.
        solver.set("phase", 0);
        // Questions are many and short: what probing learns costs more than it saves.
        solver.set("inprobing", 0);
        solver.connect_external_propagator(Callbacks(Rc::clone(&link)));
        solver.connect_terminator(stop.clone());
        let mut engine =
            Engine { solver, link, variables: 0, limit_conflicts: None, stop, model: Vec::new(), core: Vec::new() };
        let constant = engine.new_lit();
        debug_assert_eq!(constant, Lit::TRUE);
        engine.add_clause(&[constant]);
        engine
    }

    /// Whether to decide the choices first (`guidance`), or as the solver likes.
    pub fn set_guided(&mut self, guided: bool) {
        self.link.borrow_mut().guidance.on = guided;
    }

    /// Give up with `Unknown` after so many conflicts in one solve.
    pub fn set_limit_conflicts(&mut self, limit: Option<u64>) {
        self.limit_conflicts = limit;
    }

    /// Give up with `Unknown` at this time.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        *self.stop.deadline.borrow_mut() = deadline;
    }

    /// Set it, from any thread, and the running solve gives up with `Unknown`, and all later ones until it is reset.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop.interrupted)
    }

    /// Over all solves so far.
    pub fn statistics(&self) -> Statistics {
        self.link.borrow().theory.statistics()
    }

    fn mean(&mut self, lit: Lit, mean: impl FnOnce(&mut Theory)) {
        mean(&mut self.link.borrow_mut().theory);
        // Not while the theory is borrowed: CaDiCaL answers at once with a call if the literal is fixed.
        self.solver.add_observed_var(lit.var() as i32);
    }
}

impl OrderSolver for Engine {
    fn new_lit(&mut self) -> Lit {
        self.variables += 1;
        self.solver.freeze(self.variables);
        Lit::from_dimacs(self.variables)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        for lit in clause {
            self.solver.add(lit.dimacs());
        }
        self.solver.add(0);
    }

    fn new_node(&mut self) -> Node {
        self.link.borrow_mut().theory.new_node()
    }

    fn add_edge(&mut self, lit: Lit, from: Node, to: Node) {
        self.mean(lit, |theory| theory.add_edge(lit, from, to));
    }

    fn new_write(&mut self, access: Access) -> WriteId {
        self.link.borrow_mut().theory.new_write(access)
    }

    fn new_cell(&mut self, access: Access) -> CellId {
        self.link.borrow_mut().theory.new_cell(access)
    }

    fn add_write_order(&mut self, lit: Lit, first: WriteId, second: WriteId) {
        self.mean(lit, |theory| theory.add_write_order(lit, first, second));
    }

    fn add_reads_from(&mut self, lit: Lit, write: WriteId, cell: CellId, external: bool) {
        self.mean(lit, |theory| theory.add_reads_from(lit, write, cell, external));
    }

    fn add_hit(&mut self, lit: Lit, write: WriteId, cell: CellId) {
        self.mean(lit, |theory| theory.add_hit(lit, write, cell));
    }

    fn add_choice(&mut self, about: About, condition: Lit, ways: Vec<Way>) {
        let watched = [condition].into_iter().chain(ways.iter().flat_map(|way| [way.lit, way.needs]));
        let watched: Vec<Lit> = watched.collect();
        self.link.borrow_mut().guidance.add(about, condition, ways);
        for lit in watched {
            self.solver.add_observed_var(lit.var() as i32);
        }
    }

    fn set_phase(&mut self, lit: Lit) {
        self.solver.phase(lit.dimacs());
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        for lit in assumptions {
            self.solver.assume(lit.dimacs());
        }
        if let Some(limit) = self.limit_conflicts {
            self.solver.limit("conflicts", i32::try_from(limit).unwrap_or(i32::MAX));
        }
        match self.solver.solve() {
            Status::SATISFIABLE => {
                self.model = (0..=self.variables).map(|var| var > 0 && self.solver.val(var) > 0).collect();
                Answer::Sat
            }
            Status::UNSATISFIABLE => {
                self.core = assumptions.iter().copied().filter(|lit| self.solver.failed(lit.dimacs())).collect();
                if seeded(Fault::CoreLacksAssumption) {
                    self.core.pop();
                }
                Answer::Unsat
            }
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.model[lit.var() as usize] == lit.is_positive()
    }

    fn position(&self, node: Node) -> u64 {
        self.link.borrow().positions[node.0 as usize]
    }

    fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }

    fn gives_up(&self) -> bool {
        self.stop.is_set()
    }
}

/// Asks the solver to give up.
#[derive(Clone)]
struct StopSign {
    interrupted: Arc<AtomicBool>,
    deadline: Rc<RefCell<Option<Instant>>>,
}

impl StopSign {
    fn is_set(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.deadline.borrow().is_some_and(|end| Instant::now() >= end)
    }
}

impl Terminator for StopSign {
    fn terminated(&mut self) -> bool {
        self.is_set()
    }
}

/// A clause on its way to the solver, which takes it literal by literal.
#[derive(Default)]
struct Outgoing {
    clause: Vec<Lit>,
    sent: usize,
}

impl Outgoing {
    fn new(clause: Vec<Lit>) -> Outgoing {
        Outgoing { clause, sent: 0 }
    }

    /// The next literal; 0 at the end.
    fn next(&mut self) -> i32 {
        let lit = self.clause.get(self.sent).map_or(0, |lit| lit.dimacs());
        self.sent += 1;
        lit
    }
}

/// What engine and callbacks share.
struct Link {
    theory: Theory,
    guidance: Guidance,
    /// While the solver takes one.
    reason: Option<Outgoing>,
    conflict: Outgoing,
    positions: Vec<u64>,
}

impl Link {
    fn new() -> Link {
        Link {
            theory: Theory::new(),
            guidance: Guidance::new(),
            reason: None,
            conflict: Outgoing::default(),
            positions: Vec::new(),
        }
    }
}

struct Callbacks(Rc<RefCell<Link>>);

impl ExternalPropagator for Callbacks {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        let link = &mut *self.0.borrow_mut();
        for &lit in lits {
            link.theory.assign(Lit::from_dimacs(lit));
            link.guidance.assign(Lit::from_dimacs(lit));
        }
    }

    fn notify_new_decision_level(&mut self) {
        let link = &mut *self.0.borrow_mut();
        link.theory.new_level();
        link.guidance.new_level();
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        let link = &mut *self.0.borrow_mut();
        link.theory.backtrack(new_level);
        link.guidance.backtrack(new_level);
    }

    fn cb_decide(&mut self) -> i32 {
        let link = &mut *self.0.borrow_mut();
        let theory = &link.theory;
        link.guidance.next(|lit| theory.value(lit)).map_or(0, Lit::dimacs)
    }

    fn cb_check_found_model(&mut self, model: &[i32]) -> bool {
        let link = &mut *self.0.borrow_mut();
        // The model is what counts: nothing in it may have escaped the theory.
        for &lit in model {
            link.theory.assign(Lit::from_dimacs(lit));
            debug_assert_eq!(link.theory.value(Lit::from_dimacs(lit)), Some(true), "the theory has it the other way");
        }
        let consistent = link.theory.conflict().is_none();
        if consistent {
            link.positions = link.theory.positions();
        }
        consistent
    }

    fn cb_propagate(&mut self) -> i32 {
        self.0.borrow_mut().theory.next_implied().map_or(0, Lit::dimacs)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated_lit: i32) -> i32 {
        let link = &mut *self.0.borrow_mut();
        let theory = &mut link.theory;
        let reason = link.reason.get_or_insert_with(|| {
            // Without a reason there is only the literal itself to say, which would be wrong: say it loudly.
            let clause = theory.explain(Lit::from_dimacs(propagated_lit));
            Outgoing::new(clause.expect("only implied literals are asked for"))
        });
        let lit = reason.next();
        if lit == 0 {
            link.reason = None;
        }
        lit
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        let link = &mut *self.0.borrow_mut();
        match link.theory.conflict() {
            Some(clause) => {
                link.conflict = Outgoing::new(clause.to_vec());
                true
            }
            None => false,
        }
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.0.borrow_mut().conflict.next()
    }
}
