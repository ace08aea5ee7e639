//! Facts about the control flow of a `Program`: edges, dominators, postdominators, loop headers, live registers.
//!
//! Computed once per program and only read afterwards. The exploration merges paths at postdominators, and the machine
//! recognises awaits at loop headers by comparing the registers that are live there.

mod dominators;
mod liveness;
pub mod loops;
pub mod quiet;

pub use liveness::{Live, Local};

use crate::program::{BlockId, FuncId, Function, Inst, Pc, Program, Reg};
use liveness::Liveness;

#[derive(Clone, Debug)]
pub struct Facts {
    functions: Vec<FunctionFacts>,
}

/// Facts about one function. Everything is indexed by block.
#[derive(Clone, Debug)]
pub struct FunctionFacts {
    successors: Vec<Vec<BlockId>>,
    predecessors: Vec<Vec<BlockId>>,
    dominators: Vec<Option<BlockId>>,
    postdominators: Vec<Option<BlockId>>,
    headers: Vec<bool>,
    live_in: Vec<Vec<Reg>>,
    liveness: Liveness,
    /// Where each block starts, to find the block of an instruction.
    starts: Vec<Pc>,
    /// Blocks by where they start.
    by_start: Vec<BlockId>,
}

impl Facts {
    pub fn new(program: &Program) -> Self {
        Facts { functions: program.functions.iter().map(FunctionFacts::new).collect() }
    }

    pub fn function(&self, f: FuncId) -> &FunctionFacts {
        &self.functions[f.index()]
    }
}

impl FunctionFacts {
    pub fn new(function: &Function) -> Self {
        let successors: Vec<Vec<BlockId>> =
            function.blocks.iter().map(|b| function.code[b.end.index() - 1].successors()).collect();
        let ends = function.blocks.iter().map(|b| &function.code[b.end.index() - 1]);
        let returns: Vec<bool> = ends.map(|end| matches!(end, Inst::Ret { .. })).collect();
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (from, targets) in successors.iter().enumerate() {
            for to in targets {
                predecessors[to.index()].push(BlockId(from as u32));
            }
        }
        let mut by_start: Vec<BlockId> = (0..function.blocks.len() as u32).map(BlockId).collect();
        by_start.sort_by_key(|b| function.blocks[b.index()].start);
        let liveness = Liveness::new(function, &successors, &predecessors);
        FunctionFacts {
            dominators: dominators::immediate_dominators(&successors, &predecessors),
            postdominators: dominators::immediate_postdominators(&successors, &predecessors, &returns),
            headers: loop_headers(&successors),
            live_in: liveness.registers_at_start(function),
            liveness,
            starts: by_start.iter().map(|b| function.blocks[b.index()].start).collect(),
            by_start,
            successors,
            predecessors,
        }
    }

    /// How many blocks the function has.
    pub fn blocks(&self) -> usize {
        self.successors.len()
    }

    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// `None` for the entry block and for blocks that cannot be reached.
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators[block.index()]
    }

    /// The first block that every way on from `block` comes to, apart from `block` itself and ways that end in a call that
    /// does not come back. `None` if there is no such block: the ways only meet where the function ends, or one of them may
    /// loop for ever.
    pub fn immediate_postdominator(&self, block: BlockId) -> Option<BlockId> {
        self.postdominators[block.index()]
    }

    /// Whether a loop starts here. Every cycle of reachable blocks has a header on it, also the irreducible ones.
    pub fn is_loop_header(&self, block: BlockId) -> bool {
        self.headers[block.index()]
    }

    /// Whether every way from the entry to `block` leads through `first`.
    fn dominates(&self, first: BlockId, block: BlockId) -> bool {
        let mut at = Some(block);
        while let Some(block) = at {
            if block == first {
                return true;
            }
            at = self.immediate_dominator(block);
        }
        false
    }

    /// The registers whose value at the start of `block` may still be read, in ascending order.
    pub fn live_in(&self, block: BlockId) -> &[Reg] {
        &self.live_in[block.index()]
    }

    /// What may still be read where the instruction at `pc` is about to be executed.
    pub fn live_at(&self, function: &Function, pc: Pc) -> Live {
        let block = self.block_of(pc);
        self.liveness.at(function, block, pc, self.successors(block))
    }

    /// The block that the instruction belongs to.
    pub fn block_of(&self, pc: Pc) -> BlockId {
        let after = self.starts.partition_point(|start| *start <= pc);
        self.by_start[after.saturating_sub(1)]
    }
}

/// Targets of edges that go back to a block on the path of a depth-first search. In reducible code these are the back
/// edges that dominators define.
fn loop_headers(successors: &[Vec<BlockId>]) -> Vec<bool> {
    let mut headers = vec![false; successors.len()];
    let mut state = vec![Visit::Unseen; successors.len()];
    let mut path: Vec<(usize, usize)> = vec![(0, 0)];
    if let Some(entry) = state.first_mut() {
        *entry = Visit::OnPath;
    } else {
        return headers;
    }
    while let Some((block, next)) = path.last_mut() {
        let Some(to) = successors[*block].get(*next).map(|b| b.index()) else {
            state[*block] = Visit::Done;
            path.pop();
            continue;
        };
        *next += 1;
        match state[to] {
            Visit::Unseen => {
                state[to] = Visit::OnPath;
                path.push((to, 0));
            }
            Visit::OnPath => headers[to] = true,
            Visit::Done => {}
        }
    }
    headers
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Unseen,
    OnPath,
    Done,
}
