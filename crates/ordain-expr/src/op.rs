//! The integer operations of a program, with their meaning on concrete values.
//!
//! A value of width `w` (1 to 64 bits) is kept in the low `w` bits of a `u64`, the bits above are zero. Division by
//! zero and shifts past the width have the meaning SMT-LIB gives them, so that terms are total; whoever executes a
//! program checks for them before it gets here.

use serde::{Deserialize, Serialize};

/// Number of bits of a value, 1 to 64.
pub type Width = u8;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Pred {
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
}

/// All ones in the low `width` bits.
#[inline]
pub fn mask(width: Width) -> u64 {
    debug_assert!((1..=64).contains(&width));
    u64::MAX >> (64 - width as u32)
}

/// All ones in the low `count` bits, for any count: none, or all 64.
#[inline]
pub fn mask_low(count: u32) -> u64 {
    1u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

/// The value of `bits` read as a two's complement number.
#[inline]
pub fn signed(width: Width, bits: u64) -> i64 {
    let shift = 64 - width as u32;
    ((bits << shift) as i64) >> shift
}

#[inline]
pub fn bin(op: BinOp, width: Width, a: u64, b: u64) -> u64 {
    let full = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => {
            let (x, y) = (signed(width, a), signed(width, b));
            match y {
                0 if x < 0 => 1,
                0 => u64::MAX,
                _ => x.wrapping_div(y) as u64,
            }
        }
        BinOp::SRem => {
            let (x, y) = (signed(width, a), signed(width, b));
            if y == 0 { a } else { x.wrapping_rem(y) as u64 }
        }
        BinOp::Shl if b >= width as u64 => 0,
        BinOp::Shl => a << b,
        BinOp::LShr if b >= width as u64 => 0,
        BinOp::LShr => a >> b,
        BinOp::AShr => (signed(width, a) >> b.min(width as u64 - 1)) as u64,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    full & mask(width)
}

#[inline]
pub fn cmp(pred: Pred, width: Width, a: u64, b: u64) -> bool {
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Slt => signed(width, a) < signed(width, b),
        Pred::Sle => signed(width, a) <= signed(width, b),
    }
}

#[inline]
pub fn cast(op: CastOp, from: Width, to: Width, a: u64) -> u64 {
    match op {
        CastOp::Trunc | CastOp::ZExt => a & mask(to),
        CastOp::SExt => signed(from, a) as u64 & mask(to),
    }
}
