//! What is surely known of a term's value: bits and an unsigned interval, computed once, from the operands' facts.

use crate::op::{self, BinOp, Width};
use crate::store::Terms;
use crate::term::{Node, Term};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub low: u64,
    pub high: u64,
    /// Bits that are surely zero (only within the width).
    pub zeros: u64,
    /// Bits that are surely one.
    pub ones: u64,
}

impl Facts {
    fn unknown(width: Width) -> Facts {
        Facts { low: 0, high: op::mask(width), zeros: 0, ones: 0 }
    }

    fn constant(width: Width, bits: u64) -> Facts {
        Facts { low: bits, high: bits, zeros: !bits & op::mask(width), ones: bits }
    }

    fn interval(width: Width, low: u64, high: u64) -> Facts {
        Facts { low, high, ..Facts::unknown(width) }
    }

    fn bits(width: Width, zeros: u64, ones: u64) -> Facts {
        let mask = op::mask(width);
        Facts { zeros: zeros & mask, ones: ones & mask, ..Facts::unknown(width) }
    }

    pub fn of(terms: &Terms, width: Width, node: Node) -> Facts {
        let raw = match node {
            Node::Const(bits) => return Facts::constant(width, bits),
            Node::Symbol(_) | Node::Cmp(..) => return Facts::unknown(width),
            Node::Bin(op, a, b) => Facts::of_bin(op, width, terms.facts(a), terms.facts(b)),
            Node::Ite { then, otherwise, .. } => terms.facts(then).union(terms.facts(otherwise)),
            Node::Extract { from, low } => terms.facts(from).extract(low, width),
            Node::Concat { high, low } => Facts::of_concat(terms, high, low),
            // A value with a known sign is not sign-extended but put together with a constant.
            Node::SignExtend(a) => Facts::bits(width, terms.facts(a).zeros, terms.facts(a).ones),
        };
        raw.refined(width)
    }

    /// Lets bits and interval learn from each other.
    fn refined(mut self, width: Width) -> Facts {
        let mask = op::mask(width);
        self.low = self.low.max(self.ones);
        self.high = self.high.min(!self.zeros & mask);
        debug_assert!(self.low <= self.high, "contradictory facts {self:?}");
        // The bits above the highest one in which the ends differ are those of every value in between.
        let differing = self.low ^ self.high;
        let common = mask & !u64::MAX.checked_shr(differing.leading_zeros()).unwrap_or(0);
        self.ones |= self.low & common;
        self.zeros |= !self.low & common;
        self
    }

    fn of_bin(op: BinOp, width: Width, a: Facts, b: Facts) -> Facts {
        let mask = op::mask(width);
        match op {
            BinOp::Add => Facts::of_add(width, a, b),
            BinOp::Sub => Facts::of_sub(width, a, b),
            BinOp::Mul => Facts::of_mul(width, a, b),
            // A divisor that may be zero makes any quotient possible.
            BinOp::UDiv if b.low > 0 => Facts::interval(width, a.low / b.high, a.high / b.low),
            BinOp::URem if b.low > 0 => Facts::interval(width, 0, a.high.min(b.high - 1)),
            BinOp::URem => Facts::interval(width, 0, a.high),
            BinOp::UDiv | BinOp::SDiv | BinOp::SRem => Facts::unknown(width),
            BinOp::Shl => Facts::bits(width, op::mask_low(a.zeros.trailing_ones()), 0),
            BinOp::LShr => {
                let high = if b.low >= width as u64 { 0 } else { a.high >> b.low };
                Facts::interval(width, 0, high)
            }
            BinOp::AShr if a.high >> (width - 1) == 0 => Facts::interval(width, 0, a.high),
            BinOp::AShr => Facts::unknown(width),
            BinOp::And => {
                Facts { low: 0, high: a.high.min(b.high), ..Facts::bits(width, a.zeros | b.zeros, a.ones & b.ones) }
            }
            BinOp::Or => {
                Facts { low: a.low.max(b.low), high: mask, ..Facts::bits(width, a.zeros & b.zeros, a.ones | b.ones) }
            }
            BinOp::Xor => {
                let same = (a.zeros & b.zeros) | (a.ones & b.ones);
                Facts::bits(width, same, (a.zeros & b.ones) | (a.ones & b.zeros))
            }
        }
    }

    fn of_add(width: Width, a: Facts, b: Facts) -> Facts {
        let mask = op::mask(width) as u128;
        let (low, high) = (a.low as u128 + b.low as u128, a.high as u128 + b.high as u128);
        // The sum is an interval if it never wraps around or always does.
        let ends = if (low > mask) == (high > mask) { (low & mask, high & mask) } else { (0, mask) };
        Facts { low: ends.0 as u64, high: ends.1 as u64, ..Facts::low_bits(width, a, b, u64::wrapping_add) }
    }

    fn of_sub(width: Width, a: Facts, b: Facts) -> Facts {
        let mask = op::mask(width);
        let ends = if a.low >= b.high || a.high < b.low {
            (a.low.wrapping_sub(b.high) & mask, a.high.wrapping_sub(b.low) & mask)
        } else {
            (0, mask)
        };
        Facts { low: ends.0, high: ends.1, ..Facts::low_bits(width, a, b, u64::wrapping_sub) }
    }

    fn of_mul(width: Width, a: Facts, b: Facts) -> Facts {
        let high = a.high as u128 * b.high as u128;
        let zeros = op::mask_low(a.zeros.trailing_ones() + b.zeros.trailing_ones());
        let bits = Facts::bits(width, zeros, 0);
        if high > op::mask(width) as u128 { bits } else { Facts { low: a.low * b.low, high: high as u64, ..bits } }
    }

    /// Carries only go up: where all lower bits of both operands are known, so are those of the result.
    fn low_bits(width: Width, a: Facts, b: Facts, apply: fn(u64, u64) -> u64) -> Facts {
        let known = ((a.zeros | a.ones) & (b.zeros | b.ones)).trailing_ones();
        let bits = apply(a.ones, b.ones);
        Facts::bits(width, !bits & op::mask_low(known), bits & op::mask_low(known))
    }

    fn union(self, other: Facts) -> Facts {
        Facts {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    fn extract(self, low: u8, width: Width) -> Facts {
        let mask = op::mask(width);
        let bits = Facts::bits(width, self.zeros >> low, self.ones >> low);
        let (first, last) = (self.low >> low, self.high >> low);
        // The interval survives if the bits that are cut off at the top are the same at both ends.
        if first & !mask == last & !mask { Facts { low: first & mask, high: last & mask, ..bits } } else { bits }
    }

    fn of_concat(terms: &Terms, high: Term, low: Term) -> Facts {
        let shift = terms.width(low);
        let (h, l) = (terms.facts(high), terms.facts(low));
        Facts {
            low: h.low << shift | l.low,
            high: h.high << shift | l.high,
            zeros: h.zeros << shift | l.zeros,
            ones: h.ones << shift | l.ones,
        }
    }
}
