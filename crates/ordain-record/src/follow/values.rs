//! The values that follow from constants: enough for the decisions that are not in the log.

use ordain_expr::op::{self, BinOp, Width, mask};
use ordain_ir::program::{Function, Inst, Operand, Reg};

const POINTER_BITS: Width = 64;

/// Whether an operation with this right operand means the same to everybody.
fn is_defined(op: BinOp, width: Width, b: u64) -> bool {
    match op {
        BinOp::Shl | BinOp::LShr | BinOp::AShr => b < u64::from(width),
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => b != 0,
        _ => true,
    }
}

/// The registers of one call of a function; `None` is any value.
#[derive(Clone, Debug)]
pub(super) struct Values(Vec<Option<u64>>);

impl Values {
    /// Of a function none of whose decisions is computed nothing has to be known.
    pub fn nothing() -> Self {
        Values(Vec::new())
    }

    pub fn new(function: &Function) -> Self {
        Values(vec![None; function.registers.len()])
    }

    pub fn is_kept(&self) -> bool {
        !self.0.is_empty()
    }

    pub fn get(&self, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Reg(register) => self.0.get(register.index()).copied().flatten(),
            Operand::Imm(value) => Some(*value),
            Operand::Undefined => None,
        }
    }

    fn set(&mut self, register: Reg, value: Option<u64>) {
        if let Some(place) = self.0.get_mut(register.index()) {
            *place = value;
        }
    }

    /// The log says what an instruction has read, or where an allocation is.
    pub fn learn(&mut self, function: &Function, inst: &Inst, value: u64) {
        let (dst, size) = match inst {
            Inst::Load { dst, size, .. } | Inst::Rmw { dst, size, .. } | Inst::CmpXchg { dst, size, .. } => {
                (*dst, *size)
            }
            // Addresses of the process mean nothing in the program as it is here.
            _ => return,
        };
        let width = function.registers[dst.index()];
        // What is as wide as an address may be one of the process, which means nothing here. Of a vector several
        // registers are read at once.
        if width < POINTER_BITS && u32::from(width).div_ceil(8) <= u32::from(size) {
            self.set(dst, Some(value & mask(width)));
        }
    }

    /// What an instruction computes. What others compute was never known, and stays so.
    pub fn execute(&mut self, inst: &Inst) {
        match inst {
            Inst::Bin { op, width, dst, a, b } => {
                let value = self.get(a).zip(self.get(b));
                let value = value.map(|(a, b)| (a & mask(*width), b & mask(*width)));
                let defined = value.filter(|&(_, b)| is_defined(*op, *width, b));
                self.set(*dst, defined.map(|(a, b)| op::bin(*op, *width, a, b)));
            }
            Inst::Cmp { pred, width, dst, a, b } => {
                let value = self.get(a).zip(self.get(b));
                self.set(*dst, value.map(|(a, b)| op::cmp(*pred, *width, a & mask(*width), b & mask(*width)).into()));
            }
            Inst::Cast { op, from, to, dst, a } => {
                let value = self.get(a);
                self.set(*dst, value.map(|a| op::cast(*op, *from, *to, a & mask(*from))));
            }
            Inst::Select { dst, cond, then, other } => {
                let chosen = self.get(cond).and_then(|c| self.get(if c & 1 != 0 { then } else { other }));
                self.set(*dst, chosen);
            }
            Inst::Copy { dst, src } => {
                let value = self.get(src);
                self.set(*dst, value);
            }
            Inst::Freeze { dst, src } => {
                let value = self.get(src);
                self.set(*dst, value);
            }
            Inst::Load { dst, .. } | Inst::Rmw { dst, .. } => self.set(*dst, None),
            Inst::CmpXchg { dst, ok, .. } => {
                self.set(*dst, None);
                self.set(*ok, None);
            }
            _ => {}
        }
    }
}
