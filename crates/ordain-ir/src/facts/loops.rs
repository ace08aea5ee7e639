//! Which loops may be awaits: those whose headers have to be watched.
//!
//! Recognising an await takes a look at all live registers on every arrival at a loop header. Most loops cannot be one, and
//! that can be seen beforehand: they count something, or store something in every iteration.

use super::FunctionFacts;
use crate::program::{BlockId, Builtin, Callee, Function, Inst, Operand, Pc, Reg};
use ordain_expr::op::{BinOp, mask};

/// Whether a thread may come to `header` twice in the same state, having changed nothing in between.
pub fn may_await(function: &Function, facts: &FunctionFacts, header: BlockId) -> bool {
    goes_round_without_change(function, facts, header) && !counts(function, facts, header)
}

fn code_of(function: &Function, block: BlockId) -> &[Inst] {
    let block = &function.blocks[block.index()];
    &function.code[block.start.index()..block.end.index()]
}

/// The ways that branches and switches of the loop that starts at `header` lead, each with whether it leads out. What is
/// around the loop is not part of it, also if it leads back to `header`.
pub fn ways(function: &Function, facts: &FunctionFacts, header: BlockId) -> Vec<(Pc, BlockId, bool)> {
    let inside = inside(facts, header);
    let blocks = (0..function.blocks.len() as u32).map(BlockId).filter(|block| inside[block.index()]);
    let ways = blocks.flat_map(|block| {
        let (last, inside) = (Pc(function.blocks[block.index()].end.0 - 1), &inside);
        facts.successors(block).iter().map(move |&next| (last, next, !inside[next.index()]))
    });
    ways.collect()
}

/// Whether a thread does nothing in the loop but wait: it looks at memory, tries to exchange something, lets others go first.
pub fn only_waits(function: &Function, facts: &FunctionFacts, header: BlockId) -> bool {
    let inside = inside(facts, header);
    let mut blocks = (0..function.blocks.len() as u32).map(BlockId).filter(|block| inside[block.index()]);
    let is_harmless = |inst: &Inst| match inst {
        Inst::Call { callee, .. } => matches!(callee, Callee::Builtin(Builtin::Yield | Builtin::Sleep)),
        Inst::Store { point, .. } => !point,
        Inst::Ret { .. } | Inst::Alloca { .. } => false,
        _ => true,
    };
    may_await(function, facts, header) && blocks.all(|block| code_of(function, block).iter().all(is_harmless))
}

/// For every block, whether it is part of the loop that starts at `header`.
fn inside(facts: &FunctionFacts, header: BlockId) -> Vec<bool> {
    let mut inside = vec![false; facts.blocks()];
    inside[header.index()] = true;
    let predecessors = facts.predecessors(header).iter().copied();
    let mut work: Vec<BlockId> = predecessors.filter(|&latch| facts.dominates(header, latch)).collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut inside[block.index()], true) {
            work.extend(facts.predecessors(block));
        }
    }
    inside
}

/// Whether there is a cycle through `header` that changes nothing for certain.
fn goes_round_without_change(function: &Function, facts: &FunctionFacts, header: BlockId) -> bool {
    let changes = |block: BlockId| code_of(function, block).iter().any(always_changes);
    if changes(header) {
        return false;
    }
    let mut seen = vec![false; function.blocks.len()];
    let mut work = facts.successors(header).to_vec();
    while let Some(block) = work.pop() {
        if block == header {
            return true;
        }
        if !std::mem::replace(&mut seen[block.index()], true) && !changes(block) {
            work.extend(facts.successors(block));
        }
    }
    false
}

fn always_changes(inst: &Inst) -> bool {
    matches!(inst, Inst::Store { point: true, .. })
}

/// Whether some register is another at each arrival that comes from inside: a constant was added to it.
fn counts(function: &Function, facts: &FunctionFacts, header: BlockId) -> bool {
    let inside = body(facts, header);
    let latches: Vec<BlockId> =
        facts.predecessors(header).iter().copied().filter(|latch| inside[latch.index()]).collect();
    // A loop with several entrances has ways round that these are not all of.
    if latches.is_empty() || !latches.iter().all(|&latch| facts.dominates(header, latch)) {
        return false;
    }
    let counts = |&register: &Reg| {
        let definitions = definitions(function, &inside, register);
        let in_latch = |latch: &BlockId| definitions.iter().filter(|(block, _)| block == latch).count();
        definitions.len() == latches.len()
            && latches.iter().all(|latch| in_latch(latch) == 1)
            && definitions.iter().all(|(block, inst)| is_next(function, facts, &inside, *block, inst, register))
    };
    facts.live_in(header).iter().any(counts)
}

/// The blocks of the loop: those that can be reached from `header` and from which it can be reached.
fn body(facts: &FunctionFacts, header: BlockId) -> Vec<bool> {
    let forward = reachable(header, |block| facts.successors(block), facts.blocks());
    let backward = reachable(header, |block| facts.predecessors(block), facts.blocks());
    forward.iter().zip(backward).map(|(there, back)| *there && back).collect()
}

fn reachable<'f>(from: BlockId, next: impl Fn(BlockId) -> &'f [BlockId], blocks: usize) -> Vec<bool> {
    let mut seen = vec![false; blocks];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            work.extend(next(block));
        }
    }
    seen
}

/// The instructions of the loop that write `register`.
fn definitions<'f>(function: &'f Function, inside: &[bool], register: Reg) -> Vec<(BlockId, &'f Inst)> {
    let blocks = (0..function.blocks.len() as u32).map(BlockId).filter(|b| inside[b.index()]);
    let defines = |inst: &&Inst| inst.definitions().any(|r| r == register);
    blocks.flat_map(|b| code_of(function, b).iter().filter(defines).map(move |inst| (b, inst))).collect()
}

/// Whether `inst`, in a block that goes back to the header, makes `register` one that is larger or smaller by a constant:
/// the sum was computed in this iteration, since its block comes before this one on all ways.
fn is_next(
    function: &Function,
    facts: &FunctionFacts,
    inside: &[bool],
    latch: BlockId,
    inst: &Inst,
    register: Reg,
) -> bool {
    match inst {
        Inst::Copy { src: Operand::Reg(sum), .. } => match definitions(function, inside, *sum)[..] {
            [(block, inst)] => adds_to(inst, register) && facts.dominates(block, latch),
            _ => false,
        },
        _ => adds_to(inst, register),
    }
}

fn adds_to(inst: &Inst, register: Reg) -> bool {
    match *inst {
        Inst::Bin { op: BinOp::Add | BinOp::Sub, width, a: Operand::Reg(a), b: Operand::Imm(step), .. } => {
            a == register && step & mask(width) != 0
        }
        Inst::Bin { op: BinOp::Add, width, a: Operand::Imm(step), b: Operand::Reg(b), .. } => {
            b == register && step & mask(width) != 0
        }
        _ => false,
    }
}
