//! Recording when threads had to do with each other: the time at every atomic write, and at every call that takes something
//! from other threads or gives something to them. What is in one place of a thread's log and what in one of another's happened
//! together is then nearly known. The processor's counter is read without a fence, so nearly is all that it is.

use super::Recorder;
use super::native::Native;
use crate::rewrite::{RewriteError, callee, instructions_of};
use inkwell::AtomicOrdering;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};
use ordain_ir::builtins;
use ordain_ir::program::Builtin;
use ordain_record::Stamp;

/// What a program says to its processor while it waits: to the machine, a yield.
const PAUSE: &str = "llvm.x86.sse2.pause";

/// Puts the code into a function. Calls have not been replaced yet.
pub(super) fn record<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    function: FunctionValue<'ctx>,
    natives: &[(FunctionValue<'ctx>, Native)],
) -> Result<(), RewriteError> {
    let missing = || RewriteError::Invalid("ordain.rec.time is missing".to_owned());
    let note = recorder.module.get_function("ordain.rec.time").ok_or_else(missing)?;
    for instruction in instructions_of(function) {
        let Some(stamp) = stamp(instruction, natives) else { continue };
        if stamp != Stamp::After {
            recorder.builder.position_before(&instruction);
            recorder.builder.build_call(note, &[], "")?;
        }
        if stamp != Stamp::Before {
            // What has nothing behind it in its block is as good as over before.
            recorder.builder.position_before(&instruction.get_next_instruction().unwrap_or(instruction));
            recorder.builder.build_call(note, &[], "")?;
        }
    }
    Ok(())
}

fn stamp<'ctx>(instruction: InstructionValue<'ctx>, natives: &[(FunctionValue<'ctx>, Native)]) -> Option<Stamp> {
    use InstructionOpcode::{AtomicCmpXchg, AtomicRMW, Call, Invoke, Store};
    match instruction.get_opcode() {
        AtomicRMW | AtomicCmpXchg => Some(Stamp::After),
        // Of loads, `values` notes it.
        Store => {
            let atomic = instruction.get_atomic_ordering().is_ok_and(|order| order != AtomicOrdering::NotAtomic);
            atomic.then_some(Stamp::After)
        }
        Call | Invoke => stamp_of_call(instruction, natives),
        _ => None,
    }
}

fn stamp_of_call<'ctx>(call: InstructionValue<'ctx>, natives: &[(FunctionValue<'ctx>, Native)]) -> Option<Stamp> {
    let target = callee(call)?;
    let name = target.get_name().to_str().ok()?;
    match natives.iter().find(|(function, _)| *function == target) {
        Some((_, Native::Waits)) => Stamp::of_native(name),
        Some((_, Native::Memory)) => None,
        None if target.count_basic_blocks() > 0 => None,
        None if name == PAUSE => Stamp::of_builtin(Builtin::Yield),
        None => Stamp::of_builtin(builtins::meaning(name)?.builtin),
    }
}
