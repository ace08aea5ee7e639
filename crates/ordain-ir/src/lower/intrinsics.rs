//! LLVM's intrinsics that take a few operations. Longer ones were replaced by models (see `canonical`).

use super::function::{Body, NotUnderstood};
use crate::llvm::Value;
use crate::points;
use crate::program::{Builtin, Callee, Inst, Operand};
use ordain_expr::op::{BinOp, CastOp, Pred, Width, mask};

impl Body<'_> {
    pub(super) fn intrinsic(&mut self, i: Value, name: &str) -> Result<(), NotUnderstood> {
        let parts: Vec<&str> = name.split('.').skip(1).collect();
        if let Some(builtin) = points::builtin_of(i) {
            self.emit_builtin(builtin);
            return Ok(());
        }
        match parts[..] {
            ["lifetime" | "dbg" | "assume" | "donothing" | "prefetch" | "stackrestore" | "experimental", ..] => Ok(()),
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
            ["uadd" | "usub", "sat", ..] => self.saturating(i, parts[0] == "uadd"),
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
            ["ptrmask", ..] => {
                let (width, a, b) = self.two(i)?;
                let dst = self.define_scalar(i)?;
                self.emit(Inst::Bin { op: BinOp::And, width, dst, a, b });
                Ok(())
            }
            _ => Err(format!("the intrinsic {name}")),
        }
    }

    fn constant_result(&mut self, i: Value, value: u64) -> Result<(), NotUnderstood> {
        let width = self.width(i)?;
        self.set(i, vec![Operand::Imm(value & mask(width))]);
        Ok(())
    }

    fn two(&self, i: Value) -> Result<(Width, Operand, Operand), NotUnderstood> {
        let width = self.width(i.operand(0))?;
        Ok((width, self.operand(i.operand(0))?, self.operand(i.operand(1))?))
    }

    fn bin(&mut self, op: BinOp, width: Width, a: Operand, b: Operand) -> Operand {
        self.compute(width, |dst| Inst::Bin { op, width, dst, a, b })
    }

    fn cmp(&mut self, pred: Pred, width: Width, a: Operand, b: Operand) -> Operand {
        self.compute(1, |dst| Inst::Cmp { pred, width, dst, a, b })
    }

    fn choose(&mut self, i: Value, cond: Operand, then: Operand, other: Operand) -> Result<(), NotUnderstood> {
        let dst = self.define_scalar(i)?;
        self.emit(Inst::Select { dst, cond, then, other });
        Ok(())
    }

    fn absolute(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let width = self.width(i)?;
        let x = self.operand(i.operand(0))?;
        let minus = self.bin(BinOp::Sub, width, Operand::Imm(0), x);
        let negative = self.cmp(Pred::Slt, width, x, Operand::Imm(0));
        self.choose(i, negative, minus, x)
    }

    fn extreme(&mut self, i: Value, less: Pred, smaller: bool) -> Result<(), NotUnderstood> {
        let (width, a, b) = self.two(i)?;
        let first_is_less = self.cmp(less, width, a, b);
        let (then, other) = if smaller { (a, b) } else { (b, a) };
        self.choose(i, first_is_less, then, other)
    }

    /// The upper (or lower) half of two words, shifted together. Shifts by the whole width give zero here.
    fn funnel_shift(&mut self, i: Value, left: bool) -> Result<(), NotUnderstood> {
        let (width, high, low) = self.two(i)?;
        let amount = self.operand(i.operand(2))?;
        if !width.is_power_of_two() {
            return Err("a rotation of an odd width".into());
        }
        let amount = self.bin(BinOp::And, width, amount, Operand::Imm(u64::from(width) - 1));
        let rest = self.bin(BinOp::Sub, width, Operand::Imm(width.into()), amount);
        let (up, down) = if left { (amount, rest) } else { (rest, amount) };
        let high = self.bin(BinOp::Shl, width, high, up);
        let low = self.bin(BinOp::LShr, width, low, down);
        let dst = self.define_scalar(i)?;
        self.emit(Inst::Bin { op: BinOp::Or, width, dst, a: high, b: low });
        Ok(())
    }

    fn saturating(&mut self, i: Value, add: bool) -> Result<(), NotUnderstood> {
        let (width, a, b) = self.two(i)?;
        if add {
            let sum = self.bin(BinOp::Add, width, a, b);
            let wrapped = self.cmp(Pred::Ult, width, sum, a);
            return self.choose(i, wrapped, Operand::Imm(mask(width)), sum);
        }
        let difference = self.bin(BinOp::Sub, width, a, b);
        let wrapped = self.cmp(Pred::Ult, width, a, b);
        self.choose(i, wrapped, Operand::Imm(0), difference)
    }

    fn with_overflow(&mut self, i: Value, operation: &str) -> Result<(), NotUnderstood> {
        let (width, a, b) = self.two(i)?;
        let (result, overflow) = match operation {
            "uadd" => {
                let sum = self.bin(BinOp::Add, width, a, b);
                (sum, self.cmp(Pred::Ult, width, sum, a))
            }
            "usub" => {
                let difference = self.bin(BinOp::Sub, width, a, b);
                (difference, self.cmp(Pred::Ult, width, a, b))
            }
            "sadd" => {
                // Overflown if the sum's sign differs from both.
                let sum = self.bin(BinOp::Add, width, a, b);
                let x = self.bin(BinOp::Xor, width, sum, a);
                let y = self.bin(BinOp::Xor, width, sum, b);
                let both = self.bin(BinOp::And, width, x, y);
                (sum, self.cmp(Pred::Slt, width, both, Operand::Imm(0)))
            }
            "ssub" => {
                let difference = self.bin(BinOp::Sub, width, a, b);
                let x = self.bin(BinOp::Xor, width, a, b);
                let y = self.bin(BinOp::Xor, width, a, difference);
                let both = self.bin(BinOp::And, width, x, y);
                (difference, self.cmp(Pred::Slt, width, both, Operand::Imm(0)))
            }
            _ => self.wide_product(operation == "smul", width, a, b)?,
        };
        self.set(i, vec![result, overflow]);
        Ok(())
    }

    /// A product of at most 32 bits: multiply in 64 and see whether the result survives narrowing.
    fn wide_product(
        &mut self,
        signed: bool,
        width: Width,
        a: Operand,
        b: Operand,
    ) -> Result<(Operand, Operand), NotUnderstood> {
        if width > 32 {
            return Err("a checked multiplication of an odd width".into());
        }
        let op = if signed { CastOp::SExt } else { CastOp::ZExt };
        let widen = |body: &mut Self, a, from| body.compute(64, |dst| Inst::Cast { op, from, to: 64, dst, a });
        let (x, y) = (widen(self, a, width), widen(self, b, width));
        let product = self.bin(BinOp::Mul, 64, x, y);
        let trunc = CastOp::Trunc;
        let low = self.compute(width, |dst| Inst::Cast { op: trunc, from: 64, to: width, dst, a: product });
        let again = widen(self, low, width);
        Ok((low, self.cmp(Pred::Ne, 64, again, product)))
    }
}
