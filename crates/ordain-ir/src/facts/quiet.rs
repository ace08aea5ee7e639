//! Where a function may return without a point on the way, so that a thread comes from one moment to the next to where it is called, or to
//! its end.

use crate::program::{Callee, FuncId, Inst, Pc, Program};

/// May say so of a way that no thread can go; never misses one.
#[derive(Clone, Debug)]
pub struct Quiet<'p> {
    program: &'p Program,
    /// By function, as far as somebody has asked: for every instruction, whether there is such a way from it on.
    functions: Vec<Option<Box<[bool]>>>,
}

impl<'p> Quiet<'p> {
    pub fn new(program: &'p Program) -> Self {
        Quiet { program, functions: vec![None; program.functions.len()] }
    }

    /// Whether the function may return from this instruction on without a point.
    pub fn may_return(&mut self, function: FuncId, from: Pc) -> bool {
        if self.functions[function.index()].is_none() {
            self.look_at(function);
        }
        let known = self.functions[function.index()].as_ref();
        known.and_then(|quiet| quiet.get(from.index())).is_some_and(|quiet| *quiet)
    }

    fn look_at(&mut self, id: FuncId) {
        let function = self.program.function(id);
        // Whoever calls it while it is being looked at is part of a recursion.
        self.functions[id.index()] = Some(vec![true; function.code.len()].into());
        let comes_back: Vec<bool> = function.code.iter().map(|inst| self.comes_back(inst)).collect();
        let mut quiet = vec![false; function.code.len()].into_boxed_slice();
        loop {
            let mut changed = false;
            for (at, inst) in function.code.iter().enumerate().rev() {
                let ways = inst.successors();
                let now = match inst {
                    Inst::Ret { .. } => true,
                    Inst::Unreachable => false,
                    _ if !comes_back[at] => false,
                    _ if ways.is_empty() => quiet.get(at + 1).is_some_and(|next| *next),
                    _ => ways.iter().any(|to| quiet[function.blocks[to.index()].start.index()]),
                };
                changed |= now != quiet[at];
                quiet[at] = now;
            }
            if !changed {
                break;
            }
        }
        self.functions[id.index()] = Some(quiet);
    }

    /// Whether a thread may get past an instruction without a point.
    fn comes_back(&mut self, inst: &Inst) -> bool {
        match inst {
            Inst::Call { callee: Callee::Direct(callee), .. } => {
                let blocks = &self.program.function(*callee).blocks;
                blocks.first().map(|block| block.start).is_some_and(|start| self.may_return(*callee, start))
            }
            Inst::Call { callee: Callee::Unknown(_), .. } => false,
            inst => !inst.is_point(),
        }
    }
}
