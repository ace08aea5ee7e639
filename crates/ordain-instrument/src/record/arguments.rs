//! Recording what the library is given: the numbers among the arguments of functions that run natively, and the sizes of
//! allocations. Of a copy it must be known offline how long it was, or it could be of any length.

use super::Recorder;
use super::native::Native;
use super::paths::Variables;
use super::values::{is_allocation, next_slot};
use crate::rewrite::{RewriteError, callee};
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue};
use ordain_record::Level;
use ordain_record::table::Argument;

const WORD_BITS: u32 = 64;

/// An argument that goes into the log.
pub(super) struct Given<'ctx> {
    call: InstructionValue<'ctx>,
    value: IntValue<'ctx>,
    /// Where it is; the number of the function is to be filled in.
    pub argument: Argument,
}

/// Those in a function, whose blocks are given in the order of their numbers. `slot` is the last that was given away.
pub(super) fn given<'ctx>(
    blocks: &[BasicBlock<'ctx>],
    level: Level,
    natives: &[(FunctionValue<'ctx>, Native)],
    slot: &mut u32,
) -> Vec<Given<'ctx>> {
    let mut all = Vec::new();
    for (number, block) in (0u32..).zip(blocks).filter(|_| level != Level::Paths) {
        let calls = block.get_instructions().filter(|&instruction| is_of_library(instruction, natives));
        for (nth, call) in (0u32..).zip(calls) {
            for (position, value) in numbers(call) {
                let argument = Argument { function: 0, block: number, nth, position, slot: next_slot(slot) };
                all.push(Given { call, value, argument });
            }
        }
    }
    all
}

/// The calls that the table counts.
fn is_of_library(instruction: InstructionValue, natives: &[(FunctionValue, Native)]) -> bool {
    use InstructionOpcode::{Call, Invoke};
    matches!(instruction.get_opcode(), Call | Invoke)
        && (callee(instruction).is_some_and(|f| natives.iter().any(|(native, _)| *native == f))
            || is_allocation(instruction))
}

/// The arguments that are numbers, and no constants.
fn numbers<'ctx>(call: InstructionValue<'ctx>) -> Vec<(u32, IntValue<'ctx>)> {
    // The last operand is what is called.
    let arguments = (0..call.get_num_operands().saturating_sub(1)).map(|nth| (nth, call.get_operand(nth)));
    arguments
        .filter_map(|(nth, operand)| match operand?.value()? {
            BasicValueEnum::IntValue(value) if !value.is_const() && value.get_type().get_bit_width() <= WORD_BITS => {
                Some((nth, value))
            }
            _ => None,
        })
        .collect()
}

/// Puts the code before every call that notes what is given to it.
pub(super) fn record<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    given: &[Given<'ctx>],
    variables: &Variables<'ctx>,
) -> Result<(), RewriteError> {
    for Given { call, value, argument } in given {
        recorder.builder.position_before(call);
        let word = recorder.builder.build_int_z_extend_or_bit_cast(*value, recorder.context.i64_type(), "")?;
        variables.note_change(recorder, word, argument.slot)?;
    }
    Ok(())
}
