//! Taking values apart, putting them together, choosing between them.

use crate::op::{self, BinOp, CastOp, Width};
use crate::store::Terms;
use crate::term::{Node, Term};

impl Terms {
    /// `width` bits of `a`, beginning with bit `low_bit`.
    pub fn extract(&mut self, a: Term, low_bit: Width, width: Width) -> Term {
        let whole = self.width(a);
        assert!(width > 0 && low_bit + width <= whole, "bits {low_bit}+{width} of {whole}");
        if width == whole {
            return a;
        }
        match self.node(a) {
            Node::Extract { from, low } => self.extract(from, low + low_bit, width),
            Node::Concat { high, low } => self.extract_from_pieces(high, low, low_bit, width),
            Node::SignExtend(x) => {
                let inner = self.width(x);
                if low_bit + width <= inner {
                    return self.extract(x, low_bit, width);
                }
                // What lies beyond the sign bit is copies of it.
                let first = low_bit.min(inner - 1);
                let part = self.extract(x, first, inner - first);
                self.sign_extend(part, width)
            }
            _ => self.intern(width, Node::Extract { from: a, low: low_bit }),
        }
    }

    fn extract_from_pieces(&mut self, high: Term, low: Term, low_bit: Width, width: Width) -> Term {
        let split = self.width(low);
        if low_bit >= split {
            return self.extract(high, low_bit - split, width);
        }
        if low_bit + width <= split {
            return self.extract(low, low_bit, width);
        }
        let upper = self.extract(high, 0, low_bit + width - split);
        let lower = self.extract(low, low_bit, split - low_bit);
        self.concat(upper, lower)
    }

    /// The bits of `high` above those of `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = self.width(high) + self.width(low);
        assert!(width <= 64, "a term of {width} bits");
        // A list of pieces, from the highest down: `high` is never a concatenation itself.
        if let Node::Concat { high: first, low: second } = self.node(high) {
            let rest = self.concat(second, low);
            return self.concat(first, rest);
        }
        if let Some(merged) = self.merge(high, low) {
            return merged;
        }
        if let Node::Concat { high: next, low: rest } = self.node(low)
            && let Some(merged) = self.merge(high, next)
        {
            return self.concat(merged, rest);
        }
        self.intern(width, Node::Concat { high, low })
    }

    /// Two adjacent pieces as one, if they belong together.
    fn merge(&mut self, high: Term, low: Term) -> Option<Term> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        match (self.node(high), self.node(low)) {
            (Node::Const(h), Node::Const(l)) => Some(self.constant(high_width + low_width, h << low_width | l)),
            (Node::Extract { from: a, low: i }, Node::Extract { from: b, low: j }) if a == b && i == j + low_width => {
                Some(self.extract(a, j, high_width + low_width))
            }
            (Node::Const(bits), Node::Extract { from, low: first }) => {
                self.widen_up(high_width, bits, from, first, low_width)
            }
            (Node::Extract { from, low: first }, Node::Const(bits)) => {
                self.widen_down(from, first, high_width, low_width, bits)
            }
            // Copies of the sign bit above the value.
            (Node::SignExtend(bit), _) if self.width(bit) == 1 && self.extract(low, low_width - 1, 1) == bit => {
                Some(self.sign_extend(low, high_width + low_width))
            }
            // The extended upper part of a value, above its lower part.
            (Node::SignExtend(part), Node::Extract { .. }) if matches!(self.node(part), Node::Extract { .. }) => {
                let whole = self.merge(part, low)?;
                Some(self.sign_extend(whole, high_width + low_width))
            }
            _ => None,
        }
    }

    /// A constant above bits of a term: if they are what the term is known to have there, they are the term's bits.
    fn widen_up(&mut self, width: Width, bits: u64, from: Term, first: u8, length: Width) -> Option<Term> {
        let taken = width.min(self.width(from) - first - length);
        let known = self.known_run(from, first + length, taken)?;
        if known != bits & op::mask(taken) {
            return None;
        }
        let wider = self.extract(from, first, length + taken);
        if taken == width {
            return Some(wider);
        }
        let rest = self.constant(width - taken, bits >> taken);
        Some(self.concat(rest, wider))
    }

    /// The same, for a constant below bits of a term.
    fn widen_down(&mut self, from: Term, first: u8, length: Width, width: Width, bits: u64) -> Option<Term> {
        let taken = width.min(first);
        let known = self.known_run(from, first - taken, taken)?;
        if known != bits >> (width - taken) {
            return None;
        }
        let wider = self.extract(from, first - taken, length + taken);
        if taken == width {
            return Some(wider);
        }
        let rest = self.constant(width - taken, bits);
        Some(self.concat(wider, rest))
    }

    /// The value of a run of at least one bit of the term, if all of them are known.
    fn known_run(&self, t: Term, first: u8, length: Width) -> Option<u64> {
        if length == 0 {
            return None;
        }
        let facts = self.facts(t);
        let mask = op::mask(length);
        ((facts.zeros | facts.ones) >> first & mask == mask).then_some(facts.ones >> first & mask)
    }

    pub(crate) fn sign_extend(&mut self, a: Term, to: Width) -> Term {
        let from = self.width(a);
        assert!(from <= to && to <= 64, "extension from {from} to {to} bits");
        if from == to {
            return a;
        }
        if let Some(sign) = self.known_run(a, from - 1, 1) {
            let above = self.constant(to - from, if sign == 1 { u64::MAX } else { 0 });
            return self.concat(above, a);
        }
        match self.node(a) {
            Node::SignExtend(x) => self.sign_extend(x, to),
            _ => self.intern(to, Node::SignExtend(a)),
        }
    }

    /// `a` if the truth value `c` holds, else `b`.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        assert_eq!(self.width(c), 1, "a condition is a truth value");
        let width = self.width(a);
        assert_eq!(width, self.width(b), "the sides of a choice differ in width");
        if a == b {
            return a;
        }
        match self.node(c) {
            Node::Const(bits) => return if bits != 0 { a } else { b },
            Node::Bin(BinOp::Xor, x, y) if self.as_const(y) == Some(1) => return self.ite(x, b, a),
            _ => {}
        }
        let (a, b) = self.assume_condition(c, a, b);
        if a == b {
            return a;
        }
        let simpler = if width == 1 { self.ite_bool(c, a, b) } else { self.ite_zero_extended(c, a, b) };
        if let Some(simpler) = simpler.or_else(|| self.ite_nested(c, a, b)) {
            return simpler;
        }
        self.intern(width, Node::Ite { condition: c, then: a, otherwise: b })
    }

    /// A side that is a choice by the same condition is already decided.
    fn assume_condition(&self, c: Term, a: Term, b: Term) -> (Term, Term) {
        let a = match self.node(a) {
            Node::Ite { condition, then, .. } if condition == c => then,
            _ => a,
        };
        let b = match self.node(b) {
            Node::Ite { condition, otherwise, .. } if condition == c => otherwise,
            _ => b,
        };
        (a, b)
    }

    fn ite_bool(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        match (self.as_const(a), self.as_const(b)) {
            (Some(1), _) => return Some(self.or(c, b)),
            (_, Some(0)) => return Some(self.and(c, a)),
            _ if a == c => return Some(self.or(c, b)),
            _ if b == c => return Some(self.and(c, a)),
            _ => {}
        }
        let not_c = self.not(c);
        match (self.as_const(a), self.as_const(b)) {
            (Some(_), _) => Some(self.and(not_c, b)),
            (_, Some(_)) => Some(self.or(not_c, a)),
            _ => None,
        }
    }

    /// Both sides have the same constant above: so has the choice.
    fn ite_zero_extended(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        match (self.as_const(a), self.as_const(b)) {
            (Some(1), Some(0)) => return Some(self.cast(CastOp::ZExt, width, c)),
            (Some(0), Some(1)) => {
                let not_c = self.not(c);
                return Some(self.cast(CastOp::ZExt, width, not_c));
            }
            _ => {}
        }
        let high = match (self.node(a), self.node(b)) {
            (Node::Concat { high, .. }, _) | (_, Node::Concat { high, .. }) if self.as_const(high).is_some() => high,
            _ => return None,
        };
        let split = width - self.width(high);
        let both = [a, b].map(|side| self.extract(side, split, width - split));
        if both != [high, high] {
            return None;
        }
        let (a, b) = (self.extract(a, 0, split), self.extract(b, 0, split));
        let low = self.ite(c, a, b);
        Some(self.concat(high, low))
    }

    /// Two conditions that lead to the same side are one.
    fn ite_nested(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        if let Node::Ite { condition, then, otherwise } = self.node(b)
            && then == a
        {
            let either = self.or(c, condition);
            return Some(self.ite(either, a, otherwise));
        }
        if let Node::Ite { condition, then, otherwise } = self.node(a)
            && otherwise == b
        {
            let both = self.and(c, condition);
            return Some(self.ite(both, then, b));
        }
        None
    }
}
