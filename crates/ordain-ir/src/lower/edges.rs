//! Phi nodes: copies on the edges of the control-flow graph.

use super::function::Body;
use crate::llvm::{Block as LlvmBlock, Opcode, Value};
use crate::program::{Block, BlockId, Inst, LocId, Operand, Pc, Reg};
use std::collections::HashMap;

/// Edges that have copies, each a block of its own after the function's other blocks.
pub(super) struct Edges {
    first: usize,
    blocks: HashMap<(LlvmBlock, LlvmBlock), BlockId>,
    list: Vec<(LlvmBlock, LlvmBlock, LocId)>,
}

impl Edges {
    pub fn new(first: usize) -> Self {
        Edges { first, blocks: HashMap::new(), list: Vec::new() }
    }
}

impl Body<'_> {
    /// Where to jump in order to get from one block to another.
    pub fn target(&mut self, from: LlvmBlock, to: LlvmBlock) -> BlockId {
        if !to.first_instruction().is_some_and(is_phi) {
            return self.blocks[&to];
        }
        if let Some(id) = self.edges.blocks.get(&(from, to)) {
            return *id;
        }
        let id = BlockId((self.edges.first + self.edges.list.len()) as u32);
        self.edges.blocks.insert((from, to), id);
        self.edges.list.push((from, to, self.location));
        id
    }

    /// Jumps to the only successor of a block; its copies need no block of their own.
    pub fn jump(&mut self, from: LlvmBlock, to: LlvmBlock) {
        self.copies(from, to);
        let to = self.blocks[&to];
        self.emit(Inst::Br { to });
    }

    pub fn emit_edges(&mut self) {
        for (from, to, location) in std::mem::take(&mut self.edges.list) {
            self.location = location;
            let start = Pc(self.code.len() as u32);
            self.jump(from, to);
            self.ranges.push(Block { start, end: Pc(self.code.len() as u32) });
        }
    }

    fn copies(&mut self, from: LlvmBlock, to: LlvmBlock) {
        let mut copies = Vec::new();
        for phi in to.instructions().into_iter().take_while(|i| is_phi(*i)) {
            let Some((value, _)) = phi.incoming().into_iter().find(|(_, block)| *block == from) else { continue };
            let Some(targets) = self.values.get(&phi).cloned() else { continue };
            // Where a value is not understood, using the phi will say so.
            let sources = self.operands(value).unwrap_or_else(|_| vec![Operand::Undefined; targets.len()]);
            copies.extend(targets.into_iter().zip(sources).filter_map(|(target, source)| match target {
                Operand::Reg(dst) => Some((dst, source)),
                _ => None,
            }));
        }
        self.parallel_copy(copies);
    }

    /// Copies that all happen at once: a source that is also a target is saved first.
    fn parallel_copy(&mut self, copies: Vec<(Reg, Operand)>) {
        let mut copies: Vec<_> = copies.into_iter().filter(|(dst, src)| Operand::Reg(*dst) != *src).collect();
        for i in 0..copies.len() {
            let Operand::Reg(source) = copies[i].1 else { continue };
            let overwritten = copies[..i].iter().any(|(dst, _)| *dst == source);
            if overwritten {
                let width = self.registers[source.index()];
                copies[i].1 = self.compute(width, |dst| Inst::Copy { dst, src: Operand::Reg(source) });
            }
        }
        for (dst, src) in copies {
            self.emit(Inst::Copy { dst, src });
        }
    }
}

fn is_phi(instruction: Value) -> bool {
    instruction.opcode() == Opcode::LLVMPHI
}
