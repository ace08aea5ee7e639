//! Bit-blasting: terms as literals of a solver.
//!
//! Every term becomes one literal per bit, lowest first. `gates` makes single gates, without any for what is constant or
//! known already; `circuits` makes arithmetic of them; [`Blaster`] walks over terms and remembers their bits.

mod circuits;
mod gates;

use std::ops::Range;

use ordain_expr::op::{BinOp, Pred};
use ordain_expr::{Node, SymbolId, Term, Terms};
use rustc_hash::FxHashMap;

use crate::order::{Lit, OrderSolver};
use gates::{Circuit, Gates};

/// The bits of the terms of one store in one solver: always call it with the same two.
#[derive(Default)]
pub struct Blaster {
    gates: Gates,
    /// Where in `lits` the bits of a term are.
    places: FxHashMap<Term, Range<usize>>,
    lits: Vec<Lit>,
    /// Literals under which two terms are equal. Many reasons may make them so, and what follows from it is the same.
    same: FxHashMap<(Term, Term), Lit>,
    fixed: FxHashMap<Term, (u64, u64)>,
}

impl Blaster {
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on these bits of a symbol are zero, and those are one.
    pub fn fix(&mut self, symbol: Term, zeros: u64, ones: u64) {
        debug_assert!(!self.places.contains_key(&symbol), "its bits are in use");
        self.fixed.insert(symbol, (zeros, ones));
    }

    /// From now on a symbol is another name of a term.
    pub fn rename(&mut self, terms: &Terms, solver: &mut impl OrderSolver, t: Term, symbol: Term) {
        debug_assert!(!self.places.contains_key(&symbol), "its bits are in use");
        self.bits(terms, solver, t);
        self.places.insert(symbol, self.places[&t].clone());
    }

    /// The bits of the term, lowest first.
    pub fn bits(&mut self, terms: &Terms, solver: &mut impl OrderSolver, t: Term) -> &[Lit] {
        for part in terms.cone_until(&[t], |t| self.places.contains_key(&t)) {
            let mut bits = self.blast(terms, solver, part);
            debug_assert_eq!(bits.len(), terms.width(part) as usize);
            fill_in_known(&mut bits, terms.known_bits(part));
            if let Some(&fixed) = self.fixed.get(&part) {
                fill_in_known(&mut bits, fixed);
            }
            let start = self.lits.len();
            self.lits.extend(bits);
            self.places.insert(part, start..self.lits.len());
        }
        self.known(t)
    }

    /// The literal of a truth value.
    pub fn lit(&mut self, terms: &Terms, solver: &mut impl OrderSolver, t: Term) -> Lit {
        assert_eq!(terms.width(t), 1, "only truth values are literals");
        self.bits(terms, solver, t)[0]
    }

    /// A literal that holds exactly if the terms, of the same width, are equal.
    pub fn equal(&mut self, terms: &Terms, solver: &mut impl OrderSolver, a: Term, b: Term) -> Lit {
        let a = self.bits(terms, solver, a).to_vec();
        let b = self.bits(terms, solver, b).to_vec();
        self.circuit(solver).equal(&a, &b)
    }

    /// If all conditions hold, the terms, of the same width, are equal.
    pub fn imply_equal(&mut self, terms: &Terms, solver: &mut impl OrderSolver, conditions: &[Lit], a: Term, b: Term) {
        if a == b {
            return;
        }
        let pair = (a.min(b), a.max(b));
        let same = match self.same.get(&pair) {
            Some(&same) => same,
            None => {
                let same = solver.new_lit();
                self.same.insert(pair, same);
                self.equate(terms, solver, same, pair);
                same
            }
        };
        let conditions = conditions.iter().filter(|&&c| c != Lit::TRUE).map(|&c| !c);
        let clause: Vec<Lit> = conditions.chain([same]).collect();
        solver.add_clause(&clause);
    }

    /// Under the literal, the terms are equal, bit by bit.
    fn equate(&mut self, terms: &Terms, solver: &mut impl OrderSolver, same: Lit, (a, b): (Term, Term)) {
        let a = self.bits(terms, solver, a).to_vec();
        let b = self.bits(terms, solver, b);
        for (&a, &b) in a.iter().zip(b) {
            for (from, to) in [(a, b), (b, a)] {
                if a != b && from != Lit::FALSE && to != Lit::TRUE {
                    let ends = [!from, to].into_iter().filter(|&lit| lit != Lit::FALSE);
                    let clause: Vec<Lit> = [!same].into_iter().chain(ends).collect();
                    solver.add_clause(&clause);
                }
            }
        }
    }

    /// The value of a term in the solver's model; none if the term has not been blasted.
    pub fn value(&self, solver: &impl OrderSolver, t: Term) -> Option<u64> {
        let place = self.places.get(&t)?;
        let holds = |lit: Lit| lit == Lit::TRUE || (lit != Lit::FALSE && solver.value(lit));
        Some(self.lits[place.clone()].iter().rev().fold(0, |value, &lit| value << 1 | holds(lit) as u64))
    }

    /// The value of a symbol in the solver's model: zero if nothing depends on it.
    pub fn symbol_value(&self, terms: &Terms, solver: &impl OrderSolver, id: SymbolId) -> u64 {
        self.value(solver, terms.symbol_term(id)).unwrap_or(0)
    }

    fn known(&self, t: Term) -> &[Lit] {
        &self.lits[self.places[&t].clone()]
    }

    fn circuit<'a, S: OrderSolver>(&'a mut self, solver: &'a mut S) -> Circuit<'a, S> {
        Circuit::new(&mut self.gates, solver)
    }

    /// The bits of a term whose operands are known.
    fn blast(&mut self, terms: &Terms, solver: &mut impl OrderSolver, t: Term) -> Vec<Lit> {
        let width = terms.width(t);
        match terms.node(t) {
            Node::Const(bits) => (0..width).map(|i| if bits >> i & 1 == 1 { Lit::TRUE } else { Lit::FALSE }).collect(),
            Node::Symbol(_) => (0..width).map(|_| solver.new_lit()).collect(),
            Node::Extract { from, low } => self.known(from)[low as usize..(low + width) as usize].to_vec(),
            Node::Concat { high, low } => [self.known(low), self.known(high)].concat(),
            Node::SignExtend(a) => {
                let mut bits = self.known(a).to_vec();
                let sign = bits[bits.len() - 1];
                bits.resize(width as usize, sign);
                bits
            }
            Node::Bin(op, a, b) => {
                let (a, b) = (self.known(a).to_vec(), self.known(b).to_vec());
                blast_bin(&mut self.circuit(solver), op, &a, &b)
            }
            Node::Cmp(pred, a, b) => {
                let (a, b) = (self.known(a).to_vec(), self.known(b).to_vec());
                vec![blast_cmp(&mut self.circuit(solver), pred, &a, &b)]
            }
            Node::Ite { condition, then, otherwise } => {
                let condition = self.known(condition)[0];
                let (then, otherwise) = (self.known(then).to_vec(), self.known(otherwise).to_vec());
                self.circuit(solver).choose(condition, &then, &otherwise)
            }
        }
    }
}

/// What follows from the term's structure need not be found out by the solver.
fn fill_in_known(bits: &mut [Lit], (zeros, ones): (u64, u64)) {
    for (i, bit) in bits.iter_mut().enumerate() {
        match (zeros >> i & 1, ones >> i & 1) {
            (1, _) => *bit = Lit::FALSE,
            (_, 1) => *bit = Lit::TRUE,
            _ => {}
        }
    }
}

fn blast_bin<S: OrderSolver>(circuit: &mut Circuit<S>, op: BinOp, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    match op {
        BinOp::Add => circuit.add(a, b),
        BinOp::Sub => circuit.sub(a, b),
        BinOp::Mul => circuit.mul(a, b),
        BinOp::UDiv => circuit.divide(a, b).quotient,
        BinOp::URem => circuit.divide(a, b).remainder,
        BinOp::SDiv => circuit.divide_signed(a, b).quotient,
        BinOp::SRem => circuit.divide_signed(a, b).remainder,
        BinOp::Shl => circuit.shift_left(a, b),
        BinOp::LShr => circuit.shift_right(a, b, Lit::FALSE),
        BinOp::AShr => circuit.shift_right(a, b, a[a.len() - 1]),
        BinOp::And => circuit.bitwise(a, b, Circuit::and),
        BinOp::Or => circuit.bitwise(a, b, Circuit::or),
        BinOp::Xor => circuit.bitwise(a, b, Circuit::xor),
    }
}

fn blast_cmp<S: OrderSolver>(circuit: &mut Circuit<S>, pred: Pred, a: &[Lit], b: &[Lit]) -> Lit {
    match pred {
        Pred::Eq => circuit.equal(a, b),
        Pred::Ne => !circuit.equal(a, b),
        Pred::Ult => circuit.less(a, b),
        Pred::Ule => !circuit.less(b, a),
        Pred::Slt => circuit.less_signed(a, b),
        Pred::Sle => !circuit.less_signed(b, a),
    }
}
