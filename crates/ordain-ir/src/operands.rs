//! What an instruction reads and writes, and where it can go next: the view of `Inst` that data-flow analyses need.

use crate::program::{BlockId, Callee, Inst, Operand, Reg};

impl Inst {
    /// Calls `f` with every operand that the instruction reads.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            Inst::Bin { a, b, .. }
            | Inst::Cmp { a, b, .. }
            | Inst::FloatBin { a, b, .. }
            | Inst::FloatCmp { a, b, .. } => [*a, *b].into_iter().for_each(f),
            Inst::Cast { a, .. } | Inst::FloatCast { a, .. } => f(*a),
            Inst::Select { cond, then, other, .. } => [*cond, *then, *other].into_iter().for_each(f),
            Inst::Copy { src, .. } | Inst::Freeze { src, .. } => f(*src),
            Inst::Load { addr, .. } => f(*addr),
            Inst::Store { value, addr, .. } | Inst::Rmw { value, addr, .. } => [*value, *addr].into_iter().for_each(f),
            Inst::CmpXchg { addr, expected, new, .. } => [*addr, *expected, *new].into_iter().for_each(f),
            Inst::Alloca { size, .. } => f(*size),
            Inst::CondBr { cond, .. } => f(*cond),
            Inst::Switch { value, .. } => f(*value),
            Inst::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    f(*target);
                }
                args.iter().copied().for_each(f);
            }
            Inst::Ret { values } => values.iter().copied().for_each(f),
            Inst::Fence { .. } | Inst::Br { .. } | Inst::Unreachable => {}
        }
    }

    /// Calls `f` with every register that the instruction reads.
    pub fn for_each_use(&self, mut f: impl FnMut(Reg)) {
        self.for_each_operand(|operand| {
            if let Operand::Reg(reg) = operand {
                f(reg);
            }
        });
    }

    /// The registers that the instruction writes.
    pub fn definitions(&self) -> impl Iterator<Item = Reg> + '_ {
        let (first, second, rest): (Option<Reg>, Option<Reg>, &[Reg]) = match self {
            Inst::Bin { dst, .. }
            | Inst::Cmp { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::Copy { dst, .. }
            | Inst::Freeze { dst, .. }
            | Inst::FloatBin { dst, .. }
            | Inst::FloatCmp { dst, .. }
            | Inst::FloatCast { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Rmw { dst, .. }
            | Inst::Alloca { dst, .. } => (Some(*dst), None, &[]),
            Inst::CmpXchg { dst, ok, .. } => (Some(*dst), Some(*ok), &[]),
            Inst::Call { dsts, .. } => (None, None, dsts),
            _ => (None, None, &[]),
        };
        first.into_iter().chain(second).chain(rest.iter().copied())
    }

    /// The blocks that a terminator can go to, each once, in the order it names them.
    pub fn successors(&self) -> Vec<BlockId> {
        let mut targets = match self {
            Inst::Br { to } => vec![*to],
            Inst::CondBr { then, other, .. } => vec![*then, *other],
            Inst::Switch { cases, default, .. } => {
                cases.iter().map(|(_, to)| *to).chain(std::iter::once(*default)).collect()
            }
            _ => Vec::new(),
        };
        let mut seen = std::collections::BTreeSet::new();
        targets.retain(|to| seen.insert(*to));
        targets
    }
}
