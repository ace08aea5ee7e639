//! Vectors: what is done to a vector is done to its elements, one after the other. A scalar is treated as a vector of one.

use super::function::{Body, NotUnderstood};
use crate::llvm::{Type, Value};
use crate::program::{Inst, Operand};
use crate::shape::{self, Scalar};
use ordain_expr::op::{BinOp, CastOp, Pred, Width, mask};

/// The registers of one element: one, or two of what is wider than 64 bits.
pub(super) type Lane = Vec<Operand>;

impl Body<'_> {
    /// What a type's elements are.
    pub(super) fn element(&self, ty: Type) -> Result<Scalar, NotUnderstood> {
        shape::scalar(shape::lanes(ty).0).ok_or_else(|| format!("a value of type {ty}"))
    }

    pub(super) fn lanes(&self, value: Value) -> Result<Vec<Lane>, NotUnderstood> {
        let operands = self.operands(value)?;
        let (_, count) = shape::lanes(value.ty());
        Ok(operands.chunks((operands.len() / count.max(1) as usize).max(1)).map(Lane::from).collect())
    }

    /// Computes a value element by element from those of `operands`. An operand with one element only goes with all.
    pub(super) fn each_lane(
        &mut self,
        i: Value,
        operands: &[Value],
        mut compute: impl FnMut(&mut Self, &[Lane]) -> Result<Lane, NotUnderstood>,
    ) -> Result<(), NotUnderstood> {
        let mut columns = Vec::new();
        for operand in operands {
            columns.push(self.lanes(*operand)?);
        }
        let mut result = Vec::new();
        for n in 0..shape::lanes(i.ty()).1 as usize {
            let row = columns.iter().map(|column| column.get(n).or(column.first()).cloned());
            let row: Vec<Lane> = row.collect::<Option<_>>().ok_or("vectors of different lengths")?;
            result.extend(compute(self, &row)?);
        }
        self.set(i, result);
        Ok(())
    }

    pub(super) fn extract_element(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let lanes = self.lanes(i.operand(0))?;
        let result = match i.operand(1).as_int() {
            Some(index) => self.constant_lane(&lanes, index)?,
            None => {
                let (index, width) = (self.operand(i.operand(1))?, self.width(i.operand(1))?);
                let mut result = lanes[0].clone();
                for (n, lane) in lanes.into_iter().enumerate().skip(1) {
                    let here = self.cmp(Pred::Eq, width, index, Operand::Imm(n as u64));
                    result = self.choose_lane(self.element(i.ty())?, here, &lane, &result);
                }
                result
            }
        };
        self.set(i, result);
        Ok(())
    }

    /// What is outside of the vector is undefined.
    fn constant_lane(&self, lanes: &[Lane], index: u64) -> Result<Lane, NotUnderstood> {
        let first = lanes.first().ok_or("a vector without elements")?;
        Ok(lanes.get(index as usize).cloned().unwrap_or_else(|| vec![Operand::Undefined; first.len()]))
    }

    pub(super) fn insert_element(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let mut lanes = self.lanes(i.operand(0))?;
        let new = self.operands(i.operand(1))?;
        match i.operand(2).as_int() {
            Some(index) => {
                if let Some(lane) = lanes.get_mut(index as usize) {
                    *lane = new;
                }
            }
            None => {
                let (index, width) = (self.operand(i.operand(2))?, self.width(i.operand(2))?);
                for (n, lane) in lanes.iter_mut().enumerate() {
                    let here = self.cmp(Pred::Eq, width, index, Operand::Imm(n as u64));
                    *lane = self.choose_lane(self.element(i.ty())?, here, &new, lane);
                }
            }
        }
        self.set(i, lanes.concat());
        Ok(())
    }

    pub(super) fn shuffle(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let mut lanes = self.lanes(i.operand(0))?;
        lanes.extend(self.lanes(i.operand(1))?);
        let mut result = Vec::new();
        for index in i.shuffle_mask() {
            result.extend(self.constant_lane(&lanes, index.map_or(u64::MAX, |n| n as u64))?);
        }
        self.set(i, result);
        Ok(())
    }

    pub(super) fn choose_lane(&mut self, kind: Scalar, cond: Operand, then: &Lane, other: &Lane) -> Lane {
        let (low, high) = kind.registers();
        let widths = [Some(low), high].into_iter().flatten();
        widths.zip(then.iter().zip(other)).map(|(width, (a, b))| self.select_value(width, cond, *a, *b)).collect()
    }

    /// The same bits as something else: vector, integer or floating-point number.
    pub(super) fn same_bits(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let widths = |body: &Self, value: Value| -> Result<Vec<Width>, NotUnderstood> {
            let leaves = body.leaves(value).ok_or_else(|| format!("a value of type {}", value.ty()))?;
            Ok(leaves.iter().map(|leaf| leaf.width).collect())
        };
        let operands = self.operands(i.operand(0))?;
        let (from, to) = (widths(self, i.operand(0))?, widths(self, i)?);
        let result = if from == to { operands } else { self.repack(&operands, &from, &to) };
        self.set(i, result);
        Ok(())
    }

    /// Registers of widths `to` with the bits of registers of widths `from`, lowest first.
    fn repack(&mut self, operands: &[Operand], from: &[Width], to: &[Width]) -> Vec<Operand> {
        let mut result = Vec::new();
        let mut start = 0;
        for &width in to {
            let end = start + u32::from(width);
            let mut value = Operand::Imm(0);
            let mut piece_start = 0;
            for (&operand, &piece_width) in operands.iter().zip(from) {
                let piece_end = piece_start + u32::from(piece_width);
                if piece_start < end && start < piece_end {
                    // Below its place bits are cut off, above by the width.
                    let down = u64::from(start.saturating_sub(piece_start));
                    let up = u64::from(piece_start.saturating_sub(start));
                    let shifted = self.bin(BinOp::LShr, piece_width, operand, Operand::Imm(down));
                    let resized = self.resize(shifted, piece_width, width);
                    let placed = self.bin(BinOp::Shl, width, resized, Operand::Imm(up));
                    value = self.bin(BinOp::Or, width, value, placed);
                }
                piece_start = piece_end;
            }
            result.push(value);
            start = end;
        }
        result
    }
}

/// Single operations on registers. What is constant is computed at once.
impl Body<'_> {
    pub(super) fn bin(&mut self, op: BinOp, width: Width, a: Operand, b: Operand) -> Operand {
        use BinOp::{AShr, Add, LShr, Or, Shl, Sub, Xor};
        match (op, a, b) {
            (_, Operand::Imm(x), Operand::Imm(y)) => {
                Operand::Imm(ordain_expr::op::bin(op, width, x & mask(width), y & mask(width)))
            }
            (Add | Sub | Or | Xor | Shl | LShr | AShr, _, Operand::Imm(0)) => a,
            (Add | Or | Xor, Operand::Imm(0), _) => b,
            (BinOp::And, Operand::Imm(0), _) | (BinOp::And, _, Operand::Imm(0)) => Operand::Imm(0),
            _ => self.compute(width, |dst| Inst::Bin { op, width, dst, a, b }),
        }
    }

    pub(super) fn cmp(&mut self, pred: Pred, width: Width, a: Operand, b: Operand) -> Operand {
        self.compute(1, |dst| Inst::Cmp { pred, width, dst, a, b })
    }

    pub(super) fn extend(&mut self, op: CastOp, a: Operand, from: Width, to: Width) -> Operand {
        match a {
            _ if from == to => a,
            Operand::Imm(value) => Operand::Imm(ordain_expr::op::cast(op, from, to, value & mask(from))),
            _ => self.compute(to, |dst| Inst::Cast { op, from, to, dst, a }),
        }
    }

    /// Truncates or zero-extends.
    pub(super) fn resize(&mut self, a: Operand, from: Width, to: Width) -> Operand {
        self.extend(if from < to { CastOp::ZExt } else { CastOp::Trunc }, a, from, to)
    }

    pub(super) fn select_value(&mut self, width: Width, cond: Operand, then: Operand, other: Operand) -> Operand {
        self.compute(width, |dst| Inst::Select { dst, cond, then, other })
    }
}
