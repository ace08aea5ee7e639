//! Two instructions as one operation, where they often follow each other.

use super::{Ab, Abc, Decoder, Op, Slot};
use ordain_expr::op::{BinOp, Pred};
use ordain_ir::program::{Inst, Operand};

impl Decoder<'_> {
    /// Two instructions as one operation.
    pub(super) fn pair(&mut self, pc: usize, first: &Inst, second: &Inst) -> Option<Op> {
        match (first, second) {
            (Inst::Cmp { pred, width, dst, a, b }, Inst::CondBr { cond: Operand::Reg(cond), then, other })
                if cond == dst =>
            {
                let (abc, jumps) = (self.abc(*dst, a, b, *width)?, self.jumps(*then, *other));
                Some(match (pred, width) {
                    (Pred::Eq, _) => Op::EqBranch(abc, jumps),
                    (Pred::Ne, _) => Op::NeBranch(abc, jumps),
                    (Pred::Ult, _) => Op::UltBranch(abc, jumps),
                    (Pred::Ule, _) => Op::UleBranch(abc, jumps),
                    (Pred::Slt, 64) => Op::Slt64Branch(abc, jumps),
                    (Pred::Sle, 64) => Op::Sle64Branch(abc, jumps),
                    (Pred::Slt, 32) => Op::Slt32Branch(abc, jumps),
                    (Pred::Sle, 32) => Op::Sle32Branch(abc, jumps),
                    _ => return None,
                })
            }
            (
                Inst::Bin { op: BinOp::Mul, width: 64, dst, a, b },
                Inst::Bin { op: BinOp::Add, width: 64, dst: sum, a: c, b: Operand::Reg(product) },
            ) if product == dst => {
                let product = self.abc(*dst, a, b, 64)?;
                Some(Op::MulAdd64(product, Ab { dst: sum.0 as Slot, a: self.slot(c, 64)? }))
            }
            (
                Inst::Bin { op: BinOp::Add, width: 64, dst, a, b },
                Inst::Load { dst: loaded, addr: Operand::Reg(addr), size, order: None, point },
            ) if addr == dst && self.width(*loaded) >= size * 8 => {
                add_load(*size, *point, self.abc(*dst, a, b, 64)?, loaded.0 as Slot)
            }
            (
                Inst::Bin { op: BinOp::Add, width: 64, dst, a, b },
                Inst::Store { value, addr: Operand::Reg(addr), size, order: None, point },
            ) if addr == dst => add_store(*size, *point, self.abc(*dst, a, b, 64)?, self.slot(value, size * 8)?),
            (Inst::Copy { dst, src }, Inst::Copy { dst: other_dst, src: other_src }) => {
                Some(Op::Copies(self.copy(*dst, src)?, self.copy(*other_dst, other_src)?))
            }
            (Inst::Copy { dst, src }, Inst::Br { to }) => {
                let ab = self.copy(*dst, src)?;
                match self.bulk(pc + 1, second) {
                    Some(_) => None,
                    None => Some(Op::CopyJump(ab, self.target(*to))),
                }
            }
            _ => None,
        }
    }
}

fn add_load(size: u8, point: bool, sum: Abc, loaded: Slot) -> Option<Op> {
    Some(match (size, point) {
        (1, false) => Op::AddLoad1(sum, loaded),
        (4, false) => Op::AddLoad4(sum, loaded),
        (8, false) => Op::AddLoad8(sum, loaded),
        (1, true) => Op::AddPointLoad1(sum, loaded),
        (4, true) => Op::AddPointLoad4(sum, loaded),
        (8, true) => Op::AddPointLoad8(sum, loaded),
        _ => return None,
    })
}

fn add_store(size: u8, point: bool, sum: Abc, value: Slot) -> Option<Op> {
    Some(match (size, point) {
        (1, false) => Op::AddStore1(sum, value),
        (4, false) => Op::AddStore4(sum, value),
        (8, false) => Op::AddStore8(sum, value),
        (1, true) => Op::AddPointStore1(sum, value),
        (4, true) => Op::AddPointStore4(sum, value),
        (8, true) => Op::AddPointStore8(sum, value),
        _ => return None,
    })
}
