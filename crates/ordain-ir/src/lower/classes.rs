//! `llvm.is.fpclass`: what kind of floating-point number a value is, found out from its bits. `isnan` and the like are this.

use super::function::{Body, NotUnderstood};
use super::lanes::Lane;
use super::wide::pair;
use crate::llvm::Value;
use crate::program::Operand;
use crate::shape::Scalar;
use ordain_expr::float::Format;
use ordain_expr::op::{BinOp, Pred, Width};

/// One bit for each of the ten classes that are asked for.
const SIGNALING_NAN: u64 = 1;
const QUIET_NAN: u64 = 2;
/// Negative and positive infinities, normal and subnormal numbers, zeros.
const SIGNED: [(u64, u64); 4] = [(1 << 2, 1 << 9), (1 << 3, 1 << 8), (1 << 4, 1 << 7), (1 << 5, 1 << 6)];

/// Whether a value is of a class, one bit each.
struct Classes {
    negative: Operand,
    /// In the order of `SIGNED`.
    signed: [Operand; 4],
    nan: Operand,
    quiet: Operand,
}

impl Body<'_> {
    pub(super) fn is_of_class(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let kind = self.element(i.operand(0).ty())?;
        let wanted = i.operand(1).as_int().ok_or("a test for classes that are not constant")?;
        self.each_lane(i, &[i.operand(0)], |body, lanes| {
            let classes = match kind {
                Scalar::Float(format) => body.classes(format, lanes[0][0]),
                Scalar::Extended => body.extended_classes(&lanes[0])?,
                _ => return Err("the class of an integer".into()),
            };
            Ok(vec![body.any_wanted(wanted, &classes)])
        })
    }

    fn any_wanted(&mut self, wanted: u64, classes: &Classes) -> Operand {
        let positive = self.bin(BinOp::Xor, 1, classes.negative, Operand::Imm(1));
        let mut result = Operand::Imm(0);
        for ((minus, plus), class) in SIGNED.into_iter().zip(classes.signed) {
            let here = match (wanted & minus != 0, wanted & plus != 0) {
                (true, true) => class,
                (true, false) => self.bin(BinOp::And, 1, class, classes.negative),
                (false, true) => self.bin(BinOp::And, 1, class, positive),
                (false, false) => continue,
            };
            result = self.bin(BinOp::Or, 1, result, here);
        }
        let signaling = self.bin(BinOp::Xor, 1, classes.quiet, Operand::Imm(1));
        let here = match (wanted & SIGNALING_NAN != 0, wanted & QUIET_NAN != 0) {
            (true, true) => classes.nan,
            (true, false) => self.bin(BinOp::And, 1, classes.nan, signaling),
            (false, true) => self.bin(BinOp::And, 1, classes.nan, classes.quiet),
            (false, false) => return result,
        };
        self.bin(BinOp::Or, 1, result, here)
    }

    /// Without its sign, a number's bits are ordered like the number.
    fn classes(&mut self, format: Format, bits: Operand) -> Classes {
        let width = format.width();
        let (sign, infinity, least_normal) = landmarks(format);
        let size = self.bin(BinOp::And, width, bits, Operand::Imm(sign - 1));
        let negative = self.cmp(Pred::Slt, width, bits, Operand::Imm(0));
        let zero = self.cmp(Pred::Eq, width, size, Operand::Imm(0));
        let infinite = self.cmp(Pred::Eq, width, size, Operand::Imm(infinity));
        let subnormal = self.between(width, size, 1, least_normal);
        let normal = self.between(width, size, least_normal, infinity);
        let nan = self.cmp(Pred::Ult, width, Operand::Imm(infinity), size);
        let quiet = self.cmp(Pred::Ule, width, Operand::Imm(infinity + least_normal / 2), size);
        Classes { negative, signed: [infinite, normal, subnormal, zero], nan, quiet }
    }

    /// Whether `from <= x < to`.
    fn between(&mut self, width: Width, x: Operand, from: u64, to: u64) -> Operand {
        let above = self.bin(BinOp::Sub, width, x, Operand::Imm(from));
        self.cmp(Pred::Ult, width, above, Operand::Imm(to - from))
    }

    fn extended_classes(&mut self, lane: &Lane) -> Result<Classes, NotUnderstood> {
        const MOST: Operand = Operand::Imm(0x7fff);
        let (significand, top) = pair(lane)?;
        let negative = self.cmp(Pred::Slt, 16, top, Operand::Imm(0));
        let exponent = self.bin(BinOp::And, 16, top, MOST);
        let (least, most) = (self.cmp(Pred::Eq, 16, exponent, Operand::Imm(0)), self.cmp(Pred::Eq, 16, exponent, MOST));
        let empty = self.cmp(Pred::Eq, 64, significand, Operand::Imm(0));
        let some = self.bin(BinOp::Xor, 1, empty, Operand::Imm(1));
        // The leading one is written out here.
        let fraction = self.bin(BinOp::Shl, 64, significand, Operand::Imm(1));
        let whole = self.cmp(Pred::Eq, 64, fraction, Operand::Imm(0));
        let broken = self.bin(BinOp::Xor, 1, whole, Operand::Imm(1));
        let quiet = self.cmp(Pred::Slt, 64, fraction, Operand::Imm(0));
        let extreme = self.bin(BinOp::Or, 1, least, most);
        let mut both = |a, b| self.bin(BinOp::And, 1, a, b);
        let (infinite, nan) = (both(most, whole), both(most, broken));
        let (zero, subnormal) = (both(least, empty), both(least, some));
        let normal = self.bin(BinOp::Xor, 1, extreme, Operand::Imm(1));
        Ok(Classes { negative, signed: [infinite, normal, subnormal, zero], nan, quiet })
    }
}

/// The bits of the sign alone, of infinity, and of the least normal number.
fn landmarks(format: Format) -> (u64, u64, u64) {
    let digits = match format {
        Format::Half => 10,
        Format::BFloat => 7,
        Format::Single => 23,
        Format::Double => 52,
    };
    let sign = 1 << (format.width() - 1);
    (sign, sign - (1 << digits), 1 << digits)
}
