//! The values that follow from constants: enough for the decisions that are not in the log.

use ordain_expr::op::{self, mask};
use ordain_ir::program::{Function, Inst, Operand, Reg};

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

    /// What an instruction computes. Results of all others were never known, and stay so.
    pub fn execute(&mut self, inst: &Inst) {
        match inst {
            Inst::Bin { op, width, dst, a, b } => {
                let value = self.get(a).zip(self.get(b));
                self.set(*dst, value.map(|(a, b)| op::bin(*op, *width, a & mask(*width), b & mask(*width))));
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
            _ => {}
        }
    }
}
