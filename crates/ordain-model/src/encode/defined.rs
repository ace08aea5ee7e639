//! Definedness: whether a value depends on memory that nobody wrote.
//!
//! For a read it depends on what it reads from, so it is a literal, true if all cells come from defined values. Literals
//! are made on demand: most programs have nothing undefined.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::forest::{Contents, Forest};
use ordain_expr::op::BinOp;
use ordain_expr::{Node, Term};
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct Definedness {
    terms: FxHashMap<Term, Lit>,
    reads: FxHashMap<EventId, Lit>,
    /// Reads whose literals have no meaning yet.
    todo: Vec<EventId>,
}

impl<S: OrderSolver> Encoding<S> {
    /// The literal "this value is defined", in executions where all reads it depends on are executed.
    pub(super) fn is_defined(&mut self, forest: &Forest, t: Term) -> Lit {
        if forest.undefined.is_empty() && !has_undefined_memory(forest) {
            return Lit::TRUE;
        }
        for t in forest.terms.cone_until(&[t], |t| self.defined.terms.contains_key(&t)) {
            let lit = self.definedness_of_node(forest, t);
            self.defined.terms.insert(t, lit);
        }
        self.defined.terms[&t]
    }

    fn definedness_of_node(&mut self, forest: &Forest, t: Term) -> Lit {
        match forest.terms.node(t) {
            Node::Symbol(s) if forest.undefined.contains(&s) => Lit::FALSE,
            Node::Symbol(s) => forest.read_of.get(&s).map_or(Lit::TRUE, |&r| self.read_is_defined(r)),
            Node::Ite { condition: cond, then, otherwise: other } => {
                let (c, a, b) = (self.defined.terms[&cond], self.defined.terms[&then], self.defined.terms[&other]);
                if a == b {
                    return self.and(c, a);
                }
                let which = self.term(forest, cond);
                let chosen = self.solver.new_lit();
                self.imply_any(&[which, chosen], &[a]);
                self.imply_any(&[which, a], &[chosen]);
                self.imply_any(&[!which, chosen], &[b]);
                self.imply_any(&[!which, b], &[chosen]);
                self.and(c, chosen)
            }
            // Branches that were merged become these: if one side settles the matter, the other is not looked at.
            Node::Bin(op @ (BinOp::And | BinOp::Or), a, b) if forest.terms.width(t) == 1 => {
                let (da, db) = (self.defined.terms[&a], self.defined.terms[&b]);
                if da == Lit::TRUE && db == Lit::TRUE {
                    return Lit::TRUE;
                }
                let (va, vb) = (self.term(forest, a), self.term(forest, b));
                let settles = |v: Lit| if op == BinOp::And { !v } else { v };
                let ways = [self.and(da, db), self.and(da, settles(va)), self.and(db, settles(vb))];
                self.any(&ways)
            }
            node => {
                let operands: Vec<Lit> = node.operands().map(|o| self.defined.terms[&o]).collect();
                operands.into_iter().fold(Lit::TRUE, |all, o| self.and(all, o))
            }
        }
    }

    fn read_is_defined(&mut self, r: EventId) -> Lit {
        if let Some(&lit) = self.defined.reads.get(&r) {
            return lit;
        }
        let lit = self.solver.new_lit();
        self.defined.reads.insert(r, lit);
        self.defined.todo.push(r);
        lit
    }

    /// Gives every literal that was asked for its meaning.
    pub(super) fn encode_definedness(&mut self, forest: &mut Forest) {
        while let Some(r) = self.defined.todo.pop() {
            let (address, _) = forest.event(r).kind.access().expect("reads access memory");
            let initially = match forest.objects[&address.object].contents {
                Contents::Undefined => Lit::FALSE,
                Contents::Zero | Contents::Bytes(_) => Lit::TRUE,
            };
            let mut all = Lit::TRUE;
            for cell in self.memory.cells[&r].clone() {
                let defined = self.solver.new_lit();
                for source in &cell.sources {
                    let value = match source.write {
                        None => initially,
                        Some(w) => self.written_is_defined(forest, w),
                    };
                    self.imply_any(&[source.lit, defined], &[value]);
                    self.imply_any(&[source.lit, value], &[defined]);
                }
                all = self.and(all, defined);
            }
            // The value of a read that does not take place does not matter to anything.
            let lit = self.defined.reads[&r];
            let active = self.active(r);
            self.imply_any(&[active, lit], &[all]);
            self.imply_any(&[all], &[lit]);
            self.imply_any(&[!active], &[lit]);
        }
    }

    fn written_is_defined(&mut self, forest: &Forest, w: EventId) -> Lit {
        match forest.event(w).kind {
            EventKind::Write { value, .. } => self.is_defined(forest, value),
            EventKind::Rmw { new, .. } => self.is_defined(forest, new),
            _ => unreachable!("only writes are sources"),
        }
    }
}

fn has_undefined_memory(forest: &Forest) -> bool {
    forest.objects.values().any(|o| o.contents == Contents::Undefined)
}
