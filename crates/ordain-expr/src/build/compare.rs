//! Comparisons.

use crate::op::{self, BinOp, CastOp, Pred, Width};
use crate::store::Terms;
use crate::term::{Node, Term};

impl Terms {
    pub fn cmp(&mut self, pred: Pred, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "operands of {pred:?} differ in width");
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.bool(op::cmp(pred, width, x, y));
        }
        if width == 1 {
            return self.cmp_bool(pred, a, b);
        }
        match pred {
            Pred::Eq => self.equal(a, b),
            Pred::Ne => {
                let equal = self.equal(a, b);
                self.not(equal)
            }
            Pred::Ult | Pred::Ule => self.order_unsigned(pred, a, b),
            Pred::Slt | Pred::Sle => self.order_signed(pred, a, b),
        }
    }

    fn cmp_bool(&mut self, pred: Pred, a: Term, b: Term) -> Term {
        let (not_a, not_b) = (self.not(a), self.not(b));
        match pred {
            Pred::Eq => self.bin(BinOp::Xor, a, not_b),
            Pred::Ne => self.bin(BinOp::Xor, a, b),
            Pred::Ult => self.and(not_a, b),
            Pred::Ule => self.or(not_a, b),
            // A single one bit is -1.
            Pred::Slt => self.and(a, not_b),
            Pred::Sle => self.or(a, not_b),
        }
    }

    fn equal(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.commuted(a, b);
        if a == b {
            return self.bool(true);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if x.high < y.low || y.high < x.low || x.zeros & y.ones != 0 || x.ones & y.zeros != 0 {
            return self.bool(false);
        }
        let simpler = match self.as_const(b) {
            Some(bits) => self.equal_constant(a, bits),
            None => self.equal_terms(a, b),
        };
        simpler.unwrap_or_else(|| self.intern(1, Node::Cmp(Pred::Eq, a, b)))
    }

    fn equal_constant(&mut self, a: Term, bits: u64) -> Option<Term> {
        let width = self.width(a);
        let (inner, inner_bits) = self.inverted(a, bits);
        if inner != a {
            return Some(self.equal_to_bits(inner, inner_bits));
        }
        match self.node(a) {
            Node::Bin(BinOp::Sub, x, y) if bits == 0 => Some(self.eq(x, y)),
            Node::Concat { high, low } => {
                let split = self.width(low);
                let high = self.equal_to_bits(high, bits >> split);
                let low = self.equal_to_bits(low, bits);
                Some(self.and(high, low))
            }
            Node::SignExtend(x) => {
                let from = self.width(x);
                let fits = op::cast(CastOp::SExt, from, width, bits & op::mask(from)) == bits;
                Some(if fits { self.equal_to_bits(x, bits) } else { self.bool(false) })
            }
            Node::Ite { condition, then, otherwise } => self.equal_choice(condition, then, otherwise, bits),
            _ => None,
        }
    }

    /// Undoes all operations with constants that can be undone, on both sides of the equation.
    fn inverted(&self, mut a: Term, mut bits: u64) -> (Term, u64) {
        let mask = op::mask(self.width(a));
        loop {
            (a, bits) = match self.node(a) {
                Node::Bin(op, x, y) => match (op, self.as_const(x), self.as_const(y)) {
                    (BinOp::Add, _, Some(c)) => (x, bits.wrapping_sub(c) & mask),
                    (BinOp::Xor, _, Some(c)) => (x, bits ^ c),
                    (BinOp::Sub, Some(c), _) => (y, c.wrapping_sub(bits) & mask),
                    _ => return (a, bits),
                },
                _ => return (a, bits),
            }
        }
    }

    /// A choice of which at least one side is a constant.
    fn equal_choice(&mut self, condition: Term, then: Term, otherwise: Term, bits: u64) -> Option<Term> {
        let (when, constant, rest) = match (self.as_const(then), self.as_const(otherwise)) {
            (Some(constant), _) => (condition, constant, otherwise),
            (None, Some(constant)) => (self.not(condition), constant, then),
            (None, None) => return None,
        };
        // Chains of choices, as loops make them, may be long: they are not unrolled here.
        if matches!(self.node(self.inverted(rest, bits).0), Node::Ite { .. }) {
            return None;
        }
        let rest = self.equal_to_bits(rest, bits);
        Some(if constant == bits {
            self.or(when, rest)
        } else {
            let unless = self.not(when);
            self.and(unless, rest)
        })
    }

    /// Equality with the low bits of `bits`.
    fn equal_to_bits(&mut self, a: Term, bits: u64) -> Term {
        let constant = self.constant(self.width(a), bits);
        self.eq(a, constant)
    }

    fn equal_terms(&mut self, a: Term, b: Term) -> Option<Term> {
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        if x == y {
            return Some(self.bool(c == d));
        }
        if c != 0 && d != 0 {
            let offset = self.constant(self.width(a), d.wrapping_sub(c));
            let other = self.bin(BinOp::Add, y?, offset);
            return Some(self.eq(x?, other));
        }
        for (sum, part) in [(a, b), (b, a)] {
            match self.node(sum) {
                Node::Bin(BinOp::Add | BinOp::Xor, x, y) if y == part => return Some(self.equal_to_bits(x, 0)),
                Node::Bin(BinOp::Add | BinOp::Xor, x, y) if x == part => return Some(self.equal_to_bits(y, 0)),
                Node::Bin(BinOp::Sub, x, y) if x == part => return Some(self.equal_to_bits(y, 0)),
                _ => {}
            }
        }
        match (self.node(a), self.node(b)) {
            (Node::Concat { high: h, low: l }, Node::Concat { high: i, low: m }) if self.width(l) == self.width(m) => {
                let high = self.eq(h, i);
                let low = self.eq(l, m);
                Some(self.and(high, low))
            }
            (Node::SignExtend(x), Node::SignExtend(y)) if self.width(x) == self.width(y) => Some(self.eq(x, y)),
            _ => None,
        }
    }

    fn order_unsigned(&mut self, pred: Pred, a: Term, b: Term) -> Term {
        let max = op::mask(self.width(a));
        if a == b {
            return self.bool(pred == Pred::Ule);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if x.high < y.low || (pred == Pred::Ule && x.high <= y.low) {
            return self.bool(true);
        }
        if x.low > y.high || (pred == Pred::Ult && x.low >= y.high) {
            return self.bool(false);
        }
        match (pred, self.as_const(a), self.as_const(b)) {
            // Neither constant is at its end of the range: that would have been decided above.
            (Pred::Ule, None, Some(bits)) => {
                let next = self.constant(self.width(a), bits + 1);
                return self.order_unsigned(Pred::Ult, a, next);
            }
            (Pred::Ule, Some(bits), None) => {
                let previous = self.constant(self.width(a), bits - 1);
                return self.order_unsigned(Pred::Ult, previous, b);
            }
            (Pred::Ult, None, Some(1)) => return self.equal_to_bits(a, 0),
            (Pred::Ult, Some(bits), None) if bits == max - 1 => return self.equal_to_bits(b, max),
            (Pred::Ult, Some(0), None) => return self.differs_from(b, 0),
            (Pred::Ult, None, Some(bits)) if bits == max => return self.differs_from(a, max),
            _ => {}
        }
        match self.without_common_high(a, b) {
            Some((a, b)) => self.cmp(pred, a, b),
            None => self.intern(1, Node::Cmp(pred, a, b)),
        }
    }

    fn differs_from(&mut self, a: Term, bits: u64) -> Term {
        let equal = self.equal_to_bits(a, bits);
        self.not(equal)
    }

    /// The low parts of two terms whose high parts are the same: only those need to be compared.
    fn without_common_high(&mut self, a: Term, b: Term) -> Option<(Term, Term)> {
        let split = match (self.node(a), self.node(b)) {
            (Node::Concat { high: h, low: l }, Node::Concat { high: i, low: m }) => {
                let same_split = self.width(l) == self.width(m) && h == i;
                let zeros = self.as_const(h) == Some(0) && self.as_const(i) == Some(0);
                (same_split || zeros).then(|| self.width(l).max(self.width(m)))?
            }
            (Node::Concat { high, low }, Node::Const(bits)) | (Node::Const(bits), Node::Concat { high, low }) => {
                (self.as_const(high) == Some(bits >> self.width(low))).then(|| self.width(low))?
            }
            _ => return None,
        };
        Some((self.extract(a, 0, split), self.extract(b, 0, split)))
    }

    fn order_signed(&mut self, pred: Pred, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let sign = 1u64 << (width - 1);
        if a == b {
            return self.bool(pred == Pred::Sle);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if (x.zeros & y.zeros | x.ones & y.ones) & sign != 0 {
            let unsigned = if pred == Pred::Slt { Pred::Ult } else { Pred::Ule };
            return self.order_unsigned(unsigned, a, b);
        }
        if (x.zeros & y.ones | x.ones & y.zeros) & sign != 0 {
            return self.bool(x.ones & sign != 0);
        }
        if let Some(simpler) = self.order_signed_constant(pred, width, a, b) {
            return simpler;
        }
        match (self.node(a), self.node(b)) {
            (Node::SignExtend(x), Node::SignExtend(y)) if self.width(x) == self.width(y) => self.cmp(pred, x, y),
            _ => self.intern(1, Node::Cmp(pred, a, b)),
        }
    }

    /// Comparisons of which one side is a constant: `Slt` only, the sign bit where that is all, no needless extension.
    fn order_signed_constant(&mut self, pred: Pred, width: Width, a: Term, b: Term) -> Option<Term> {
        let (least, greatest) = (1u64 << (width - 1), op::mask(width) >> 1);
        match (pred, self.as_const(a), self.as_const(b)) {
            (Pred::Sle, None, Some(bits)) if bits == greatest => Some(self.bool(true)),
            (Pred::Sle, Some(bits), None) if bits == least => Some(self.bool(true)),
            (Pred::Slt, None, Some(bits)) if bits == least => Some(self.bool(false)),
            (Pred::Slt, Some(bits), None) if bits == greatest => Some(self.bool(false)),
            (Pred::Sle, None, Some(bits)) => {
                let next = self.constant(width, bits.wrapping_add(1));
                Some(self.cmp(Pred::Slt, a, next))
            }
            (Pred::Sle, Some(bits), None) => {
                let previous = self.constant(width, bits.wrapping_sub(1));
                Some(self.cmp(Pred::Slt, previous, b))
            }
            (Pred::Slt, None, Some(0)) => Some(self.extract(a, width - 1, 1)),
            (Pred::Slt, Some(bits), None) if bits == op::mask(width) => {
                let negative = self.extract(b, width - 1, 1);
                Some(self.not(negative))
            }
            (Pred::Slt, None, Some(bits)) => {
                let Node::SignExtend(x) = self.node(a) else { return None };
                Some(match self.narrowed(x, width, bits) {
                    Some(bits) => self.cmp(Pred::Slt, x, bits),
                    None => self.bool(op::signed(width, bits) > 0),
                })
            }
            (Pred::Slt, Some(bits), None) => {
                let Node::SignExtend(x) = self.node(b) else { return None };
                Some(match self.narrowed(x, width, bits) {
                    Some(bits) => self.cmp(Pred::Slt, bits, x),
                    None => self.bool(op::signed(width, bits) < 0),
                })
            }
            _ => None,
        }
    }

    /// The constant in the width of `x`, if its signed value fits.
    fn narrowed(&mut self, x: Term, width: Width, bits: u64) -> Option<Term> {
        let from = self.width(x);
        let fits = op::cast(CastOp::SExt, from, width, bits & op::mask(from)) == bits;
        fits.then(|| self.constant(from, bits))
    }
}
