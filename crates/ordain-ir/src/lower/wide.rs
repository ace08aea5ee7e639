//! Integers of 65 to 128 bits, as sequences of 64-bit operations.
//!
//! Such a value is two registers: the low 64 bits, and the rest. Shifts of a register by 64 or more, also by amounts that
//! wrapped around, give zero (see `ordain_expr::op`), which is what makes the shifts below work without branches.
//! Divisions were replaced by calls of models (see `canonical`).

use super::function::{Body, NotUnderstood};
use super::lanes::Lane;
use crate::program::Operand;
use crate::shape::Scalar;
use ordain_expr::op::{BinOp, CastOp, Pred, Width};

const WORD: Width = 64;
const LOW_HALF: Operand = Operand::Imm(0xffff_ffff);
const HALF: Operand = Operand::Imm(32);

/// Low and high register.
type Pair = (Operand, Operand);

pub(super) fn pair(lane: &Lane) -> Result<Pair, NotUnderstood> {
    match lane[..] {
        [low, high] => Ok((low, high)),
        _ => Err("a wide number of an unknown shape".into()),
    }
}

impl Body<'_> {
    pub(super) fn wide_binary(&mut self, op: BinOp, width: Width, a: &Lane, b: &Lane) -> Result<Lane, NotUnderstood> {
        let (a, b, rest) = (pair(a)?, pair(b)?, width - WORD);
        let (low, high) = match op {
            BinOp::And | BinOp::Or | BinOp::Xor => (self.bin(op, WORD, a.0, b.0), self.bin(op, rest, a.1, b.1)),
            BinOp::Add => {
                let low = self.bin(op, WORD, a.0, b.0);
                let carry = self.cmp(Pred::Ult, WORD, low, a.0);
                (low, self.with_carry(op, rest, a.1, b.1, carry))
            }
            BinOp::Sub => {
                let borrow = self.cmp(Pred::Ult, WORD, a.0, b.0);
                (self.bin(op, WORD, a.0, b.0), self.with_carry(op, rest, a.1, b.1, borrow))
            }
            BinOp::Mul => self.wide_product_low(rest, a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.wide_shift(op, rest, a, b.0),
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => {
                return Err(format!("a division of {width}-bit integers"));
            }
        };
        Ok(vec![low, high])
    }

    fn with_carry(&mut self, op: BinOp, rest: Width, a: Operand, b: Operand, carry: Operand) -> Operand {
        let carry = self.extend(CastOp::ZExt, carry, 1, rest);
        let without = self.bin(op, rest, a, b);
        self.bin(op, rest, without, carry)
    }

    /// All bits of the product of two 64-bit numbers.
    pub(super) fn full_product(&mut self, a: Operand, b: Operand) -> Pair {
        let halves =
            |body: &mut Self, x| (body.bin(BinOp::And, WORD, x, LOW_HALF), body.bin(BinOp::LShr, WORD, x, HALF));
        let ((a0, a1), (b0, b1)) = (halves(self, a), halves(self, b));
        let mut times = |x, y| self.bin(BinOp::Mul, WORD, x, y);
        let (low, cross, other, high) = (times(a0, b0), times(a0, b1), times(a1, b0), times(a1, b1));
        let whole = times(a, b);
        let (cross_low, cross_high) = halves(self, cross);
        let (other_low, other_high) = halves(self, other);
        let low_high = self.bin(BinOp::LShr, WORD, low, HALF);
        let mut plus = |x, y| self.bin(BinOp::Add, WORD, x, y);
        let middle = plus(cross_low, other_low);
        let middle = plus(middle, low_high);
        let upper = plus(cross_high, other_high);
        let upper = plus(high, upper);
        let carried = self.bin(BinOp::LShr, WORD, middle, HALF);
        (whole, self.bin(BinOp::Add, WORD, upper, carried))
    }

    fn wide_product_low(&mut self, rest: Width, a: Pair, b: Pair) -> Pair {
        let (low, high) = self.full_product(a.0, b.0);
        let (a1, b1) = (self.extend(CastOp::ZExt, a.1, rest, WORD), self.extend(CastOp::ZExt, b.1, rest, WORD));
        let (cross, other) = (self.bin(BinOp::Mul, WORD, a.0, b1), self.bin(BinOp::Mul, WORD, a1, b.0));
        let high = self.bin(BinOp::Add, WORD, high, cross);
        let high = self.bin(BinOp::Add, WORD, high, other);
        (low, self.extend(CastOp::Trunc, high, WORD, rest))
    }

    fn wide_shift(&mut self, op: BinOp, rest: Width, a: Pair, amount: Operand) -> Pair {
        let extension = if op == BinOp::AShr { CastOp::SExt } else { CastOp::ZExt };
        let (low, high) = (a.0, self.extend(extension, a.1, rest, WORD));
        let back = self.bin(BinOp::Sub, WORD, Operand::Imm(64), amount);
        let beyond = self.bin(BinOp::Sub, WORD, amount, Operand::Imm(64));
        let (low, high) = match op {
            BinOp::Shl => {
                let near = self.bin(BinOp::Shl, WORD, high, amount);
                let carried = self.bin(BinOp::LShr, WORD, low, back);
                let far = self.bin(BinOp::Shl, WORD, low, beyond);
                let high = self.bin(BinOp::Or, WORD, near, carried);
                (self.bin(BinOp::Shl, WORD, low, amount), self.bin(BinOp::Or, WORD, high, far))
            }
            _ => {
                let near = self.bin(BinOp::LShr, WORD, low, amount);
                let carried = self.bin(BinOp::Shl, WORD, high, back);
                let near = self.bin(BinOp::Or, WORD, near, carried);
                let far = self.bin(op, WORD, high, beyond);
                let low = match op {
                    BinOp::AShr => {
                        let is_near = self.cmp(Pred::Ult, WORD, amount, Operand::Imm(64));
                        self.select_value(WORD, is_near, near, far)
                    }
                    _ => self.bin(BinOp::Or, WORD, near, far),
                };
                (low, self.bin(op, WORD, high, amount))
            }
        };
        (low, self.extend(CastOp::Trunc, high, WORD, rest))
    }

    pub(super) fn wide_compare(
        &mut self,
        pred: Pred,
        width: Width,
        a: &Lane,
        b: &Lane,
    ) -> Result<Operand, NotUnderstood> {
        let (a, b, rest) = (pair(a)?, pair(b)?, width - WORD);
        let (low, high) = match pred {
            Pred::Eq | Pred::Ne => (pred, pred),
            Pred::Ult => (Pred::Ult, Pred::Ult),
            Pred::Ule => (Pred::Ule, Pred::Ult),
            Pred::Slt => (Pred::Ult, Pred::Slt),
            Pred::Sle => (Pred::Ule, Pred::Slt),
        };
        let (low, high) = (self.cmp(low, WORD, a.0, b.0), self.cmp(high, rest, a.1, b.1));
        Ok(match pred {
            Pred::Eq => self.bin(BinOp::And, 1, low, high),
            Pred::Ne => self.bin(BinOp::Or, 1, low, high),
            _ => {
                let same = self.cmp(Pred::Eq, rest, a.1, b.1);
                let low = self.bin(BinOp::And, 1, same, low);
                self.bin(BinOp::Or, 1, high, low)
            }
        })
    }

    /// Truncates or extends between integers of any width up to 128 bits.
    pub(super) fn int_cast(&mut self, op: CastOp, from: Scalar, to: Scalar, a: &Lane) -> Result<Lane, NotUnderstood> {
        Ok(match (from, to) {
            (Scalar::Int(from), Scalar::Int(to)) => vec![self.extend(op, a[0], from, to)],
            (Scalar::Wide(_), Scalar::Int(to)) => vec![self.extend(CastOp::Trunc, a[0], WORD, to)],
            (Scalar::Int(from), Scalar::Wide(to)) => {
                let low = self.extend(op, a[0], from, WORD);
                let high = match op {
                    CastOp::SExt => self.bin(BinOp::AShr, WORD, low, Operand::Imm(63)),
                    _ => Operand::Imm(0),
                };
                vec![low, self.extend(CastOp::Trunc, high, WORD, to - WORD)]
            }
            (Scalar::Wide(from), Scalar::Wide(to)) => {
                let (low, high) = pair(a)?;
                vec![low, self.extend(op, high, from - WORD, to - WORD)]
            }
            _ => return Err("a cast of an unknown kind".into()),
        })
    }
}
