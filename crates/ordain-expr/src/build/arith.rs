//! Sums, products, quotients and shifts.

use crate::op::{self, BinOp, Width};
use crate::store::Terms;
use crate::term::{Node, Term};

impl Terms {
    /// The term as a sum of a rest (none: zero) and a constant.
    pub(super) fn split_sum(&self, t: Term) -> (Option<Term>, u64) {
        match (self.as_const(t), self.as_bin_with_constant(BinOp::Add, t)) {
            (Some(bits), _) => (None, bits),
            (None, Some((rest, bits))) => (Some(rest), bits),
            (None, None) => (Some(t), 0),
        }
    }

    fn add_constant(&mut self, width: Width, t: Option<Term>, bits: u64) -> Term {
        let bits = bits & op::mask(width);
        match t {
            None => self.constant(width, bits),
            Some(t) if bits == 0 => t,
            // The rest may have turned out to be a sum with a constant itself.
            Some(t) => match self.split_sum(t) {
                (rest, 0) if rest == Some(t) => {
                    let b = self.constant(width, bits);
                    self.intern(width, Node::Bin(BinOp::Add, t, b))
                }
                (rest, more) => self.add_constant(width, rest, bits.wrapping_add(more)),
            },
        }
    }

    /// The operands of a difference.
    fn as_sub(&self, t: Term) -> Option<(Term, Term)> {
        match self.node(t) {
            Node::Bin(BinOp::Sub, a, b) => Some((a, b)),
            _ => None,
        }
    }

    fn as_negated(&self, t: Term) -> Option<Term> {
        self.as_sub(t).filter(|&(zero, _)| self.as_const(zero) == Some(0)).map(|(_, b)| b)
    }

    pub(super) fn add(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        let sum = match (x, y) {
            (Some(x), Some(y)) => Some(self.add_rests(x, y)),
            (x, y) => x.or(y),
        };
        self.add_constant(width, sum, c.wrapping_add(d))
    }

    fn add_rests(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            if let Some(negated) = self.as_negated(y) {
                return self.sub(x, negated);
            }
            match self.as_sub(y) {
                Some((z, same)) if same == x => return z,
                _ => {}
            }
        }
        let (a, b) = self.commuted(a, b);
        self.intern(self.width(a), Node::Bin(BinOp::Add, a, b))
    }

    pub(super) fn sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        let difference = match (x, y) {
            (x, None) => x,
            (x, Some(y)) => self.sub_rests(width, x, y),
        };
        self.add_constant(width, difference, c.wrapping_sub(d))
    }

    fn sub_rests(&mut self, width: Width, a: Option<Term>, b: Term) -> Option<Term> {
        let Some(a) = a else {
            return Some(match self.as_sub(b) {
                Some((x, y)) => self.sub(y, x),
                None => {
                    let zero = self.constant(width, 0);
                    self.intern(width, Node::Bin(BinOp::Sub, zero, b))
                }
            });
        };
        if a == b {
            return None;
        }
        if let Some(negated) = self.as_negated(b) {
            return Some(self.add(a, negated));
        }
        match self.node(a) {
            Node::Bin(BinOp::Add, x, y) if y == b => return Some(x),
            Node::Bin(BinOp::Add, x, y) if x == b => return Some(y),
            _ => {}
        }
        match self.node(b) {
            Node::Bin(BinOp::Add, x, y) if y == a => return self.sub_rests(width, None, x),
            Node::Bin(BinOp::Add, x, y) if x == a => return self.sub_rests(width, None, y),
            Node::Bin(BinOp::Sub, x, y) if x == a => return Some(y),
            _ => {}
        }
        Some(self.intern(width, Node::Bin(BinOp::Sub, a, b)))
    }

    pub(super) fn mul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.commuted(a, b);
        let width = self.width(a);
        match self.as_const(b) {
            Some(factor) => self.mul_constant(width, a, factor),
            None => self.intern(width, Node::Bin(BinOp::Mul, a, b)),
        }
    }

    fn mul_constant(&mut self, width: Width, a: Term, factor: u64) -> Term {
        if factor == op::mask(width) {
            let zero = self.constant(width, 0);
            return self.sub(zero, a);
        }
        if factor == 0 {
            return self.constant(width, 0);
        }
        if let Some((x, first)) = self.as_bin_with_constant(BinOp::Mul, a) {
            return self.mul_constant(width, x, first.wrapping_mul(factor) & op::mask(width));
        }
        // The constant goes outside: elements of arrays are compared by their offsets.
        if let Some((x, offset)) = self.as_bin_with_constant(BinOp::Add, a) {
            let product = self.mul_constant(width, x, factor);
            let offset = self.constant(width, offset.wrapping_mul(factor));
            return self.add(product, offset);
        }
        if factor.is_power_of_two() {
            return self.shift_left(a, factor.trailing_zeros() as u8);
        }
        let b = self.constant(width, factor);
        self.intern(width, Node::Bin(BinOp::Mul, a, b))
    }

    pub(super) fn div_rem(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let sign = 1u64 << (width - 1);
        let op = match op {
            BinOp::SDiv if self.facts(a).zeros & self.facts(b).zeros & sign != 0 => BinOp::UDiv,
            BinOp::SRem if self.facts(a).zeros & self.facts(b).zeros & sign != 0 => BinOp::URem,
            op => op,
        };
        let smaller = self.facts(a).high < self.facts(b).low;
        match (op, self.as_const(b)) {
            (BinOp::UDiv | BinOp::SDiv, Some(1)) => a,
            (BinOp::URem | BinOp::SRem, Some(1)) => self.constant(width, 0),
            (BinOp::SRem, Some(minus_one)) if minus_one == op::mask(width) => self.constant(width, 0),
            (BinOp::SDiv, Some(minus_one)) if minus_one == op::mask(width) => {
                let zero = self.constant(width, 0);
                self.sub(zero, a)
            }
            (BinOp::UDiv, Some(d)) if d.is_power_of_two() => self.shift_right(a, d.trailing_zeros() as u8),
            (BinOp::URem, Some(d)) if d.is_power_of_two() => {
                let mask = self.constant(width, d - 1);
                self.and(a, mask)
            }
            (BinOp::UDiv, _) if smaller => self.constant(width, 0),
            (BinOp::URem, _) if smaller => a,
            _ => self.intern(width, Node::Bin(op, a, b)),
        }
    }

    pub(super) fn shift(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let Some(amount) = self.as_const(b) else {
            return match self.as_const(a) {
                Some(0) => a,
                _ => self.intern(width, Node::Bin(op, a, b)),
            };
        };
        let amount = amount.min(width as u64) as u8;
        match op {
            BinOp::Shl => self.shift_left(a, amount),
            BinOp::LShr => self.shift_right(a, amount),
            _ => {
                let amount = amount.min(width - 1);
                let rest = self.extract(a, amount, width - amount);
                self.sign_extend(rest, width)
            }
        }
    }

    fn shift_left(&mut self, a: Term, amount: u8) -> Term {
        let width = self.width(a);
        match amount {
            0 => a,
            _ if amount >= width => self.constant(width, 0),
            _ => {
                let rest = self.extract(a, 0, width - amount);
                let zero = self.constant(amount, 0);
                self.concat(rest, zero)
            }
        }
    }

    fn shift_right(&mut self, a: Term, amount: u8) -> Term {
        let width = self.width(a);
        match amount {
            0 => a,
            _ if amount >= width => self.constant(width, 0),
            _ => {
                let rest = self.extract(a, amount, width - amount);
                let zero = self.constant(amount, 0);
                self.concat(zero, rest)
            }
        }
    }
}
