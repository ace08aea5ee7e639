//! What the program's code says about waiting: which loads a thread may wait by, round after round; which attempts to lock a mutex
//! decide the way of the thread (if one does not, the thread goes the same way without the mutex); and where a thread may leave its way
//! for its end without doing anything more, so that nobody gets the mutexes that it holds.

use ordain_ir::facts::quiet::Quiet;
use ordain_ir::facts::{FunctionFacts, loops};
use ordain_ir::program::{BlockId, FuncId, Inst, Operand, Pc, Program, Reg};
use ordain_vm::Executed;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug)]
enum Loops {
    NotLookedAt,
    None,
    /// Which instructions are in a loop that may be an await.
    At(Box<[bool]>),
}

#[derive(Clone, Debug)]
pub(super) struct Waits<'p> {
    program: &'p Program,
    loops: Vec<Loops>,
    decisive: FxHashMap<(FuncId, Pc), bool>,
    quiet: Quiet<'p>,
}

impl<'p> Waits<'p> {
    pub fn new(program: &'p Program) -> Self {
        let loops = vec![Loops::NotLookedAt; program.functions.len()];
        Waits { program, loops, decisive: FxHashMap::default(), quiet: Quiet::new(program) }
    }

    /// Whether the instruction is in a loop in which a thread may wait.
    #[inline]
    pub fn is_in_await(&mut self, function: FuncId, pc: Pc) -> bool {
        match &self.loops[function.index()] {
            Loops::None => false,
            Loops::At(inside) => inside[pc.index()],
            Loops::NotLookedAt => {
                self.loops[function.index()] = self.look_at(function);
                self.is_in_await(function, pc)
            }
        }
    }

    fn look_at(&self, id: FuncId) -> Loops {
        let function = self.program.function(id);
        let facts = FunctionFacts::new(function);
        let mut inside = vec![false; function.code.len()];
        for header in (0..function.blocks.len() as u32).map(BlockId).filter(|&block| facts.is_loop_header(block)) {
            if !loops::may_await(function, &facts, header) {
                continue;
            }
            for (last, _, _) in loops::ways(function, &facts, header) {
                let block = &function.blocks[facts.block_of(last).index()];
                inside[block.start.index()..block.end.index()].fill(true);
            }
        }
        if inside.contains(&true) { Loops::At(inside.into()) } else { Loops::None }
    }

    /// Whether the thread's way depends on what an attempt to lock a mutex comes to. What models make of it may be left open.
    pub fn is_decisive(&mut self, function: FuncId, pc: Pc) -> bool {
        let program = self.program;
        *self.decisive.entry((function, pc)).or_insert_with(|| decides(program, function, pc))
    }

    /// Whether the thread may come to its end after this, if it goes another way, without a point between.
    pub fn may_end_after(&mut self, executed: &Executed) -> bool {
        executed.stack().all(|(function, pc)| self.quiet.may_return(function, Pc(pc.0 + 1)))
    }
}

/// Whether the block of a call ends with a branch on what the call returns.
fn decides(program: &Program, id: FuncId, pc: Pc) -> bool {
    let function = program.function(id);
    let Some(block) = function.blocks.iter().find(|block| (block.start..block.end).contains(&pc)) else { return false };
    let code = &function.code[pc.index()..block.end.index()];
    if function.model {
        return false;
    }
    let mut follows: FxHashSet<Reg> = code[0].definitions().collect();
    for inst in &code[1..] {
        match inst {
            Inst::CondBr { cond: Operand::Reg(reg), .. } | Inst::Switch { value: Operand::Reg(reg), .. } => {
                return follows.contains(reg);
            }
            // Of what is written to memory or given to others nothing is known.
            Inst::Cmp { .. } | Inst::Cast { .. } | Inst::Copy { .. } | Inst::Freeze { .. } => {
                let mut used = false;
                inst.for_each_use(|reg| used |= follows.contains(&reg));
                if used {
                    follows.extend(inst.definitions());
                }
            }
            _ => {}
        }
    }
    false
}
