//! Recording the path: which decisions a function takes, and the code that notes them.

use super::{Recorder, recompute};
use crate::rewrite::RewriteError;
use inkwell::basic_block::BasicBlock;
use inkwell::llvm_sys::core::{LLVMGetNumSuccessors, LLVMGetSuccessor};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue, PointerValue,
};
use std::collections::HashSet;

/// A place where a path can go on in more than one way.
pub(super) struct Decision<'ctx> {
    terminator: InstructionValue<'ctx>,
}

/// A call that matters to the log.
pub(super) struct RecordingCall<'ctx> {
    pub call: InstructionValue<'ctx>,
    /// What is noted before the call: who is called, or which jump buffer is meant.
    pub noted: Option<IntValue<'ctx>>,
    /// Whether something behind it may record, so that it needs the cursor and moves it.
    pub leaves: bool,
}

/// The decisions of a function that have to be recorded, and the numbers of the blocks whose need not. Blocks are given in
/// the order of their numbers.
pub(super) fn decisions<'ctx>(blocks: &[BasicBlock<'ctx>]) -> (Vec<Decision<'ctx>>, Vec<u32>) {
    let (mut recorded, mut recomputed) = (Vec::new(), Vec::new());
    for (number, block) in blocks.iter().enumerate() {
        let Some(terminator) = block.get_terminator() else { continue };
        let decides = match terminator.get_opcode() {
            InstructionOpcode::Br => terminator.get_num_operands() > 1,
            InstructionOpcode::Switch => true,
            _ => false,
        };
        if decides && recompute::is_computable(terminator) {
            recomputed.push(number as u32);
        } else if decides {
            recorded.push(Decision { terminator });
        }
    }
    (recorded, recomputed)
}

/// The blocks that can be reached, numbered as `ordain_ir` numbers those of a `Program`.
pub(super) fn reverse_postorder<'ctx>(function: FunctionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    let Some(entry) = function.get_first_basic_block() else { return Vec::new() };
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

fn successors<'ctx>(block: BasicBlock<'ctx>) -> Vec<BasicBlock<'ctx>> {
    block.get_terminator().map(successors_of).unwrap_or_default()
}

fn successors_of<'ctx>(terminator: InstructionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    let raw = terminator.as_value_ref();
    // SAFETY: a live terminator, asked for as many successors as it has; they are live blocks.
    unsafe { (0..LLVMGetNumSuccessors(raw)).filter_map(|i| BasicBlock::new(LLVMGetSuccessor(raw, i))).collect() }
}

/// Where a decision can lead, in the order of the numbers that the log has for it: a branch whose condition is false is 0.
fn ways<'ctx>(terminator: InstructionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    let mut ways = successors_of(terminator);
    if terminator.get_opcode() == InstructionOpcode::Br {
        ways.reverse();
    }
    ways
}

/// How many bits tell `ways` apart.
fn bits_for(ways: usize) -> u64 {
    u64::from(usize::BITS - (ways - 1).leading_zeros())
}

/// Whether a function has anything to put into its path.
pub(super) fn has_any(decisions: &[Decision], calls: &[RecordingCall]) -> bool {
    !decisions.is_empty() || calls.iter().any(|call| call.noted.is_some())
}

/// Where a function keeps its cursor and the word that it points to. If it does not use them, they vanish.
pub(super) struct Variables<'ctx> {
    cursor: PointerValue<'ctx>,
    word: PointerValue<'ctx>,
}

/// Where a function is left.
fn exits<'ctx>(function: FunctionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    let terminators = function.get_basic_blocks().into_iter().filter_map(|block| block.get_terminator());
    terminators.filter(|t| matches!(t.get_opcode(), InstructionOpcode::Return | InstructionOpcode::Resume)).collect()
}

impl<'ctx> Variables<'ctx> {
    pub fn declare(recorder: &Recorder<'_, 'ctx>, function: FunctionValue<'ctx>) -> Result<Self, RewriteError> {
        let first = function.get_first_basic_block().and_then(|b| b.get_first_instruction());
        let first = first.ok_or_else(|| RewriteError::Invalid("a function is empty".to_owned()))?;
        recorder.builder.position_before(&first);
        let pointer = recorder.context.ptr_type(inkwell::AddressSpace::default());
        let cursor = recorder.builder.build_alloca(pointer, "cursor")?;
        let word = recorder.builder.build_alloca(recorder.context.i64_type(), "word")?;
        Ok(Variables { cursor, word })
    }

    /// Goes to where the function proper begins, after its variables.
    fn position_at_start(&self, recorder: &Recorder<'_, 'ctx>) {
        // Asked for each time: calls that the function began with may have been replaced.
        if let Some(next) = self.word.as_instruction().and_then(|word| word.get_next_instruction()) {
            recorder.builder.position_before(&next);
        }
    }

    /// Puts the recording code into a function. Edges of decisions have blocks of their own by now.
    pub fn record(
        &self,
        recorder: &Recorder<'_, 'ctx>,
        function: FunctionValue<'ctx>,
        decisions: &[Decision<'ctx>],
        calls: &[RecordingCall<'ctx>],
    ) -> Result<(), RewriteError> {
        self.position_at_start(recorder);
        self.enter(recorder)?;
        for call in calls {
            self.around(recorder, call)?;
        }
        for decision in decisions {
            self.note(recorder, decision.terminator)?;
        }
        for end in exits(function) {
            recorder.builder.position_before(&end);
            self.call(recorder, "ordain.rec.leave", &[self.cursor.into()])?;
        }
        Ok(())
    }

    /// Notes a value, at the builder's place.
    pub fn note_value(
        &self,
        recorder: &Recorder<'_, 'ctx>,
        value: IntValue<'ctx>,
        slot: u32,
    ) -> Result<(), RewriteError> {
        let slot = recorder.context.i64_type().const_int(slot.into(), false);
        self.call(recorder, "ordain.rec.value", &[slot.into(), value.into()])
    }

    /// Notes, at the builder's place, a value if it is another than the last time.
    pub fn note_change(
        &self,
        recorder: &Recorder<'_, 'ctx>,
        value: IntValue<'ctx>,
        slot: u32,
    ) -> Result<(), RewriteError> {
        self.note_in_slot(recorder, "ordain.rec.change", value, slot)
    }

    /// The same by another function of the inlined code's.
    pub fn note_in_slot(
        &self,
        recorder: &Recorder<'_, 'ctx>,
        how: &str,
        value: IntValue<'ctx>,
        slot: u32,
    ) -> Result<(), RewriteError> {
        let slot = recorder.context.i64_type().const_int(slot.into(), false);
        let arguments = [self.cursor.into(), self.word.into(), slot.into(), value.into()];
        self.call(recorder, how, &arguments)
    }

    fn call(
        &self,
        recorder: &Recorder<'_, 'ctx>,
        name: &str,
        arguments: &[BasicMetadataValueEnum<'ctx>],
    ) -> Result<(), RewriteError> {
        let missing = || RewriteError::Invalid(format!("{name} is missing"));
        let function = recorder.module.get_function(name).ok_or_else(missing)?;
        recorder.builder.build_call(function, arguments, "")?;
        Ok(())
    }

    fn enter(&self, recorder: &Recorder<'_, 'ctx>) -> Result<(), RewriteError> {
        self.call(recorder, "ordain.rec.enter", &[self.cursor.into(), self.word.into()])
    }

    /// Makes room before the decision, and notes on every way what it was: there it is a constant.
    fn note(&self, recorder: &Recorder<'_, 'ctx>, terminator: InstructionValue<'ctx>) -> Result<(), RewriteError> {
        let word = recorder.context.i64_type();
        let ways = ways(terminator);
        let count = bits_for(ways.len());
        if count == 0 {
            return Ok(());
        }
        let count = word.const_int(count, false);
        recorder.builder.position_before(&terminator);
        self.call(recorder, "ordain.rec.room", &[self.cursor.into(), self.word.into(), count.into()])?;
        let mut done = HashSet::new();
        for (nth, block) in ways.iter().enumerate() {
            let Some(first) = first_insertion_point(*block).filter(|_| done.insert(*block)) else { continue };
            recorder.builder.position_before(&first);
            let bits = word.const_int(nth as u64, false);
            let arguments = [self.cursor.into(), self.word.into(), bits.into(), count.into()];
            self.call(recorder, "ordain.rec.bits", &arguments)?;
        }
        Ok(())
    }

    /// Hands the cursor over to what is called, and takes it back.
    fn around(&self, recorder: &Recorder<'_, 'ctx>, call: &RecordingCall<'ctx>) -> Result<(), RewriteError> {
        recorder.builder.position_before(&call.call);
        if let Some(value) = call.noted {
            self.call(recorder, "ordain.rec.raw", &[self.cursor.into(), self.word.into(), value.into()])?;
        }
        if !call.leaves {
            return Ok(());
        }
        self.call(recorder, "ordain.rec.leave", &[self.cursor.into()])?;
        if call.call.get_opcode() == InstructionOpcode::Invoke {
            for first in successors_of(call.call).into_iter().filter_map(first_insertion_point) {
                recorder.builder.position_before(&first);
                self.enter(recorder)?;
            }
            return Ok(());
        }
        // A call that has to be the last thing its function does leaves nothing to take back.
        let must_be_last =
            matches!(call.call.get_tail_call_kind(), Ok(kind) if format!("{kind:?}").contains("MustTail"));
        if let Some(next) = call.call.get_next_instruction().filter(|_| !must_be_last) {
            recorder.builder.position_before(&next);
            self.enter(recorder)?;
        }
        Ok(())
    }
}

fn first_insertion_point<'ctx>(block: BasicBlock<'ctx>) -> Option<InstructionValue<'ctx>> {
    let mut next = block.get_first_instruction();
    while let Some(instruction) = next {
        if !matches!(instruction.get_opcode(), InstructionOpcode::Phi | InstructionOpcode::LandingPad) {
            return Some(instruction);
        }
        next = instruction.get_next_instruction();
    }
    None
}
