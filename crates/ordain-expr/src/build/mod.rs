//! Building terms: every constructor simplifies, so that equal values are the same term as often as is cheap to see.
//!
//! The rules keep to a few normal forms. Constants stand on the right, and outermost in sums (`(x + y) + 4`), so that
//! addresses with the same base are compared by their offsets. Whatever merely moves bits (shifts and masks by
//! constants, extension, truncation) becomes `Concat` and `Extract`, so that a value that was taken apart into bytes is
//! itself again when it is put together. Rules look at a bounded number of levels: building never walks a whole term.

mod arith;
mod bitwise;
mod compare;
mod shape;

use crate::op::{self, BinOp, CastOp, Pred, Width};
use crate::store::Terms;
use crate::term::{Node, Term};

impl Terms {
    /// Both operands have the width of the result.
    pub fn bin(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "operands of {op:?} differ in width");
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(width, op::bin(op, width, x, y));
        }
        if width == 1 {
            return self.bin_bool(op, a, b);
        }
        match op {
            BinOp::Add => self.add(a, b),
            BinOp::Sub => self.sub(a, b),
            BinOp::Mul => self.mul(a, b),
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => self.div_rem(op, a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.shift(op, a, b),
            BinOp::And | BinOp::Or | BinOp::Xor => self.bitwise(op, a, b),
        }
    }

    /// On single bits, all operations are logic.
    fn bin_bool(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        match op {
            BinOp::Add | BinOp::Sub => self.bitwise(BinOp::Xor, a, b),
            BinOp::Mul => self.bitwise(BinOp::And, a, b),
            BinOp::And | BinOp::Or | BinOp::Xor => self.bitwise(op, a, b),
            // Dividing by 0 gives all ones, by 1 (or -1, the same bit) the dividend.
            BinOp::UDiv | BinOp::SDiv => {
                let zero = self.not(b);
                self.or(zero, a)
            }
            BinOp::URem | BinOp::SRem | BinOp::Shl | BinOp::LShr => {
                let zero = self.not(b);
                self.and(a, zero)
            }
            BinOp::AShr => a,
        }
    }

    pub fn cast(&mut self, op: CastOp, to: Width, a: Term) -> Term {
        let from = self.width(a);
        match op {
            _ if from == to => a,
            CastOp::Trunc => self.extract(a, 0, to),
            CastOp::ZExt => {
                assert!(from < to, "extension from {from} to {to} bits");
                let zero = self.constant(to - from, 0);
                self.concat(zero, a)
            }
            CastOp::SExt => self.sign_extend(a, to),
        }
    }

    /// The negation of a truth value.
    pub fn not(&mut self, a: Term) -> Term {
        assert_eq!(self.width(a), 1, "negation is for truth values");
        // The opposite of an ordering is an ordering.
        match self.node(a) {
            Node::Const(bits) => self.bool(bits == 0),
            Node::Cmp(Pred::Ult, x, y) => self.cmp(Pred::Ule, y, x),
            Node::Cmp(Pred::Ule, x, y) => self.cmp(Pred::Ult, y, x),
            Node::Cmp(Pred::Slt, x, y) => self.cmp(Pred::Sle, y, x),
            Node::Cmp(Pred::Sle, x, y) => self.cmp(Pred::Slt, y, x),
            Node::Bin(BinOp::Xor, x, y) if self.as_const(y) == Some(1) => x,
            _ => {
                let one = self.bool(true);
                self.intern(1, Node::Bin(BinOp::Xor, a, one))
            }
        }
    }

    /// Bit by bit, of any width.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.bin(BinOp::And, a, b)
    }

    /// Bit by bit, of any width.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.bin(BinOp::Or, a, b)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.cmp(Pred::Eq, a, b)
    }

    /// The operands of an operation of this kind whose right one is a constant.
    fn as_bin_with_constant(&self, op: BinOp, t: Term) -> Option<(Term, u64)> {
        match self.node(t) {
            Node::Bin(found, a, b) if found == op => Some((a, self.as_const(b)?)),
            _ => None,
        }
    }

    /// The node of a commutative operation: constants on the right, otherwise the older operand first.
    fn commuted(&self, a: Term, b: Term) -> (Term, Term) {
        if self.as_const(a).is_some() || (self.as_const(b).is_none() && b < a) { (b, a) } else { (a, b) }
    }
}
