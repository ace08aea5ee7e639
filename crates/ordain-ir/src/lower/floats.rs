//! Floating point: one instruction per operation for what fits a register, a builtin per operation for `long double`.

use super::function::{Body, NotUnderstood};
use super::lanes::Lane;
use crate::llvm::{Opcode, RealPredicate, Value};
use crate::program::{Builtin, Callee, Inst, Operand};
use crate::shape::Scalar;
use ordain_expr::float::math::{MathCall, MathFn};
use ordain_expr::float::wide::WideOp;
use ordain_expr::float::{FloatCast, FloatOp, FloatPred, Format};
use ordain_expr::op::{BinOp, CastOp, Width};

/// Sign and exponent of an extended number have their sign here.
const EXTENDED_SIGN: u64 = 1 << 15;
const EXTENDED: [Width; 2] = [64, 16];

impl Body<'_> {
    pub(super) fn float_binary(&mut self, i: Value, op: FloatOp) -> Result<(), NotUnderstood> {
        let kind = self.element(i.ty())?;
        self.each_lane(i, &i.operands(), |body, lanes| body.float_operation(op, kind, &lanes[0], &lanes[1]))
    }

    pub(super) fn float_operation(
        &mut self,
        op: FloatOp,
        kind: Scalar,
        a: &Lane,
        b: &Lane,
    ) -> Result<Lane, NotUnderstood> {
        match kind {
            Scalar::Float(format) => {
                let (a, b) = (a[0], b[0]);
                Ok(vec![self.compute(format.width(), |dst| Inst::FloatBin { op, format, dst, a, b })])
            }
            Scalar::Extended => Ok(self.wide(WideOp::Arithmetic(op), &[a, b], &EXTENDED)),
            _ => Err("floating-point arithmetic on integers".into()),
        }
    }

    pub(super) fn float_negate(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let kind = self.element(i.ty())?;
        self.each_lane(i, &i.operands(), |body, lanes| Ok(body.change_sign(BinOp::Xor, kind, &lanes[0])))
    }

    /// Flips the sign (xor), or removes it (and).
    pub(super) fn change_sign(&mut self, op: BinOp, kind: Scalar, a: &Lane) -> Lane {
        let (width, sign) = sign_of(kind);
        let mut result = a.clone();
        if let Some(last) = result.last_mut() {
            let operand = if op == BinOp::And { sign - 1 } else { sign };
            *last = self.bin(op, width, *last, Operand::Imm(operand));
        }
        result
    }

    pub(super) fn copy_sign(&mut self, kind: Scalar, a: &Lane, from: &Lane) -> Lane {
        let (width, sign) = sign_of(kind);
        let mut result = self.change_sign(BinOp::And, kind, a);
        if let (Some(last), Some(from)) = (result.last_mut(), from.last()) {
            let sign = self.bin(BinOp::And, width, *from, Operand::Imm(sign));
            *last = self.bin(BinOp::Or, width, *last, sign);
        }
        result
    }

    pub(super) fn float_compare(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let (kind, pred) = (self.element(i.operand(0).ty())?, predicate(i.real_predicate()));
        self.each_lane(i, &i.operands(), |body, lanes| Ok(vec![body.float_relation(pred, kind, &lanes[0], &lanes[1])?]))
    }

    pub(super) fn float_relation(
        &mut self,
        pred: FloatPred,
        kind: Scalar,
        a: &Lane,
        b: &Lane,
    ) -> Result<Operand, NotUnderstood> {
        match kind {
            Scalar::Float(format) => {
                let (a, b) = (a[0], b[0]);
                Ok(self.compute(1, |dst| Inst::FloatCmp { pred, format, dst, a, b }))
            }
            Scalar::Extended => Ok(self.wide(WideOp::Compare(pred), &[a, b], &[1])[0]),
            _ => Err("a floating-point comparison of integers".into()),
        }
    }

    pub(super) fn float_cast(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let (from, to) = (self.element(i.operand(0).ty())?, self.element(i.ty())?);
        let opcode = i.opcode();
        self.each_lane(i, &i.operands(), |body, lanes| match opcode {
            Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => body.float_to_float(from, to, &lanes[0]),
            Opcode::LLVMFPToSI => body.float_to_int(from, to, true, &lanes[0]),
            Opcode::LLVMFPToUI => body.float_to_int(from, to, false, &lanes[0]),
            Opcode::LLVMSIToFP => body.int_to_float(from, to, true, &lanes[0]),
            _ => body.int_to_float(from, to, false, &lanes[0]),
        })
    }

    fn float_to_float(&mut self, from: Scalar, to: Scalar, a: &Lane) -> Result<Lane, NotUnderstood> {
        match (from, to) {
            (Scalar::Float(from), Scalar::Float(to)) => {
                Ok(self.narrow_cast(FloatCast::Convert { from, to }, to.width(), a))
            }
            (Scalar::Float(from), Scalar::Extended) => Ok(self.wide(WideOp::FromFloat(from), &[a], &EXTENDED)),
            (Scalar::Extended, Scalar::Float(to)) => Ok(self.wide(WideOp::ToFloat(to), &[a], &[to.width()])),
            _ => Err("a conversion between unknown formats".into()),
        }
    }

    fn float_to_int(&mut self, from: Scalar, to: Scalar, signed: bool, a: &Lane) -> Result<Lane, NotUnderstood> {
        match (from, to) {
            (Scalar::Float(from), Scalar::Int(to)) => {
                Ok(self.narrow_cast(FloatCast::ToInt { from, to, signed }, to, a))
            }
            (Scalar::Extended, Scalar::Int(to)) => Ok(self.wide(WideOp::ToInt { to, signed }, &[a], &[to])),
            (Scalar::Float(from), Scalar::Wide(128)) => {
                Ok(self.wide(WideOp::FloatToInt { from, signed }, &[a], &[64, 64]))
            }
            (Scalar::Extended, Scalar::Wide(128)) => Ok(self.wide(WideOp::ToInt { to: 128, signed }, &[a], &[64, 64])),
            _ => Err("a conversion to integers of an odd width".into()),
        }
    }

    fn int_to_float(&mut self, from: Scalar, to: Scalar, signed: bool, a: &Lane) -> Result<Lane, NotUnderstood> {
        if let (Scalar::Int(from), Scalar::Float(to)) = (from, to) {
            return Ok(self.narrow_cast(FloatCast::FromInt { from, to, signed }, to.width(), a));
        }
        let extension = if signed { CastOp::SExt } else { CastOp::ZExt };
        let whole = self.int_cast(extension, from, Scalar::Wide(128), a)?;
        match to {
            Scalar::Float(to) => Ok(self.wide(WideOp::FloatFromInt { to, signed }, &[&whole], &[to.width()])),
            Scalar::Extended => Ok(self.wide(WideOp::FromInt { signed }, &[&whole], &EXTENDED)),
            _ => Err("a conversion to an unknown format".into()),
        }
    }

    fn narrow_cast(&mut self, cast: FloatCast, width: Width, a: &Lane) -> Lane {
        let a = a[0];
        vec![self.compute(width, |dst| Inst::FloatCast { cast, dst, a })]
    }

    /// A function of `math.h` with a result of `width` bits.
    pub(super) fn math(&mut self, call: MathCall, args: &[&Lane], width: Width) -> Lane {
        self.numeric(Builtin::Math(call), args, &[width])
    }

    pub(super) fn wide(&mut self, op: WideOp, args: &[&Lane], widths: &[Width]) -> Lane {
        self.numeric(Builtin::Wide(op), args, widths)
    }

    fn numeric(&mut self, builtin: Builtin, args: &[&Lane], widths: &[Width]) -> Lane {
        let dsts: Vec<_> = widths.iter().map(|width| self.register(*width)).collect();
        let args: Vec<Operand> = args.iter().flat_map(|lane| lane.iter().copied()).collect();
        let result = dsts.iter().map(|dst| Operand::Reg(*dst)).collect();
        self.emit(Inst::Call { callee: Callee::Builtin(builtin), args: args.into(), dsts: dsts.into() });
        result
    }

    /// LLVM's intrinsics for functions of `math.h`, of any format and element by element. `name` is the part of the
    /// intrinsic's name between the dots.
    pub(super) fn math_intrinsic(&mut self, i: Value, name: &str) -> Result<(), NotUnderstood> {
        let kind = self.element(i.operand(0).ty())?;
        let to = self.element(i.ty())?;
        self.each_lane(i, &i.arguments(), |body, lanes| match (name, kind) {
            ("fabs", _) => Ok(body.change_sign(BinOp::And, kind, &lanes[0])),
            ("copysign", _) => Ok(body.copy_sign(kind, &lanes[0], &lanes[1])),
            ("canonicalize", _) => Ok(lanes[0].clone()),
            // Without an instruction that does both, it is two.
            ("fmuladd", _) => {
                let product = body.float_operation(FloatOp::Mul, kind, &lanes[0], &lanes[1])?;
                body.float_operation(FloatOp::Add, kind, &product, &lanes[2])
            }
            ("minnum" | "minimumnum", _) => body.extreme_number(kind, &lanes[1], &lanes[0], LESS),
            ("maxnum" | "maximumnum", _) => body.extreme_number(kind, &lanes[1], &lanes[0], GREATER),
            (_, Scalar::Extended) => body.extended_function(name, &lanes[0]),
            (_, Scalar::Float(format)) => {
                let function = MathCall::named(name).ok_or_else(|| format!("the function {name}"))?.function;
                body.math_in(function, format, lanes, to.width())
            }
            _ => Err(format!("the function {name} of integers")),
        })
    }

    /// Formats smaller than `float` are computed in it.
    fn math_in(
        &mut self,
        function: MathFn,
        format: Format,
        lanes: &[Lane],
        width: Width,
    ) -> Result<Lane, NotUnderstood> {
        if matches!(format, Format::Single | Format::Double) {
            return Ok(self.math(MathCall { function, format }, &lanes.iter().collect::<Vec<_>>(), width));
        }
        let (small, single) = (Scalar::Float(format), Scalar::Float(Format::Single));
        let mut widened = Vec::new();
        for lane in lanes {
            widened.push(self.float_to_float(small, single, lane)?);
        }
        let result = self.math(MathCall { function, format: Format::Single }, &widened.iter().collect::<Vec<_>>(), 32);
        self.float_to_float(single, small, &result)
    }

    fn extended_function(&mut self, name: &str, a: &Lane) -> Result<Lane, NotUnderstood> {
        let op = WideOp::named(&format!("{name}l")).ok_or_else(|| format!("the function {name} of long double"))?;
        Ok(self.wide(op, &[a], &EXTENDED))
    }

    /// `llvm.modf`: the fraction, and what is before the point. Both have the number's sign.
    pub(super) fn fraction(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let Scalar::Float(format) = self.element(i.operand(0).ty())? else {
            return Err("the function modf of long double".into());
        };
        let (kind, x) = (Scalar::Float(format), self.operands(i.operand(0))?);
        let whole = self.math_in(MathFn::Trunc, format, std::slice::from_ref(&x), format.width())?;
        let rest = self.float_operation(FloatOp::Sub, kind, &x, &whole)?;
        // An infinite number has no fraction, and the difference above is not a number.
        let is_number = self.float_relation(EQUAL, kind, &x, &x)?;
        let has_none = self.float_relation(UNORDERED, kind, &rest, &rest)?;
        let infinite = self.bin(BinOp::And, 1, is_number, has_none);
        let rest = self.choose_lane(kind, infinite, &vec![Operand::Imm(0)], &rest);
        let mut result = self.copy_sign(kind, &rest, &x);
        result.extend(whole);
        self.set(i, result);
        Ok(())
    }

    /// The lesser or greater of two, as compilers for this processor do it: the second unless the first goes before it, and
    /// the first if the second is not a number.
    fn extreme_number(&mut self, kind: Scalar, a: &Lane, b: &Lane, pred: FloatPred) -> Result<Lane, NotUnderstood> {
        let before = self.float_relation(pred, kind, a, b)?;
        let no_number = self.float_relation(UNORDERED, kind, b, b)?;
        let first = self.bin(BinOp::Or, 1, before, no_number);
        Ok(self.choose_lane(kind, first, a, b))
    }
}

const EQUAL: FloatPred = FloatPred { less: false, equal: true, greater: false, unordered: false };
const LESS: FloatPred = FloatPred { less: true, equal: false, greater: false, unordered: false };
const UNORDERED: FloatPred = FloatPred { less: false, equal: false, greater: false, unordered: true };
const GREATER: FloatPred = FloatPred { less: false, equal: false, greater: true, unordered: false };

/// Whether `math_intrinsic` knows the function.
pub(super) fn is_math(name: &str) -> bool {
    const OTHERS: [&str; 8] =
        ["fabs", "copysign", "canonicalize", "fmuladd", "minnum", "maxnum", "minimumnum", "maximumnum"];
    OTHERS.contains(&name) || MathCall::named(name).is_some_and(|call| call.format == Format::Double)
}

/// The register that has the sign is the last; its width, and its bit.
fn sign_of(kind: Scalar) -> (Width, u64) {
    match kind {
        Scalar::Extended => (16, EXTENDED_SIGN),
        kind => (kind.width(), 1 << (kind.width() - 1)),
    }
}

/// LLVM's comparisons are sets of outcomes, too: one bit for each.
fn predicate(pred: RealPredicate) -> FloatPred {
    let bits = pred as u32;
    FloatPred { equal: bits & 1 != 0, greater: bits & 2 != 0, less: bits & 4 != 0, unordered: bits & 8 != 0 }
}

pub(super) fn float_operation(opcode: Opcode) -> Option<FloatOp> {
    Some(match opcode {
        Opcode::LLVMFAdd => FloatOp::Add,
        Opcode::LLVMFSub => FloatOp::Sub,
        Opcode::LLVMFMul => FloatOp::Mul,
        Opcode::LLVMFDiv => FloatOp::Div,
        Opcode::LLVMFRem => FloatOp::Rem,
        _ => return None,
    })
}
