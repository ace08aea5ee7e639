//! Numbers that take two registers: x87's extended format (`long double`), and 128-bit integers as far as they are
//! converted to floating point and back.
//!
//! The first register has the low 64 bits, the second what is above: of an extended number the significand, and sign and
//! exponent.

use super::{FloatOp, FloatPred, Format, reformat};
use crate::op::{Width, mask};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single, X87DoubleExtended as Extended};
use rustc_apfloat::{Float, Round, Status};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WideOp {
    /// Two extended numbers to one.
    Arithmetic(FloatOp),
    /// Two extended numbers to a bit.
    Compare(FloatPred),
    /// An extended number to an integral one.
    Integral(Rounding),
    SquareRoot,
    /// A number of one register to an extended one, and back.
    FromFloat(Format),
    ToFloat(Format),
    /// A 128-bit integer to an extended number, and back to an integer of some width.
    FromInt {
        signed: bool,
    },
    ToInt {
        to: Width,
        signed: bool,
    },
    /// A 128-bit integer to a number of one register, and back.
    FloatFromInt {
        to: Format,
        signed: bool,
    },
    FloatToInt {
        from: Format,
        signed: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rounding {
    Down,
    Up,
    TowardZero,
    /// Halfway cases to even.
    Nearest,
    /// Halfway cases away from zero.
    NearestAway,
}

impl WideOp {
    /// The function on extended numbers that C calls so; all of them have one argument.
    pub fn named(name: &str) -> Option<WideOp> {
        Some(match name {
            "floorl" => WideOp::Integral(Rounding::Down),
            "ceill" => WideOp::Integral(Rounding::Up),
            "truncl" => WideOp::Integral(Rounding::TowardZero),
            "rintl" | "nearbyintl" | "roundevenl" => WideOp::Integral(Rounding::Nearest),
            "roundl" => WideOp::Integral(Rounding::NearestAway),
            "sqrtl" => WideOp::SquareRoot,
            _ => return None,
        })
    }
}

/// The result, in one or two registers. Arguments are registers, too; missing ones are zero.
pub fn evaluate(op: WideOp, arguments: &[u64]) -> [u64; 2] {
    let word = |n: usize| arguments.get(n).copied().unwrap_or(0);
    let pair = |n: usize| u128::from(word(n + 1)) << 64 | u128::from(word(n));
    let extended = |n: usize| Extended::from_bits(pair(n) & ((1 << 80) - 1));
    match op {
        WideOp::Arithmetic(op) => split(arithmetic(op, extended(0), extended(2)).to_bits()),
        WideOp::Compare(pred) => [pred.holds(extended(0).partial_cmp(&extended(2))).into(), 0],
        WideOp::Integral(rounding) => split(integral(rounding, extended(0)).to_bits()),
        WideOp::SquareRoot => split(square_root(pair(0))),
        WideOp::FromFloat(format) => split(match format {
            Format::Half => reformat::<Half, Extended>(word(0).into()),
            Format::BFloat => reformat::<BFloat, Extended>(word(0).into()),
            Format::Single => reformat::<Single, Extended>(word(0).into()),
            Format::Double => reformat::<Double, Extended>(word(0).into()),
        }),
        WideOp::ToFloat(format) => split(match format {
            Format::Half => reformat::<Extended, Half>(pair(0)),
            Format::BFloat => reformat::<Extended, BFloat>(pair(0)),
            Format::Single => reformat::<Extended, Single>(pair(0)),
            Format::Double => reformat::<Extended, Double>(pair(0)),
        }),
        WideOp::FromInt { signed: true } => split(Extended::from_i128(pair(0) as i128).value.to_bits()),
        WideOp::FromInt { signed: false } => split(Extended::from_u128(pair(0)).value.to_bits()),
        WideOp::ToInt { to, signed } => to_int(extended(0), to, signed),
        WideOp::FloatFromInt { to, signed } => [float_from_int(pair(0), to, signed), 0],
        WideOp::FloatToInt { from, signed } => {
            let value = evaluate(WideOp::FromFloat(from), &[word(0)]);
            evaluate(WideOp::ToInt { to: 128, signed }, &value)
        }
    }
}

fn split(bits: u128) -> [u64; 2] {
    [bits as u64, (bits >> 64) as u64]
}

fn arithmetic(op: FloatOp, a: Extended, b: Extended) -> Extended {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a.c_fmod(b),
    }
    .value
}

fn integral(rounding: Rounding, a: Extended) -> Extended {
    let round = match rounding {
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::TowardZero => Round::TowardZero,
        Rounding::Nearest => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
    };
    a.round_to_integral(round).value
}

/// As the x87 unit does it: by the smallest signed conversion (16, 32 or 64 bits) that has all results, and everything
/// out of range is its least number; 64 unsigned bits by halving the range; 128 bits by the library, which saturates.
fn to_int(a: Extended, to: Width, signed: bool) -> [u64; 2] {
    let truncated = |width: usize| a.to_i128_r(width, Round::TowardZero, &mut false);
    match (to, signed) {
        (128, true) => split(truncated(128).value as u128),
        (128, false) => split(a.to_u128_r(128, Round::TowardZero, &mut false).value),
        (64, false) => {
            let result = a.to_u128_r(64, Round::TowardZero, &mut false);
            let invalid = result.status.contains(Status::INVALID_OP);
            [if invalid { 1 << 63 } else { result.value as u64 }, 0]
        }
        _ => {
            let width = match (to, signed) {
                (..=15, _) | (16, true) => 16,
                (..=31, _) | (32, true) => 32,
                _ => 64,
            };
            let result = truncated(width);
            let invalid = result.status.contains(Status::INVALID_OP);
            let value = if invalid { -1 << (width - 1) } else { result.value };
            [value as u64 & mask(to.min(64)), 0]
        }
    }
}

fn float_from_int(bits: u128, to: Format, signed: bool) -> u64 {
    match (to, signed) {
        (Format::Double, true) => (bits as i128 as f64).to_bits(),
        (Format::Double, false) => (bits as f64).to_bits(),
        (Format::Single, true) => (bits as i128 as f32).to_bits().into(),
        (Format::Single, false) => (bits as f32).to_bits().into(),
        (Format::Half, true) => Half::from_i128(bits as i128).value.to_bits() as u64,
        (Format::Half, false) => Half::from_u128(bits).value.to_bits() as u64,
        (Format::BFloat, true) => BFloat::from_i128(bits as i128).value.to_bits() as u64,
        (Format::BFloat, false) => BFloat::from_u128(bits).value.to_bits() as u64,
    }
}

const EXPONENT_BIAS: i32 = 16383;
const SIGNIFICAND_BITS: i32 = 64;

/// The correctly rounded square root of an extended number.
fn square_root(bits: u128) -> u128 {
    let number = Extended::from_bits(bits & ((1 << 80) - 1));
    if number.is_zero() || number.is_nan() || number == Extended::INFINITY {
        return number.to_bits();
    }
    if number.is_negative() {
        return (-Extended::NAN).to_bits();
    }
    let (mut significand, raw_exponent) = (bits as u64, (bits >> 64) as i32 & 0x7fff);
    // Denormals have the exponent of the smallest normal numbers.
    let mut exponent = raw_exponent.max(1) - EXPONENT_BIAS - (SIGNIFICAND_BITS - 1);
    exponent -= significand.leading_zeros() as i32;
    significand <<= significand.leading_zeros();
    // The number is radicand * 2^(exponent - shift), and the second factor has a root.
    let shift = if exponent % 2 == 0 { 64 } else { 63 };
    let radicand = u128::from(significand) << shift;
    let root = radicand.isqrt();
    // Halfway between two numbers it cannot be: the square of that is no integer.
    let root = root + u128::from(radicand - root * root > root);
    let result = Extended::from_u128(root).value;
    result.scalbn((exponent - shift) / 2).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(value: f64) -> [u64; 2] {
        evaluate(WideOp::FromFloat(Format::Double), &[value.to_bits()])
    }

    fn double(value: [u64; 2]) -> f64 {
        f64::from_bits(evaluate(WideOp::ToFloat(Format::Double), &value)[0])
    }

    fn apply(op: WideOp, a: f64, b: f64) -> f64 {
        double(evaluate(op, &[extended(a), extended(b)].concat()))
    }

    #[test]
    fn extended_numbers_compute() {
        assert_eq!(apply(WideOp::Arithmetic(FloatOp::Div), 1.0, 3.0), 1.0 / 3.0);
        assert_eq!(apply(WideOp::Arithmetic(FloatOp::Rem), 7.5, 2.0), 1.5);
        assert_eq!(apply(WideOp::Integral(Rounding::NearestAway), 2.5, 0.0), 3.0);
        assert_eq!(extended(1.0), [1 << 63, 0x3fff]);
    }

    #[test]
    fn square_roots_are_correctly_rounded() {
        for value in [2.0, 4.0, 0.1, 1e300, 5e-324, 3.0] {
            assert_eq!(apply(WideOp::SquareRoot, value, 0.0), value.sqrt(), "{value}");
        }
        assert_eq!(evaluate(WideOp::SquareRoot, &extended(2.0)), [0xb504_f333_f9de_6484, 0x3fff]);
        assert!(apply(WideOp::SquareRoot, -1.0, 0.0).is_nan());
    }

    #[test]
    fn wide_integers_are_converted() {
        let minus_one = [u64::MAX, u64::MAX];
        let signed = evaluate(WideOp::FloatFromInt { to: Format::Double, signed: true }, &minus_one);
        assert_eq!(f64::from_bits(signed[0]), -1.0);
        let big = evaluate(WideOp::FloatToInt { from: Format::Double, signed: false }, &[1e30f64.to_bits()]);
        assert_eq!(u128::from(big[1]) << 64 | u128::from(big[0]), 1e30 as u128);
        assert_eq!(evaluate(WideOp::ToInt { to: 32, signed: true }, &extended(1e10))[0], 0x8000_0000);
        assert_eq!(evaluate(WideOp::ToInt { to: 64, signed: false }, &extended(1.5e19))[0], 15_000_000_000_000_000_000);
    }
}
