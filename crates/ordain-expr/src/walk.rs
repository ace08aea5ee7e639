//! Walks over the graph below a term: its symbols, its value, the term with symbols replaced.
//!
//! Terms share parts and may be very deep. So all walks first collect the graph below the term, each part once, in
//! order of ids (operands come before what is made of them), and then go through it in one loop.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op;
use crate::store::Terms;
use crate::term::{Node, SymbolId, Term};

impl Terms {
    /// All terms that `roots` are made of, and themselves: operands first.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        self.cone_until(roots, |_| false)
    }

    /// Like [`Terms::cone`], without the terms for which `done` holds and what is only below those.
    pub fn cone_until(&self, roots: &[Term], done: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut found: Vec<Term> = Vec::new();
        let mut visit = |t: Term, found: &mut Vec<Term>| {
            if !done(t) && seen.insert(t) {
                found.push(t);
            }
        };
        roots.iter().for_each(|&root| visit(root, &mut found));
        let mut next = 0;
        while let Some(&t) = found.get(next) {
            self.node(t).operands().for_each(|operand| visit(operand, &mut found));
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// The symbols that occur in the term, in ascending order.
    pub fn symbols_in(&self, t: Term) -> Vec<SymbolId> {
        let mut symbols: Vec<SymbolId> = self.cone(&[t]).into_iter().filter_map(|t| self.symbol_id(t)).collect();
        symbols.sort_unstable();
        symbols
    }

    /// The value of the term. `value` is asked once for every symbol in it; bits beyond the symbol's width are ignored.
    pub fn eval(&self, t: Term, value: &mut dyn FnMut(SymbolId) -> u64) -> u64 {
        self.eval_with(t, &mut FxHashMap::default(), value)
    }

    /// Like [`Terms::eval`], for many terms under the same values: `known` keeps what has been evaluated.
    pub fn eval_with(&self, t: Term, known: &mut FxHashMap<Term, u64>, value: &mut dyn FnMut(SymbolId) -> u64) -> u64 {
        if let Some(bits) = self.as_const(t) {
            return bits;
        }
        for t in self.cone_until(&[t], |t| known.contains_key(&t)) {
            let bits = self.eval_node(t, known, value);
            known.insert(t, bits);
        }
        known[&t]
    }

    fn eval_node(&self, t: Term, known: &FxHashMap<Term, u64>, value: &mut dyn FnMut(SymbolId) -> u64) -> u64 {
        match self.node(t) {
            Node::Symbol(id) => value(id) & op::mask(self.width(t)),
            _ => self.apply(t, |t| known[&t]),
        }
    }

    /// The value of a term that is no symbol, given those of its operands.
    pub fn apply(&self, t: Term, of: impl Fn(Term) -> u64) -> u64 {
        let width = self.width(t);
        match self.node(t) {
            Node::Const(bits) => bits,
            Node::Symbol(_) => unreachable!("a symbol has no operands"),
            Node::Bin(op, a, b) => op::bin(op, width, of(a), of(b)),
            Node::Cmp(pred, a, b) => op::cmp(pred, self.width(a), of(a), of(b)) as u64,
            Node::Ite { condition, then, otherwise } => of(if of(condition) != 0 { then } else { otherwise }),
            Node::Extract { from, low } => (of(from) >> low) & op::mask(width),
            Node::Concat { high, low } => of(high) << self.width(low) | of(low),
            Node::SignExtend(a) => op::cast(op::CastOp::SExt, self.width(a), width, of(a)),
        }
    }

    /// The value of the term, where not every symbol has one: `None` only if it matters. The side of an if-then-else that is
    /// not chosen does not, nor what stands beside a truth value that settles a conjunction or disjunction.
    pub fn eval_known(&self, t: Term, value: &mut dyn FnMut(SymbolId) -> Option<u64>) -> Option<u64> {
        let mut known: FxHashMap<Term, u64> = FxHashMap::default();
        for part in self.cone(&[t]) {
            let get = |t: Term| known.get(&t).copied();
            let bits = match self.node(part) {
                Node::Symbol(id) => value(id),
                Node::Ite { condition, then, otherwise } => {
                    get(condition).and_then(|c| get(if c != 0 { then } else { otherwise }))
                }
                Node::Bin(op @ (op::BinOp::And | op::BinOp::Or), a, b) if self.width(part) == 1 => {
                    let settles = u64::from(op == op::BinOp::Or);
                    match (get(a), get(b)) {
                        (Some(v), _) | (_, Some(v)) if v == settles => Some(settles),
                        (Some(_), Some(_)) => Some(1 - settles),
                        _ => None,
                    }
                }
                node if node.operands().all(|o| known.contains_key(&o)) => {
                    Some(self.eval_node(part, &known, &mut |_| unreachable!("symbols are handled above")))
                }
                _ => None,
            };
            if let Some(bits) = bits {
                known.insert(part, bits);
            }
        }
        known.get(&t).copied()
    }

    /// The term with symbols replaced by terms of the same width, all at once.
    pub fn substitute(&mut self, t: Term, map: &FxHashMap<SymbolId, Term>) -> Term {
        let mut replaced: FxHashMap<Term, Term> = FxHashMap::default();
        for t in self.cone(&[t]) {
            let of = |t: Term| replaced[&t];
            let node = self.node(t);
            let new = match node {
                Node::Symbol(id) => map.get(&id).copied().unwrap_or(t),
                _ if node.operands().all(|operand| of(operand) == operand) => t,
                Node::Const(_) => t,
                Node::Bin(op, a, b) => self.bin(op, of(a), of(b)),
                Node::Cmp(pred, a, b) => self.cmp(pred, of(a), of(b)),
                Node::Ite { condition, then, otherwise } => self.ite(of(condition), of(then), of(otherwise)),
                Node::Extract { from, low } => self.extract(of(from), low, self.width(t)),
                Node::Concat { high, low } => self.concat(of(high), of(low)),
                Node::SignExtend(a) => self.sign_extend(of(a), self.width(t)),
            };
            assert_eq!(self.width(t), self.width(new), "a symbol was replaced by a term of another width");
            replaced.insert(t, new);
        }
        replaced[&t]
    }
}
