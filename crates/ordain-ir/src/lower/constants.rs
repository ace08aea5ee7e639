//! Constants: as operands of instructions, and as the initial bytes of globals.

use super::Lowering;
use crate::llvm::{Opcode, Type, TypeKind, Value, ValueKind};
use crate::program::Operand;
use crate::shape;
use ordain_expr::op::{self, BinOp, CastOp, Width};

/// A constant that the lowering has no value for, in words.
type NotUnderstood = String;

/// Whether a constant may be the address of a variable that is nowhere defined. In an initial value it may: what matters
/// is whether anybody goes there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Refused,
    Tolerated,
}

impl Lowering {
    /// The value of a scalar constant.
    fn scalar(&self, constant: Value, missing: Missing) -> Result<Operand, NotUnderstood> {
        let bits = constant.as_int().or_else(|| constant.float_bits().and_then(|bits| bits.try_into().ok()));
        if let Some(value) = bits {
            return Ok(Operand::Imm(value));
        }
        match constant.kind() {
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => Ok(Operand::Undefined),
            ValueKind::LLVMConstantPointerNullValueKind | ValueKind::LLVMConstantAggregateZeroValueKind => {
                Ok(Operand::Imm(0))
            }
            ValueKind::LLVMGlobalAliasValueKind => self.scalar(constant.aliasee(), missing),
            ValueKind::LLVMConstantExprValueKind => self.expression(constant, missing),
            _ if missing == Missing::Refused && self.missing.contains(&constant) => {
                Err(format!("the variable `{}`, which is nowhere defined", constant.name()))
            }
            ValueKind::LLVMBlockAddressValueKind => Err("the address of a label".into()),
            ValueKind::LLVMGlobalIFuncValueKind => {
                Err(format!("the function `{}`, which is chosen when the program is loaded (ifunc)", constant.name()))
            }
            _ => match self.addresses.get(&constant) {
                Some(address) => Ok(Operand::Imm(*address)),
                None => Err(format!("a constant of type {}", constant.ty())),
            },
        }
    }

    fn expression(&self, constant: Value, missing: Missing) -> Result<Operand, NotUnderstood> {
        let width = |ty: Type| shape::scalar_width(ty).ok_or_else(|| format!("a constant of type {ty}"));
        let to = width(constant.ty())?;
        let value = |index: u32| match self.scalar(constant.operand(index), missing)? {
            Operand::Imm(value) => Ok(value),
            _ => Err("an undefined part of a constant".to_owned()),
        };
        let bin = |op: BinOp| {
            let (a, b) = (value(0)?, value(1)?);
            Ok(Operand::Imm(self.constants.computed(op::bin(op, to, a, b), &[a, b])))
        };
        match constant.const_opcode() {
            Opcode::LLVMGetElementPtr => {
                let offset = self.constant_offset(constant).ok_or("an address that is not constant")?;
                Ok(Operand::Imm(self.constants.offset(value(0)?, offset)))
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMTrunc | Opcode::LLVMPtrToAddr => {
                let whole = value(0)?;
                Ok(Operand::Imm(self.constants.computed(op::cast(CastOp::Trunc, 64, to, whole), &[whole])))
            }
            Opcode::LLVMIntToPtr | Opcode::LLVMBitCast => Ok(Operand::Imm(value(0)?)),
            Opcode::LLVMAdd => bin(BinOp::Add),
            Opcode::LLVMSub => bin(BinOp::Sub),
            Opcode::LLVMXor => bin(BinOp::Xor),
            _ => Err("a constant expression of an unknown kind".into()),
        }
    }

    /// The offset of a GEP whose indices are all constant.
    pub(super) fn constant_offset(&self, gep: Value) -> Option<u64> {
        let mut offset = 0u64;
        for step in self.gep_steps(gep) {
            match step {
                Step::Bytes(bytes) => offset = offset.wrapping_add(bytes),
                Step::Scaled { .. } => return None,
            }
        }
        Some(offset)
    }

    /// What a GEP adds to its base, one step per index.
    pub(super) fn gep_steps(&self, gep: Value) -> Vec<Step> {
        let mut ty = gep.gep_element_type();
        let mut steps = Vec::new();
        for (nth, index) in gep.operands().into_iter().skip(1).enumerate() {
            if nth > 0 && ty.kind() == TypeKind::LLVMStructTypeKind {
                // In a vector of them, all are the same.
                let field = index.as_int().or_else(|| index.element(0)?.as_int()).unwrap_or(0) as u32;
                steps.push(Step::Bytes(self.layout.offset(ty, field)));
                ty = ty.fields()[field as usize];
                continue;
            }
            if nth > 0 {
                ty = ty.element();
            }
            let scale = self.layout.size(ty);
            steps.push(match (index.as_int(), shape::scalar_width(index.ty())) {
                (Some(value), Some(width)) => Step::Bytes((op::signed(width, value) as u64).wrapping_mul(scale)),
                _ => Step::Scaled { index, scale },
            });
        }
        steps
    }

    /// One operand per leaf of the constant's type.
    pub(super) fn constant_leaves(&self, constant: Value) -> Result<Vec<Operand>, NotUnderstood> {
        if constant.kind() == ValueKind::LLVMConstantExprValueKind
            && let Some(leaves) = self.rearranged(constant)?
        {
            return Ok(leaves);
        }
        let ty = constant.ty();
        let count = shape::leaves(self.layout, ty).map_or(0, |leaves| leaves.len());
        let parts = ty.is_aggregate() || ty.kind() == TypeKind::LLVMVectorTypeKind;
        if !parts && count == 1 {
            return Ok(vec![self.scalar(constant, Missing::Refused)?]);
        }
        if let Some(bits) = constant.as_wide_int().or_else(|| constant.float_bits()) {
            return Ok(vec![Operand::Imm(bits as u64), Operand::Imm((bits >> 64) as u64)]);
        }
        let all = |operand| Ok(vec![operand; count]);
        match constant.kind() {
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => all(Operand::Undefined),
            ValueKind::LLVMConstantAggregateZeroValueKind => all(Operand::Imm(0)),
            _ if !parts => Err(format!("a constant of type {ty}")),
            _ => {
                let mut leaves = Vec::new();
                for i in 0..element_count(ty) {
                    leaves.extend(self.constant_leaves(element(constant, i)?)?);
                }
                Ok(leaves)
            }
        }
    }

    /// A constant expression that takes a vector apart, or sees its bits as something else.
    fn rearranged(&self, constant: Value) -> Result<Option<Vec<Operand>>, NotUnderstood> {
        let ty = constant.operand(0).ty();
        if ty.kind() != TypeKind::LLVMVectorTypeKind && constant.ty().kind() != TypeKind::LLVMVectorTypeKind {
            return Ok(None);
        }
        let leaves = self.constant_leaves(constant.operand(0))?;
        match (constant.const_opcode(), constant.operands().get(1).and_then(|index| index.as_int())) {
            (Opcode::LLVMExtractElement, Some(index)) => {
                let each = leaves.len() / shape::lanes(ty).1.max(1) as usize;
                Ok(leaves.chunks(each.max(1)).nth(index as usize).map(<[Operand]>::to_vec))
            }
            (Opcode::LLVMBitCast, _) => {
                let widths = |ty| shape::leaves(self.layout, ty).unwrap_or_default().into_iter().map(|leaf| leaf.width);
                let whole: Vec<u64> = leaves.iter().filter_map(|leaf| leaf.as_imm()).collect();
                let parts = repack(leaves.into_iter().zip(widths(ty)), widths(constant.ty()));
                parts.iter().filter_map(|part| part.as_imm()).for_each(|part| {
                    self.constants.computed(part, &whole);
                });
                Ok(Some(parts))
            }
            _ => Ok(None),
        }
    }

    /// The bytes of an initial value.
    pub(super) fn bytes(&self, constant: Value) -> Result<Vec<u8>, NotUnderstood> {
        let mut bytes = vec![0; self.layout.size(constant.ty()) as usize];
        self.write_bytes(constant, &mut bytes)?;
        Ok(bytes)
    }

    fn write_bytes(&self, constant: Value, bytes: &mut [u8]) -> Result<(), NotUnderstood> {
        let ty = constant.ty();
        match constant.kind() {
            // Static storage that nobody initialises is zero.
            ValueKind::LLVMConstantAggregateZeroValueKind
            | ValueKind::LLVMUndefValueValueKind
            | ValueKind::LLVMPoisonValueKind => return Ok(()),
            // Only of use to a computed goto, which says no itself.
            ValueKind::LLVMBlockAddressValueKind => return Ok(()),
            _ => {}
        }
        if ty.is_aggregate() || ty.kind() == TypeKind::LLVMVectorTypeKind {
            for i in 0..element_count(ty) {
                let part = element(constant, i)?;
                let offset = match ty.kind() {
                    TypeKind::LLVMStructTypeKind => self.layout.offset(ty, i),
                    _ => u64::from(i) * self.layout.size(part.ty()),
                } as usize;
                let size = self.layout.size(part.ty()) as usize;
                self.write_bytes(part, &mut bytes[offset..offset + size])?;
            }
            return Ok(());
        }
        let size = self.layout.store_size(ty) as usize;
        let value = match constant.as_wide_int().or_else(|| constant.float_bits()) {
            Some(value) => value,
            None => match self.scalar(constant, Missing::Tolerated)? {
                Operand::Imm(value) => value.into(),
                _ => 0,
            },
        };
        bytes[..size].copy_from_slice(&value.to_le_bytes()[..size]);
        Ok(())
    }
}

/// Part of an address computation.
pub(super) enum Step {
    Bytes(u64),
    Scaled { index: Value, scale: u64 },
}

/// The same bits in registers of other widths. Undefined ones are zero.
fn repack(from: impl Iterator<Item = (Operand, Width)>, to: impl Iterator<Item = Width>) -> Vec<Operand> {
    let mut bits = Vec::new();
    for (operand, width) in from {
        let value = match operand {
            Operand::Imm(value) => value,
            _ => 0,
        };
        bits.extend((0..width).map(|n| value >> n & 1));
    }
    let mut bits = bits.into_iter();
    to.map(|width| {
        let value = bits.by_ref().take(width.into()).enumerate().fold(0, |value, (n, bit)| value | bit << n);
        Operand::Imm(value)
    })
    .collect()
}

fn element_count(ty: Type) -> u32 {
    match ty.kind() {
        TypeKind::LLVMStructTypeKind => ty.fields().len() as u32,
        TypeKind::LLVMVectorTypeKind => ty.vector_length(),
        _ => ty.array_length() as u32,
    }
}

fn element(constant: Value, index: u32) -> Result<Value, NotUnderstood> {
    constant.element(index).ok_or_else(|| format!("a constant of type {}", constant.ty()))
}
