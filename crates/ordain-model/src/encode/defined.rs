//! Definedness: whether a value depends on memory that nobody wrote.
//!
//! For a read it depends on what it reads from, so it is a literal, true if all cells come from defined values; likewise for
//! what a join returns and what a thread is started with. Literals are made on demand: most programs have nothing
//! undefined.

use super::Encoding;
use crate::event::{Address, EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Contents, Forest};
use ordain_expr::op::{BinOp, Pred};
use ordain_expr::{Node, SymbolId, Term};
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct Definedness {
    /// Nothing in the forest was undefined when it was encoded. It may have grown since, but what is new is not in the encoding.
    nothing_undefined: bool,
    terms: FxHashMap<Term, Lit>,
    /// By symbol that events bind, or that a meeting has named: its value is defined.
    bound: FxHashMap<SymbolId, Lit>,
    /// Symbols whose literals have no meaning yet.
    todo: Vec<SymbolId>,
}

impl Definedness {
    pub fn new(forest: &Forest) -> Definedness {
        let nothing_undefined = forest.undefined.is_empty() && !has_undefined_memory(forest);
        Definedness { nothing_undefined, ..Definedness::default() }
    }
}

impl<S: OrderSolver> Encoding<S> {
    /// The literal "this value is defined", in executions where all reads it depends on are executed.
    pub(super) fn is_defined(&mut self, forest: &Forest, t: Term) -> Lit {
        if self.defined.nothing_undefined {
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
            Node::Symbol(s) if forest.is_bound(s) => self.bound_is_defined(s),
            Node::Symbol(_) => Lit::TRUE,
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

    fn bound_is_defined(&mut self, s: SymbolId) -> Lit {
        if let Some(&lit) = self.defined.bound.get(&s) {
            return lit;
        }
        let lit = self.solver.new_lit();
        self.defined.bound.insert(s, lit);
        self.defined.todo.push(s);
        lit
    }

    /// Gives every literal that was asked for its meaning.
    pub(super) fn encode_definedness(&mut self, forest: &mut Forest) {
        while let Some(s) = self.defined.todo.pop() {
            let lit = self.defined.bound[&s];
            for (from, given) in forest.stands_for(s).into_iter().flatten() {
                let given = self.is_defined(forest, forest.terms.symbol_term(given));
                self.equate(self.finished(from), lit, given);
            }
            let events = forest.bound_by.get(&s).cloned().unwrap_or_default();
            let mut reads = Vec::new();
            for e in events {
                match forest.event(e).kind {
                    EventKind::Join { .. } => self.define_join(forest, e, lit),
                    EventKind::Start { .. } => self.define_argument(forest, e, lit),
                    _ => {
                        self.define_read(forest, e, lit);
                        reads.push(self.active(e));
                    }
                }
            }
            if !reads.is_empty() {
                // The value of a read that does not take place does not matter to anything.
                reads.push(lit);
                self.imply_any(&[], &reads);
            }
        }
    }

    fn define_read(&mut self, forest: &mut Forest, r: EventId, lit: Lit) {
        let (address, size) = forest.event(r).kind.access().expect("reads access memory");
        let cells = self.memory.cells[&r].clone();
        let bytes = size / cells.len() as u8;
        let mut all = Lit::TRUE;
        for (cell, nth) in cells.into_iter().zip(0..) {
            let contents = &forest.objects[&address.object].contents;
            let initially = match (contents, forest.terms.as_const(address.term)) {
                _ if seeded(Fault::InitiallyDefined) => Lit::TRUE,
                (Contents::Undefined, _) => Lit::FALSE,
                (Contents::Partly { .. }, Some(at)) => {
                    let from = (at - address.object) as usize + usize::from(bytes) * usize::from(nth);
                    contents.number(from, bytes).map_or(Lit::FALSE, |_| Lit::TRUE)
                }
                (Contents::Partly { .. }, None) => !self.is_at_undefined(forest, address, nth, bytes),
                (Contents::Zero | Contents::Bytes(_), _) => Lit::TRUE,
            };
            let defined = self.solver.new_lit();
            for source in &cell.sources {
                let value = match source.write {
                    None => initially,
                    Some(w) => self.written_is_defined(forest, w),
                };
                self.equate(source.lit, defined, value);
            }
            all = if seeded(Fault::LastCellDefines) { defined } else { self.and(all, defined) };
        }
        self.equate(self.active(r), lit, all);
    }

    /// Whether a cell of an access, at an address that is not known, is one that nobody had written before everything.
    fn is_at_undefined(&mut self, forest: &mut Forest, address: Address, nth: u8, bytes: u8) -> Lit {
        let object = &forest.objects[&address.object];
        let is_undefined = |&from: &u64| object.contents.number(from as usize, bytes).is_none();
        let undefined: Vec<u64> = object.cells(address.object, bytes).into_iter().filter(is_undefined).collect();
        // Cells that nobody has written lie next to each other, and a stretch of them is two comparisons.
        let stretches = undefined.chunk_by(|a, b| a + u64::from(bytes) == *b);
        let is_in: Vec<Lit> = stretches
            .map(|stretch| self.is_in_stretch(forest, address, nth * bytes, stretch[0], stretch[stretch.len() - 1]))
            .collect();
        self.any(&is_in)
    }

    /// Whether an address, moved on by `by`, is between two offsets in its object.
    fn is_in_stretch(&mut self, forest: &mut Forest, address: Address, by: u8, first: u64, last: u64) -> Lit {
        let terms = &mut forest.terms;
        let from = terms.constant(64, (address.object + first).wrapping_sub(by.into()));
        let offset = terms.bin(BinOp::Sub, address.term, from);
        let most = terms.constant(64, last - first);
        let is_in = terms.cmp(Pred::Ule, offset, most);
        self.term(forest, is_in)
    }

    fn define_join(&mut self, forest: &Forest, join: EventId, lit: Lit) {
        for (exit, matched) in self.meetings.joined.get(&join).cloned().unwrap_or_default() {
            let EventKind::Exit { value } = forest.event(exit).kind else { unreachable!("threads end by exits") };
            let value = self.is_defined(forest, value);
            if !seeded(Fault::JoinedDefinedness) {
                self.equate(matched, lit, value);
            }
        }
    }

    fn define_argument(&mut self, forest: &Forest, start: EventId, lit: Lit) {
        for create in self.sections.creates(forest.tree_of(start)).to_vec() {
            let EventKind::Create { argument, .. } = forest.event(create).kind else { unreachable!("creates") };
            let value = self.is_defined(forest, argument);
            self.equate(self.executed(create), lit, value);
        }
    }

    /// Under the condition, the two are the same.
    fn equate(&mut self, condition: Lit, a: Lit, b: Lit) {
        self.imply_any(&[condition, a], &[b]);
        self.imply_any(&[condition, b], &[a]);
    }

    fn written_is_defined(&mut self, forest: &Forest, w: EventId) -> Lit {
        match forest.event(w).kind {
            EventKind::Write { .. } if seeded(Fault::CopiesDefined) => Lit::TRUE,
            EventKind::Write { value, .. } => self.is_defined(forest, value),
            EventKind::Rmw { new, .. } => self.is_defined(forest, new),
            _ => unreachable!("only writes are sources"),
        }
    }
}

fn has_undefined_memory(forest: &Forest) -> bool {
    forest.objects.values().any(|o| o.contents.has_undefined())
}
