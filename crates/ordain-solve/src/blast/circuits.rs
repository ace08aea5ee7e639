//! Arithmetic on vectors of literals, lowest bit first.
//!
//! Division by zero and shifts past the width give what SMT-LIB says, without special cases.

use std::iter::zip;

use super::gates::Circuit;
use crate::order::{Lit, OrderSolver};

pub struct Division {
    pub quotient: Vec<Lit>,
    pub remainder: Vec<Lit>,
}

impl<S: OrderSolver> Circuit<'_, S> {
    pub fn bitwise(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Self, Lit, Lit) -> Lit) -> Vec<Lit> {
        zip(a, b).map(|(&x, &y)| gate(self, x, y)).collect()
    }

    pub fn choose(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Vec<Lit> {
        zip(then, otherwise).map(|(&x, &y)| self.choose_bit(condition, x, y)).collect()
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        assert_eq!(a.len(), b.len(), "only terms of the same width can be equal");
        let same = zip(a, b).map(|(&x, &y)| !self.xor(x, y)).collect();
        self.all(same)
    }

    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // Going up, each bit that differs overrules those below.
        zip(a, b).fold(Lit::FALSE, |below, (&x, &y)| self.majority(!x, y, below))
    }

    pub fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let sign = a.len() - 1;
        let below = self.less(&a[..sign], &b[..sign]);
        self.majority(a[sign], !b[sign], below)
    }

    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.add_with_carry(a, b, Lit::FALSE)
    }

    pub fn sub(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let inverted: Vec<Lit> = b.iter().map(|&lit| !lit).collect();
        self.add_with_carry(a, &inverted, Lit::TRUE)
    }

    fn add_with_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        let mut sum = Vec::with_capacity(a.len());
        for (i, (&x, &y)) in zip(a, b).enumerate() {
            let half = self.xor(x, y);
            sum.push(self.xor(half, carry));
            // Nobody looks at the last carry.
            if i + 1 < a.len() {
                carry = self.majority(x, y, carry);
            }
        }
        sum
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        // -a is ~a + 1; the condition is what is inverted with, and the 1.
        let inverted: Vec<Lit> = a.iter().map(|&lit| self.xor(lit, condition)).collect();
        self.add_with_carry(&inverted, &vec![Lit::FALSE; a.len()], condition)
    }

    /// The sum of `a`, shifted, for every bit of `b` that is set.
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let zeros = |bits: &[Lit]| bits.iter().filter(|&&lit| lit == Lit::FALSE).count();
        // Bits that are known to be zero need no adder.
        let (a, b) = if zeros(a) > zeros(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = vec![Lit::FALSE; width];
        for (i, &bit) in b.iter().enumerate().filter(|&(_, &bit)| bit != Lit::FALSE) {
            let row: Vec<Lit> = a[..width - i].iter().map(|&lit| self.and(lit, bit)).collect();
            let upper = self.add(&sum[i..], &row);
            sum.splice(i.., upper);
        }
        sum
    }

    /// Long division. For divisor zero every comparison succeeds: the quotient is all ones, the remainder the dividend.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> Division {
        let width = a.len();
        // For each length, whether the divisor is longer.
        let mut longer = vec![Lit::FALSE; width + 1];
        for i in (0..width).rev() {
            longer[i] = self.or(b[i], longer[i + 1]);
        }
        // The remainder is at most the dividend's bits so far, and so never longer than those are.
        let mut remainder = Vec::with_capacity(width);
        let mut quotient = vec![Lit::FALSE; width];
        for i in (0..width).rev() {
            remainder.insert(0, a[i]);
            let divisor = &b[..remainder.len()];
            let less = self.less(&remainder, divisor);
            let fits = self.and(!less, !longer[divisor.len()]);
            let reduced = self.sub(&remainder, divisor);
            remainder = self.choose(fits, &reduced, &remainder);
            quotient[i] = fits;
        }
        Division { quotient, remainder }
    }

    /// Divides absolute values. The quotient is negative if the signs differ, the remainder if the dividend is negative.
    pub fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> Division {
        let (a_sign, b_sign) = (a[a.len() - 1], b[b.len() - 1]);
        let (a, b) = (self.negate_if(a_sign, a), self.negate_if(b_sign, b));
        let absolute = self.divide(&a, &b);
        let signs_differ = self.xor(a_sign, b_sign);
        Division {
            quotient: self.negate_if(signs_differ, &absolute.quotient),
            remainder: self.negate_if(a_sign, &absolute.remainder),
        }
    }

    pub fn shift_left(&mut self, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        let reversed: Vec<Lit> = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&reversed, amount, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    /// Shifts by each power of two that is set in the amount; `fill` comes in from above.
    pub fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut too_far = Vec::new();
        for (k, &set) in amount.iter().enumerate() {
            let distance = 1usize.checked_shl(k as u32).filter(|&distance| distance < width);
            let Some(distance) = distance else {
                too_far.push(set);
                continue;
            };
            let mut shifted = bits[distance..].to_vec();
            shifted.resize(width, fill);
            bits = self.choose(set, &shifted, &bits);
        }
        let too_far = self.any(too_far);
        self.choose(too_far, &vec![fill; width], &bits)
    }
}
