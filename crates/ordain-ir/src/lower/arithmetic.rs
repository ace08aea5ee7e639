//! Integer arithmetic, comparisons, casts and choices, on scalars and vectors.

use super::floats::float_operation;
use super::function::{Body, NotUnderstood};
use super::lanes::Lane;
use crate::llvm::{IntPredicate, Opcode, Value};
use crate::program::{Inst, Operand};
use crate::shape::Scalar;
use ordain_expr::op::{BinOp, CastOp, Pred};

impl Body<'_> {
    /// Lowers an instruction that computes with values; `None` if it does not.
    pub(super) fn arithmetic(&mut self, i: Value, opcode: Opcode) -> Option<Result<(), NotUnderstood>> {
        Some(match opcode {
            Opcode::LLVMICmp => self.compare(i),
            Opcode::LLVMTrunc => self.cast(i, CastOp::Trunc),
            Opcode::LLVMZExt => self.cast(i, CastOp::ZExt),
            Opcode::LLVMSExt => self.cast(i, CastOp::SExt),
            Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr | Opcode::LLVMIntToPtr => self.cast(i, CastOp::ZExt),
            Opcode::LLVMBitCast => self.same_bits(i),
            Opcode::LLVMFreeze => self.freeze(i),
            Opcode::LLVMSelect => self.select(i),
            Opcode::LLVMFNeg => self.float_negate(i),
            Opcode::LLVMFCmp => self.float_compare(i),
            Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMFPToSI
            | Opcode::LLVMFPToUI
            | Opcode::LLVMSIToFP
            | Opcode::LLVMUIToFP => self.float_cast(i),
            opcode => match (binary_operation(opcode), float_operation(opcode)) {
                (Some(op), _) => self.binary(i, op),
                (_, Some(op)) => self.float_binary(i, op),
                _ => return None,
            },
        })
    }

    fn binary(&mut self, i: Value, op: BinOp) -> Result<(), NotUnderstood> {
        let kind = self.element(i.ty())?;
        // Only a plain number is known not to trap; the address of something is not looked at (see `points`).
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        let opaque = divides && i.operand(1).as_int().is_none();
        self.each_lane(i, &i.operands(), |body, lanes| match kind {
            Scalar::Int(width) => {
                let (a, mut b) = (lanes[0][0], lanes[1][0]);
                if opaque && matches!(b, Operand::Imm(1..)) {
                    b = body.compute(width, |dst| Inst::Copy { dst, src: b });
                }
                Ok(vec![body.compute(width, |dst| Inst::Bin { op, width, dst, a, b })])
            }
            kind => body.integer_operation(op, kind, &lanes[0], &lanes[1]),
        })
    }

    /// An operation that cannot trap, on integers of any width.
    pub(super) fn integer_operation(
        &mut self,
        op: BinOp,
        kind: Scalar,
        a: &Lane,
        b: &Lane,
    ) -> Result<Lane, NotUnderstood> {
        match kind {
            Scalar::Int(width) => Ok(vec![self.bin(op, width, a[0], b[0])]),
            Scalar::Wide(width) => self.wide_binary(op, width, a, b),
            _ => Err("integer arithmetic on floating-point numbers".into()),
        }
    }

    pub(super) fn integer_relation(
        &mut self,
        pred: Pred,
        kind: Scalar,
        a: &Lane,
        b: &Lane,
    ) -> Result<Operand, NotUnderstood> {
        match kind {
            Scalar::Int(width) => Ok(self.cmp(pred, width, a[0], b[0])),
            Scalar::Wide(width) => self.wide_compare(pred, width, a, b),
            _ => Err("an integer comparison of floating-point numbers".into()),
        }
    }

    fn compare(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let kind = self.element(i.operand(0).ty())?;
        let (pred, swap) = match i.predicate() {
            IntPredicate::LLVMIntEQ => (Pred::Eq, false),
            IntPredicate::LLVMIntNE => (Pred::Ne, false),
            IntPredicate::LLVMIntULT => (Pred::Ult, false),
            IntPredicate::LLVMIntULE => (Pred::Ule, false),
            IntPredicate::LLVMIntUGT => (Pred::Ult, true),
            IntPredicate::LLVMIntUGE => (Pred::Ule, true),
            IntPredicate::LLVMIntSLT => (Pred::Slt, false),
            IntPredicate::LLVMIntSLE => (Pred::Sle, false),
            IntPredicate::LLVMIntSGT => (Pred::Slt, true),
            IntPredicate::LLVMIntSGE => (Pred::Sle, true),
        };
        self.each_lane(i, &i.operands(), |body, lanes| {
            let (a, b) = if swap { (&lanes[1], &lanes[0]) } else { (&lanes[0], &lanes[1]) };
            Ok(vec![body.integer_relation(pred, kind, a, b)?])
        })
    }

    /// Casts between integers and pointers. A larger one to a smaller one is cut off whatever `op` says.
    fn cast(&mut self, i: Value, op: CastOp) -> Result<(), NotUnderstood> {
        let (from, to) = (self.element(i.operand(0).ty())?, self.element(i.ty())?);
        let op = if to.width() < from.width() { CastOp::Trunc } else { op };
        self.each_lane(i, &i.operands(), |body, lanes| body.int_cast(op, from, to, &lanes[0]))
    }

    /// Some value instead of none; which one is left to whoever computes it.
    fn freeze(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let operands = self.operands(i.operand(0))?;
        let leaves = self.leaves(i).unwrap_or_default();
        let frozen = operands.into_iter().zip(leaves).map(|(operand, leaf)| match operand {
            Operand::Undefined => Operand::Imm(0),
            Operand::Imm(_) => operand,
            Operand::Reg(_) => self.compute(leaf.width, |dst| Inst::Freeze { dst, src: operand }),
        });
        let frozen = frozen.collect();
        self.set(i, frozen);
        Ok(())
    }

    fn select(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let conditions = self.operands(i.operand(0))?;
        let (then, other) = (self.operands(i.operand(1))?, self.operands(i.operand(2))?);
        let dsts = self.define(i);
        // One condition for all registers, or one per element.
        let each = dsts.len() / conditions.len().max(1);
        for (n, ((dst, then), other)) in dsts.into_iter().zip(then).zip(other).enumerate() {
            let cond = conditions[if conditions.len() == 1 { 0 } else { n / each }];
            self.emit(Inst::Select { dst, cond, then, other });
        }
        Ok(())
    }
}

fn binary_operation(opcode: Opcode) -> Option<BinOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinOp::Add,
        Opcode::LLVMSub => BinOp::Sub,
        Opcode::LLVMMul => BinOp::Mul,
        Opcode::LLVMUDiv => BinOp::UDiv,
        Opcode::LLVMSDiv => BinOp::SDiv,
        Opcode::LLVMURem => BinOp::URem,
        Opcode::LLVMSRem => BinOp::SRem,
        Opcode::LLVMShl => BinOp::Shl,
        Opcode::LLVMLShr => BinOp::LShr,
        Opcode::LLVMAShr => BinOp::AShr,
        Opcode::LLVMAnd => BinOp::And,
        Opcode::LLVMOr => BinOp::Or,
        Opcode::LLVMXor => BinOp::Xor,
        _ => return None,
    })
}
