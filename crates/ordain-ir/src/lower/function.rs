//! One function: registers, blocks, and the walk over its instructions.

use super::Lowering;
use super::edges::Edges;
use crate::error::Refusal;
use crate::llvm::{Block as LlvmBlock, Opcode, Value, ValueKind};
use crate::points;
use crate::program::{Block, BlockId, Callee, Function, Inst, LocId, NameId, Operand, Pc, Reg};
use crate::shape::{self, Leaf};
use ordain_expr::op::Width;
use std::collections::{HashMap, HashSet};

/// What keeps an instruction from being lowered, in words.
pub(super) type NotUnderstood = String;

/// A function while it is being lowered.
pub(super) struct Body<'a> {
    pub lowering: &'a mut Lowering,
    pub registers: Vec<Width>,
    pub code: Vec<Inst>,
    pub locations: Vec<LocId>,
    /// The operands of every value seen so far, one per leaf.
    pub values: HashMap<Value, Vec<Operand>>,
    pub blocks: HashMap<LlvmBlock, BlockId>,
    pub ranges: Vec<Block>,
    pub edges: Edges,
    pub slot_names: HashMap<Value, NameId>,
    pub location: LocId,
}

impl Lowering {
    pub(super) fn function(&mut self, function: Value) -> Result<Function, Refusal> {
        let location = function.function_place().map_or(LocId(0), |place| self.locations.intern(&place));
        let name = function.name();
        let order = reverse_postorder(function);
        let slot_names = self.slot_names(function);
        let mut body = Body {
            registers: Vec::new(),
            code: Vec::new(),
            locations: Vec::new(),
            values: HashMap::new(),
            blocks: order.iter().enumerate().map(|(i, b)| (*b, BlockId(i as u32))).collect(),
            ranges: Vec::new(),
            edges: Edges::new(order.len()),
            slot_names,
            location,
            lowering: self,
        };
        let params = body.parameters(function);
        body.run(&order).map_err(|what| Refusal::Internal(format!("{what} in `{name}`")))?;
        let Body { registers, code, locations, ranges, .. } = body;
        Ok(Function {
            name,
            address: self.addresses[&function],
            params,
            registers,
            code,
            locations,
            blocks: ranges,
            model: Lowering::is_model(function),
            location,
        })
    }

    /// The source variables that live in stack slots.
    fn slot_names(&mut self, function: Value) -> HashMap<Value, NameId> {
        let mut names = HashMap::new();
        for instruction in function.instructions() {
            for (slot, variable) in instruction.declared_variables(self.context) {
                names.insert(slot, self.name(&variable.name));
            }
        }
        names
    }
}

/// The blocks that can be reached, dominators first.
fn reverse_postorder(function: Value) -> Vec<LlvmBlock> {
    let Some(&entry) = function.blocks().first() else { return Vec::new() };
    let successors = |block: LlvmBlock| block.terminator().map(|t| t.successors()).unwrap_or_default();
    let mut order = Vec::new();
    let mut seen = HashSet::from([entry]);
    let mut path = vec![(entry, successors(entry))];
    while let Some((block, rest)) = path.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => path.push((next, successors(next))),
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

impl Body<'_> {
    fn parameters(&mut self, function: Value) -> Vec<Reg> {
        let mut params = Vec::new();
        for param in function.params() {
            let registers = self.define(param);
            params.extend(registers);
        }
        params
    }

    fn run(&mut self, order: &[LlvmBlock]) -> Result<(), NotUnderstood> {
        for block in order {
            for phi in block.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMPHI) {
                self.define(phi);
            }
        }
        for block in order {
            let start = Pc(self.code.len() as u32);
            for instruction in block.instructions() {
                self.instruction(instruction)?;
            }
            self.ranges.push(Block { start, end: Pc(self.code.len() as u32) });
        }
        self.emit_edges();
        Ok(())
    }

    /// Lowers one instruction, and checks that it is as much of a point as its mark says.
    fn instruction(&mut self, instruction: Value) -> Result<(), NotUnderstood> {
        // What passes left without a location belongs to what is before it.
        if let Some(place) = instruction.place().filter(|place| place.line > 0) {
            self.location = self.lowering.locations.intern(&place);
        }
        let before = self.code.len();
        if let Err(what) = self.lower_instruction(instruction) {
            self.code.truncate(before);
            self.locations.truncate(before);
            self.emit_unknown(&what);
            if instruction.is_terminator() {
                self.emit(Inst::Unreachable);
            }
            let count = self.leaves(instruction).map_or(0, |leaves| leaves.len());
            self.values.entry(instruction).or_insert_with(|| vec![Operand::Undefined; count]);
            // Whoever gets here goes no further, so it does not matter what is counted.
            return Ok(());
        }
        let counted = self.code[before..].iter().filter(|inst| inst.is_point()).count();
        let marked = points::is_marked(self.lowering.context, instruction);
        if counted != usize::from(marked) {
            return Err(format!("an instruction counts as {counted} points, its mark says {}", usize::from(marked)));
        }
        Ok(())
    }

    pub fn emit(&mut self, inst: Inst) {
        self.code.push(inst);
        self.locations.push(self.location);
    }

    pub fn emit_unknown(&mut self, what: &str) {
        let name = self.lowering.name(what);
        self.emit(Inst::Call { callee: Callee::Unknown(name), args: Box::new([]), dsts: Box::new([]) });
    }

    pub fn register(&mut self, width: Width) -> Reg {
        self.registers.push(width);
        Reg(self.registers.len() as u32 - 1)
    }

    /// Registers for a value, one per leaf. None if its type is not understood; then nothing can use it either.
    pub fn define(&mut self, value: Value) -> Vec<Reg> {
        let leaves = self.leaves(value).unwrap_or_default();
        let registers: Vec<Reg> = leaves.iter().map(|leaf| self.register(leaf.width)).collect();
        self.values.insert(value, registers.iter().map(|r| Operand::Reg(*r)).collect());
        registers
    }

    /// The one register of a scalar value.
    pub fn define_scalar(&mut self, value: Value) -> Result<Reg, NotUnderstood> {
        let width = self.width(value)?;
        let register = self.register(width);
        self.values.insert(value, vec![Operand::Reg(register)]);
        Ok(register)
    }

    pub fn leaves(&self, value: Value) -> Option<Vec<Leaf>> {
        shape::leaves(self.lowering.layout, value.ty())
    }

    pub fn width(&self, value: Value) -> Result<Width, NotUnderstood> {
        shape::scalar_width(value.ty()).ok_or_else(|| format!("a value of type {}", value.ty()))
    }

    /// The operands that stand for a value.
    pub fn operands(&self, value: Value) -> Result<Vec<Operand>, NotUnderstood> {
        match value.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                if self.leaves(value).is_none() {
                    return Err(format!("a value of type {}", value.ty()));
                }
                Ok(self.values.get(&value).cloned().ok_or("a value before its definition")?)
            }
            _ => {
                if self.leaves(value).is_none() {
                    return Err(format!("a constant of type {}", value.ty()));
                }
                self.lowering.constant_leaves(value)
            }
        }
    }

    pub fn operand(&self, value: Value) -> Result<Operand, NotUnderstood> {
        match self.operands(value)?[..] {
            [operand] => Ok(operand),
            _ => Err(format!("a value of type {}", value.ty())),
        }
    }

    /// Emits an instruction with a result in a new register of `width`.
    pub fn compute(&mut self, width: Width, inst: impl FnOnce(Reg) -> Inst) -> Operand {
        let dst = self.register(width);
        self.emit(inst(dst));
        Operand::Reg(dst)
    }

    pub fn set(&mut self, value: Value, operands: Vec<Operand>) {
        self.values.insert(value, operands);
    }
}
