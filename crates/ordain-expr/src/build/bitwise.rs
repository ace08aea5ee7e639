//! And, or, exclusive or: of whole values, and of truth values.

use crate::op::{self, BinOp};
use crate::store::Terms;
use crate::term::{Node, Term};

impl Terms {
    pub(super) fn bitwise(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let (a, b) = self.commuted(a, b);
        if a == b {
            return if op == BinOp::Xor { self.constant(self.width(a), 0) } else { a };
        }
        if let Some(simple) = self.bitwise_constant(op, a, b) {
            return simple;
        }
        if let Some(simple) = self.bitwise_pieces(op, a, b) {
            return simple;
        }
        match op {
            BinOp::Xor => self.xor(a, b),
            _ => self.and_or(op, a, b),
        }
    }

    /// Rules for a constant on the right.
    fn bitwise_constant(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let mask = op::mask(width);
        let bits = self.as_const(b)?;
        let facts = self.facts(a);
        match op {
            // All bits that may be one are kept; all bits that get set are set already.
            BinOp::And if facts.zeros | bits == mask => return Some(a),
            BinOp::Or if facts.ones & bits == bits => return Some(a),
            BinOp::Xor if bits == 0 => return Some(a),
            BinOp::Xor if width == 1 => return Some(self.not(a)),
            BinOp::And if bits == 0 => return Some(b),
            BinOp::Or if bits == mask => return Some(b),
            BinOp::And => {
                let (low, length) = (bits.trailing_zeros() as u8, bits.count_ones() as u8);
                if bits >> low == op::mask(length) {
                    return Some(self.keep_bits(a, low, length));
                }
            }
            _ => {}
        }
        let (x, first) = self.as_bin_with_constant(op, a)?;
        let both = self.constant(width, op::bin(op, width, first, bits));
        Some(self.bitwise(op, x, both))
    }

    /// Zero everywhere but in a run of bits.
    fn keep_bits(&mut self, a: Term, low: u8, length: u8) -> Term {
        let width = self.width(a);
        let mut kept = self.extract(a, low, length);
        if low > 0 {
            let below = self.constant(low, 0);
            kept = self.concat(kept, below);
        }
        self.cast(op::CastOp::ZExt, width, kept)
    }

    /// Operands that are put together of pieces are combined piece by piece.
    fn bitwise_pieces(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            let Node::Concat { high, low } = self.node(x) else { continue };
            let other_has_pieces = matches!(self.node(y), Node::Const(_) | Node::Concat { .. });
            let clears_high = op == BinOp::And && self.as_const(high) == Some(0);
            if other_has_pieces || clears_high {
                let split = self.width(low);
                let other_high = self.extract(y, split, self.width(high));
                let other_low = self.extract(y, 0, split);
                let high = self.bin(op, high, other_high);
                let low = self.bin(op, low, other_low);
                return Some(self.concat(high, low));
            }
        }
        None
    }

    /// Constants go outside, what occurs twice cancels out.
    fn xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        for (x, y) in [(a, b), (b, a)] {
            let Node::Bin(BinOp::Xor, p, q) = self.node(x) else { continue };
            if p == y {
                return q;
            }
            if q == y {
                return p;
            }
            if self.as_const(q).is_some() && self.as_const(y).is_none() {
                let rest = self.bitwise(BinOp::Xor, p, y);
                return self.bitwise(BinOp::Xor, rest, q);
            }
        }
        self.intern(width, Node::Bin(BinOp::Xor, a, b))
    }

    fn and_or(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (dual, absorbing) = if op == BinOp::And { (BinOp::Or, 0) } else { (BinOp::And, op::mask(width)) };
        if self.are_complements(a, b) {
            return self.constant(width, absorbing);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(x) {
                // (y & z) & y, and (y | z) & y.
                Node::Bin(inner, p, q) if inner == op && (p == y || q == y) => return x,
                Node::Bin(inner, p, q) if inner == dual && (p == y || q == y) => return y,
                // (!y & z) & y, and (!y | z) & y.
                Node::Bin(inner, p, q) if inner == op && (self.are_complements(p, y) || self.are_complements(q, y)) => {
                    return self.constant(width, absorbing);
                }
                Node::Bin(inner, p, q) if inner == dual && self.are_complements(p, y) => return self.bitwise(op, q, y),
                Node::Bin(inner, p, q) if inner == dual && self.are_complements(q, y) => return self.bitwise(op, p, y),
                _ => {}
            }
        }
        self.intern(width, Node::Bin(op, a, b))
    }

    /// Whether one is surely the negation of the other, bit by bit.
    fn are_complements(&mut self, a: Term, b: Term) -> bool {
        let mask = op::mask(self.width(a));
        let negates = |x: Term, y: Term| match self.node(x) {
            Node::Bin(BinOp::Xor, p, q) => p == y && self.as_const(q) == Some(mask),
            _ => false,
        };
        if negates(a, b) || negates(b, a) {
            return true;
        }
        // The negation of an ordering is an ordering with the sides swapped, perhaps with the next constant.
        match (self.node(a), self.node(b)) {
            (Node::Cmp(_, x, y), Node::Cmp(_, v, w)) if x == w || y == v => self.not(a) == b,
            _ => false,
        }
    }
}
