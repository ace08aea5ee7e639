//! LLVM's intrinsics that take a few operations. Longer ones were replaced by models (see `canonical`).

use super::floats::is_math;
use super::function::{Body, NotUnderstood};
use super::lanes::Lane;
use crate::llvm::Value;
use crate::points;
use crate::program::{Builtin, Callee, Inst, Operand};
use crate::shape::Scalar;
use ordain_expr::float::FloatOp;
use ordain_expr::op::{BinOp, CastOp, Pred, mask};

impl Body<'_> {
    pub(super) fn intrinsic(&mut self, i: Value, name: &str) -> Result<(), NotUnderstood> {
        let parts: Vec<&str> = name.split('.').skip(1).collect();
        if let Some(builtin) = points::builtin_of(i) {
            self.emit_builtin(builtin);
            return Ok(());
        }
        match parts[..] {
            ["lifetime" | "dbg" | "assume" | "donothing" | "prefetch" | "stackrestore" | "sideeffect", ..] => Ok(()),
            ["experimental", "noalias", ..] | ["fake", "use", ..] => Ok(()),
            ["var" | "ptr", "annotation", ..] => Ok(()),
            ["x86", "sse2", "pause"] => {
                self.emit_builtin(Builtin::Yield);
                Ok(())
            }
            ["stacksave", ..] => self.constant_result(i, 0),
            ["is", "constant", ..] => self.constant_result(i, 0),
            ["objectsize", ..] => {
                // "Unknown", which is the largest or the smallest size, as the call asks.
                let smallest = i.arguments().get(1).and_then(|a| a.as_int()) == Some(1);
                self.constant_result(i, if smallest { 0 } else { u64::MAX })
            }
            ["expect", ..] | ["launder" | "strip", "invariant", "group", ..] => {
                let value = self.operands(i.operand(0))?;
                self.set(i, value);
                Ok(())
            }
            ["abs", ..] => self.absolute(i),
            ["umin", ..] => self.extreme(i, Pred::Ult, true),
            ["umax", ..] => self.extreme(i, Pred::Ult, false),
            ["smin", ..] => self.extreme(i, Pred::Slt, true),
            ["smax", ..] => self.extreme(i, Pred::Slt, false),
            ["fshl", ..] => self.funnel_shift(i, true),
            ["fshr", ..] => self.funnel_shift(i, false),
            ["ucmp", ..] => self.three_way(i, Pred::Ult),
            ["scmp", ..] => self.three_way(i, Pred::Slt),
            ["uadd" | "usub" | "sadd" | "ssub", "sat", ..] => self.saturating(i, parts[0]),
            ["vector", "reduce", operation, ..] => self.reduce(i, operation),
            ["is", "fpclass", ..] => self.is_of_class(i),
            ["modf", ..] => self.fraction(i),
            ["get", "rounding", ..] => self.constant_result(i, 1),
            // Nobody knows who called.
            ["frameaddress" | "returnaddress", ..] => self.constant_result(i, 0),
            ["uadd" | "usub" | "sadd" | "ssub" | "umul" | "smul", "with", "overflow", ..] => {
                self.with_overflow(i, parts[0])
            }
            ["threadlocal", ..] => {
                let variable = self.operand(i.operand(0))?;
                let dst = self.define_scalar(i)?;
                let align = Operand::Imm(i.operand(0).alignment().into());
                let callee = Callee::Builtin(Builtin::ThreadLocal);
                self.emit(Inst::Call { callee, args: Box::new([variable, align]), dsts: Box::new([dst]) });
                Ok(())
            }
            ["ptrmask", ..] => self.each_pair(i, |body, kind, a, b| body.integer_operation(BinOp::And, kind, a, b)),
            [function, ..] if self.element(i.ty()).is_ok() && is_math(function) => self.math_intrinsic(i, function),
            _ => Err(format!("the intrinsic {name}")),
        }
    }

    fn constant_result(&mut self, i: Value, value: u64) -> Result<(), NotUnderstood> {
        let width = self.width(i)?;
        self.set(i, vec![Operand::Imm(value & mask(width))]);
        Ok(())
    }

    /// Computes element by element from two integers.
    fn each_pair(
        &mut self,
        i: Value,
        compute: impl Fn(&mut Self, Scalar, &Lane, &Lane) -> Result<Lane, NotUnderstood>,
    ) -> Result<(), NotUnderstood> {
        let kind = self.element(i.operand(0).ty())?;
        self.each_lane(i, &i.arguments()[..2], |body, lanes| compute(body, kind, &lanes[0], &lanes[1]))
    }

    fn absolute(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let kind = self.element(i.ty())?;
        self.each_lane(i, &[i.operand(0)], |body, lanes| {
            let (x, zero) = (&lanes[0], number(kind, 0));
            let minus = body.integer_operation(BinOp::Sub, kind, &zero, x)?;
            let negative = body.integer_relation(Pred::Slt, kind, x, &zero)?;
            Ok(body.choose_lane(kind, negative, &minus, x))
        })
    }

    fn extreme(&mut self, i: Value, less: Pred, smaller: bool) -> Result<(), NotUnderstood> {
        self.each_pair(i, |body, kind, a, b| body.extreme_of(kind, less, smaller, a, b))
    }

    fn extreme_of(
        &mut self,
        kind: Scalar,
        less: Pred,
        smaller: bool,
        a: &Lane,
        b: &Lane,
    ) -> Result<Lane, NotUnderstood> {
        let first_is_less = self.integer_relation(less, kind, a, b)?;
        let (then, other) = if smaller { (a, b) } else { (b, a) };
        Ok(self.choose_lane(kind, first_is_less, then, other))
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, i: Value, less: Pred) -> Result<(), NotUnderstood> {
        let Scalar::Int(width) = self.element(i.ty())? else { return Err("a comparison with a wide result".into()) };
        self.each_pair(i, |body, kind, a, b| {
            let (below, above) = (body.integer_relation(less, kind, a, b)?, body.integer_relation(less, kind, b, a)?);
            let (below, above) = (body.resize(below, 1, width), body.resize(above, 1, width));
            Ok(vec![body.bin(BinOp::Sub, width, above, below)])
        })
    }

    /// The upper (or lower) half of two words, shifted together. Shifts by the whole width give zero here.
    fn funnel_shift(&mut self, i: Value, left: bool) -> Result<(), NotUnderstood> {
        let kind = self.element(i.ty())?;
        let width = kind.width();
        self.each_lane(i, &i.arguments(), |body, lanes| {
            let amount = lanes[2][0];
            let register = kind.registers().0;
            let amount = match width.is_power_of_two() {
                true => body.bin(BinOp::And, register, amount, Operand::Imm(u64::from(width) - 1)),
                false => body.bin(BinOp::URem, register, amount, Operand::Imm(width.into())),
            };
            let rest = body.bin(BinOp::Sub, register, Operand::Imm(width.into()), amount);
            let whole =
                |low: Operand| if kind.registers().1.is_some() { vec![low, Operand::Imm(0)] } else { vec![low] };
            let (up, down) = if left { (amount, rest) } else { (rest, amount) };
            let high = body.integer_operation(BinOp::Shl, kind, &lanes[0], &whole(up))?;
            let low = body.integer_operation(BinOp::LShr, kind, &lanes[1], &whole(down))?;
            body.integer_operation(BinOp::Or, kind, &high, &low)
        })
    }

    fn saturating(&mut self, i: Value, operation: &str) -> Result<(), NotUnderstood> {
        self.each_pair(i, |body, kind, a, b| {
            let (result, overflow) = body.checked(kind, operation, a, b)?;
            let limit = match operation {
                "uadd" => number(kind, -1),
                "usub" => number(kind, 0),
                // The least number if the first operand is negative, else the greatest.
                _ => {
                    let negative = body.integer_relation(Pred::Slt, kind, a, &number(kind, 0))?;
                    let sign = (kind.width() - 1).into();
                    let least = body.integer_operation(BinOp::Shl, kind, &number(kind, 1), &number(kind, sign))?;
                    let most = body.integer_operation(BinOp::Xor, kind, &least, &number(kind, -1))?;
                    body.choose_lane(kind, negative, &least, &most)
                }
            };
            Ok(body.choose_lane(kind, overflow, &limit, &result))
        })
    }

    fn with_overflow(&mut self, i: Value, operation: &str) -> Result<(), NotUnderstood> {
        let kind = self.element(i.operand(0).ty())?;
        let (a, b) = (self.lanes(i.operand(0))?, self.lanes(i.operand(1))?);
        let (mut results, mut overflows) = (Vec::new(), Vec::new());
        for (a, b) in a.iter().zip(&b) {
            let (result, overflow) = self.checked(kind, operation, a, b)?;
            results.extend(result);
            overflows.push(overflow);
        }
        results.extend(overflows);
        self.set(i, results);
        Ok(())
    }

    /// The result of an operation, and whether it does not fit.
    fn checked(&mut self, kind: Scalar, operation: &str, a: &Lane, b: &Lane) -> Result<(Lane, Operand), NotUnderstood> {
        let add = operation.ends_with("add");
        if operation.ends_with("mul") {
            return self.checked_product(kind, operation == "smul", a, b);
        }
        let result = self.integer_operation(if add { BinOp::Add } else { BinOp::Sub }, kind, a, b)?;
        let overflow = match operation {
            "uadd" => self.integer_relation(Pred::Ult, kind, &result, a)?,
            "usub" => self.integer_relation(Pred::Ult, kind, a, b)?,
            // A sum's sign differs from both operands', a difference's from the first, which differs from the second.
            _ => {
                let x = self.integer_operation(BinOp::Xor, kind, a, if add { &result } else { b })?;
                let y = self.integer_operation(BinOp::Xor, kind, &result, if add { b } else { a })?;
                let both = self.integer_operation(BinOp::And, kind, &x, &y)?;
                self.integer_relation(Pred::Slt, kind, &both, &number(kind, 0))?
            }
        };
        Ok((result, overflow))
    }

    /// Multiplies in twice the width and looks whether the result survives narrowing.
    fn checked_product(
        &mut self,
        kind: Scalar,
        signed: bool,
        a: &Lane,
        b: &Lane,
    ) -> Result<(Lane, Operand), NotUnderstood> {
        let Scalar::Int(width) = kind else { return Err("a checked multiplication of wide integers".into()) };
        let double = if width <= 32 { Scalar::Int(64) } else { Scalar::Wide(128) };
        let op = if signed { CastOp::SExt } else { CastOp::ZExt };
        let (x, y) = (self.int_cast(op, kind, double, a)?, self.int_cast(op, kind, double, b)?);
        let product = self.integer_operation(BinOp::Mul, double, &x, &y)?;
        let result = self.int_cast(CastOp::Trunc, double, kind, &product)?;
        let again = self.int_cast(op, kind, double, &result)?;
        let overflow = self.integer_relation(Pred::Ne, double, &again, &product)?;
        Ok((result, overflow))
    }

    /// `llvm.vector.reduce.*`: all elements into one, in order.
    fn reduce(&mut self, i: Value, operation: &str) -> Result<(), NotUnderstood> {
        let kind = self.element(i.ty())?;
        let arguments = i.arguments();
        let vector = arguments.last().ok_or("a reduction of nothing")?;
        let mut lanes = self.lanes(*vector)?.into_iter();
        let mut result = match arguments[..] {
            [start, _] => self.operands(start)?,
            _ => lanes.next().ok_or("a vector without elements")?,
        };
        for lane in lanes {
            result = match operation {
                "add" => self.integer_operation(BinOp::Add, kind, &result, &lane)?,
                "mul" => self.integer_operation(BinOp::Mul, kind, &result, &lane)?,
                "and" => self.integer_operation(BinOp::And, kind, &result, &lane)?,
                "or" => self.integer_operation(BinOp::Or, kind, &result, &lane)?,
                "xor" => self.integer_operation(BinOp::Xor, kind, &result, &lane)?,
                "smin" => self.extreme_of(kind, Pred::Slt, true, &result, &lane)?,
                "smax" => self.extreme_of(kind, Pred::Slt, false, &result, &lane)?,
                "umin" => self.extreme_of(kind, Pred::Ult, true, &result, &lane)?,
                "umax" => self.extreme_of(kind, Pred::Ult, false, &result, &lane)?,
                "fadd" => self.float_operation(FloatOp::Add, kind, &result, &lane)?,
                "fmul" => self.float_operation(FloatOp::Mul, kind, &result, &lane)?,
                _ => return Err(format!("the intrinsic llvm.vector.reduce.{operation}")),
            };
        }
        self.set(i, result);
        Ok(())
    }
}

/// A small constant as an integer of any width.
fn number(kind: Scalar, value: i64) -> Lane {
    let (low, high) = kind.registers();
    let register = |width, value: i64| Operand::Imm(value as u64 & mask(width));
    let high = high.map(|width| register(width, value >> 63));
    std::iter::once(register(low, value)).chain(high).collect()
}
