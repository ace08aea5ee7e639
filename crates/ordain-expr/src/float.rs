//! Floating-point operations, on the bits of their operands.
//!
//! A number is its bits in a register, like everything else. The operations of `float` and `double` are those of the
//! processor we run on, which is the one that native executables run on: so results are the same to the last bit, those
//! that C leaves open (what a conversion out of range gives) included. `math` has the functions of `math.h`, `wide` what
//! does not fit one register.

pub mod math;
pub mod wide;

use crate::op::{Width, mask, signed};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The formats that fit one register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Format {
    Half,
    BFloat,
    Single,
    Double,
}

impl Format {
    pub fn width(self) -> Width {
        match self {
            Format::Half | Format::BFloat => 16,
            Format::Single => 32,
            Format::Double => 64,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// Which outcomes of a comparison make it true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FloatPred {
    pub less: bool,
    pub equal: bool,
    pub greater: bool,
    /// One of the operands is not a number.
    pub unordered: bool,
}

impl FloatPred {
    #[inline]
    pub fn holds(self, outcome: Option<Ordering>) -> bool {
        match outcome {
            Some(Ordering::Less) => self.less,
            Some(Ordering::Equal) => self.equal,
            Some(Ordering::Greater) => self.greater,
            None => self.unordered,
        }
    }
}

/// Conversions between formats, and from and to integers of at most 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatCast {
    Convert { from: Format, to: Format },
    ToInt { from: Format, to: Width, signed: bool },
    FromInt { from: Width, to: Format, signed: bool },
}

impl FloatCast {
    /// Width of the operand.
    pub fn from(self) -> Width {
        match self {
            FloatCast::Convert { from, .. } | FloatCast::ToInt { from, .. } => from.width(),
            FloatCast::FromInt { from, .. } => from,
        }
    }
}

#[inline]
pub fn bin(op: FloatOp, format: Format, a: u64, b: u64) -> u64 {
    match format {
        Format::Double => double(op, f64::from_bits(a), f64::from_bits(b)).to_bits(),
        Format::Single => single(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
        // As compilers do it; a `float` has more than twice their digits, so rounding twice does no harm.
        Format::Half | Format::BFloat => narrow(format, single(op, widen(format, a), widen(format, b))),
    }
}

#[inline]
fn double(op: FloatOp, a: f64, b: f64) -> f64 {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    }
}

#[inline]
fn single(op: FloatOp, a: f32, b: f32) -> f32 {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    }
}

#[inline]
pub fn cmp(pred: FloatPred, format: Format, a: u64, b: u64) -> bool {
    pred.holds(match format {
        Format::Double => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        _ => widen(format, a).partial_cmp(&widen(format, b)),
    })
}

#[inline]
pub fn cast(cast: FloatCast, a: u64) -> u64 {
    match cast {
        FloatCast::Convert { from, to } => convert(from, to, a),
        FloatCast::ToInt { from: Format::Double, to, signed } => to_int(f64::from_bits(a), to, signed),
        // Every number of a smaller format is one of the larger, and so is what a conversion of it gives.
        FloatCast::ToInt { from, to, signed } => to_int(widen(from, a).into(), to, signed),
        FloatCast::FromInt { from, to: Format::Double, signed: true } => (signed(from, a) as f64).to_bits(),
        FloatCast::FromInt { from, to: Format::Double, signed: false } => ((a & mask(from)) as f64).to_bits(),
        FloatCast::FromInt { from, to, signed: true } => from_int(signed(from, a).into(), to),
        FloatCast::FromInt { from, to, signed: false } => from_int((a & mask(from)).into(), to),
    }
}

/// Any format to another.
fn convert(from: Format, to: Format, a: u64) -> u64 {
    match (from, to) {
        (Format::Double, Format::Double) => a,
        (Format::Double, Format::Single) => (f64::from_bits(a) as f32).to_bits().into(),
        (Format::Double, Format::Half) => reformat::<Double, Half>(a.into()) as u64,
        (Format::Double, Format::BFloat) => reformat::<Double, BFloat>(a.into()) as u64,
        (_, Format::Double) => f64::from(widen(from, a)).to_bits(),
        _ => narrow(to, widen(from, a)),
    }
}

/// A number of a format whose numbers `float` has all.
#[inline]
fn widen(format: Format, bits: u64) -> f32 {
    f32::from_bits(match format {
        Format::Single | Format::Double => bits as u32,
        Format::Half => reformat::<Half, Single>(bits.into()) as u32,
        Format::BFloat => reformat::<BFloat, Single>(bits.into()) as u32,
    })
}

fn narrow(format: Format, value: f32) -> u64 {
    let bits = value.to_bits();
    match format {
        Format::Single | Format::Double => bits.into(),
        Format::Half => reformat::<Single, Half>(bits.into()) as u64,
        Format::BFloat => reformat::<Single, BFloat>(bits.into()) as u64,
    }
}

/// The nearest number of another format, by software.
fn reformat<From: FloatConvert<To>, To: Float>(bits: u128) -> u128 {
    From::from_bits(bits).convert(&mut false).value.to_bits()
}

/// What the processor's conversions give for everything that does not fit: the least number.
#[inline]
fn to_i64(x: f64) -> i64 {
    let fits = (i64::MIN as f64..-(i64::MIN as f64)).contains(&x.trunc());
    if fits { x as i64 } else { i64::MIN }
}

#[inline]
fn to_i32(x: f64) -> i32 {
    let fits = (f64::from(i32::MIN)..-f64::from(i32::MIN)).contains(&x.trunc());
    if fits { x as i32 } else { i32::MIN }
}

/// To integers as compilers for this processor do it: by the signed conversion that has all results; for 64 unsigned
/// bits by two of them.
#[inline]
fn to_int(x: f64, to: Width, signed: bool) -> u64 {
    let bits = match (to, signed) {
        (..=31, _) | (32, true) => to_i32(x) as u64,
        (..=63, _) | (_, true) => to_i64(x) as u64,
        _ => {
            let (low, high) = (to_i64(x), to_i64(x + i64::MIN as f64));
            (low | (high & (low >> 63))) as u64
        }
    };
    bits & mask(to)
}

/// From a value of 64 bits, with or without sign.
fn from_int(value: i128, to: Format) -> u64 {
    match to {
        Format::Double => (value as f64).to_bits(),
        Format::Single => (value as f32).to_bits().into(),
        Format::Half => Half::from_i128(value).value.to_bits() as u64,
        Format::BFloat => BFloat::from_i128(value).value.to_bits() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(x: f64, to: Width, signed: bool) -> u64 {
        cast(FloatCast::ToInt { from: Format::Double, to, signed }, x.to_bits())
    }

    #[test]
    fn conversions_out_of_range_give_what_the_processor_gives() {
        assert_eq!(to(-1.5, 32, true), 0xffff_ffff);
        assert_eq!(to(1e10, 32, true), 0x8000_0000);
        assert_eq!(to(f64::NAN, 64, true), 1 << 63);
        assert_eq!(to(3e9, 32, false), 3_000_000_000);
        assert_eq!(to(-1.0, 32, false), 0xffff_ffff);
        assert_eq!(to(1e19, 64, false), 10_000_000_000_000_000_000);
        assert_eq!(to(-2.0, 64, false), -2_i64 as u64);
        assert_eq!(to(300.0, 8, false), 300 & 0xff);
    }

    #[test]
    fn small_formats_round_to_nearest() {
        let from = |value| cast(FloatCast::FromInt { from: 64, to: Format::Half, signed: true }, value);
        assert_eq!(from(2049), from(2048));
        assert_eq!(bin(FloatOp::Add, Format::Half, from(1), from(2)), from(3));
        let double = cast(FloatCast::Convert { from: Format::Half, to: Format::Double }, from(-7_i64 as u64));
        assert_eq!(f64::from_bits(double), -7.0);
    }

    #[test]
    fn comparisons_with_what_is_not_a_number_are_unordered() {
        let nan = f64::NAN.to_bits();
        let less = FloatPred { less: true, equal: false, greater: false, unordered: false };
        assert!(!cmp(less, Format::Double, nan, nan));
        assert!(cmp(FloatPred { unordered: true, ..less }, Format::Double, nan, nan));
        assert!(cmp(less, Format::Single, (-1f32).to_bits().into(), 0));
    }
}
