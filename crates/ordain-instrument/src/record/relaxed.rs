//! Store buffers in software (`--memory tso`, `pso`): the runtime (`ordain-rt`'s module of the same name) is asked where each
//! access that others may notice is to be made, and told of everything that empties the buffer.
//!
//! Accesses stay the instructions they are, at another address. So whatever else is done with them, such as noting what
//! was read, is done as ever.

use super::{POINT_MARK, Recorder, calls};
use crate::rewrite::{RewriteError, callee, instructions_of, order};
use inkwell::llvm_sys::core::LLVMSetOperand;
use inkwell::targets::TargetData;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue, PointerValue,
};
use ordain_ir::builtins;
use ordain_ir::program::Builtin;

/// What the functions of the runtime begin with that this calls.
pub(super) const PREFIX: &[u8] = b"ordain_memory_";
/// Other intrinsics have nothing to do with memory that others may see.
const INTRINSICS_THAT_TOUCH: [&str; 4] = ["llvm.mem", "llvm.stackrestore", "llvm.va_", "llvm.eh."];

/// Puts the calls of the runtime into a function, whose own calls are still those of the program.
pub(super) fn relax<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    layout: &TargetData,
    function: FunctionValue<'ctx>,
) -> Result<(), RewriteError> {
    use InstructionOpcode::*;
    let mark = recorder.context.get_kind_id(POINT_MARK);
    let mut has_frame = false;
    for instruction in instructions_of(function) {
        let is_point = instruction.get_metadata(mark).is_some();
        recorder.builder.position_before(&instruction);
        match instruction.get_opcode() {
            Load if is_point => load(recorder, layout, instruction)?,
            Store if is_point => store(recorder, layout, instruction)?,
            AtomicRMW | AtomicCmpXchg => drain(recorder)?,
            Fence => {
                let order = order(recorder.context, instruction);
                calls::call_runtime(recorder, "ordain_memory_fence", &[order], None)?;
            }
            Alloca => has_frame = true,
            // Memory of one variable is not to be used for another while stores to it are on their way.
            Call if name(instruction).starts_with("llvm.lifetime.") => instruction.erase_from_basic_block(),
            Call | Invoke if empties(instruction) => drain(recorder)?,
            Return | Resume if has_frame => {
                calls::call_runtime(recorder, "ordain_memory_leave_frame", &[], None)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn drain(recorder: &Recorder<'_, '_>) -> Result<(), RewriteError> {
    calls::call_runtime(recorder, "ordain_memory_drain", &[], None)?;
    Ok(())
}

fn load<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    layout: &TargetData,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    let Ok(ty) = BasicTypeEnum::try_from(instruction.get_type()) else { return Ok(()) };
    redirect(recorder, layout, instruction, 0, ty, None)
}

fn store<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    layout: &TargetData,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    let Some(value) = instruction.get_operand(0).and_then(|o| o.value()) else { return Ok(()) };
    let word = to_word(recorder, layout, value)?;
    redirect(recorder, layout, instruction, 1, value.get_type(), Some(word))
}

/// Asks where an access is to be made, and lets it be made there. `address_at` is which operand its address is.
fn redirect<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    layout: &TargetData,
    instruction: InstructionValue<'ctx>,
    address_at: u32,
    ty: BasicTypeEnum<'ctx>,
    stored: Option<IntValue<'ctx>>,
) -> Result<(), RewriteError> {
    let Some(BasicValueEnum::PointerValue(address)) = instruction.get_operand(address_at).and_then(|o| o.value())
    else {
        return Ok(());
    };
    let size = recorder.context.i64_type().const_int(layout.get_store_size(&ty), false);
    let mut arguments: Vec<BasicValueEnum> = vec![address.into(), size.into()];
    let name = match stored {
        Some(value) => {
            arguments.extend([value.into(), order(recorder.context, instruction)]);
            "ordain_memory_store"
        }
        None => "ordain_memory_load",
    };
    let place = calls::call_runtime(recorder, name, &arguments, Some(address.get_type().into()))?;
    if let Some(BasicValueEnum::PointerValue(place)) = place.try_as_basic_value().basic() {
        set_operand(instruction, address_at, place);
    }
    Ok(())
}

fn set_operand<'ctx>(instruction: InstructionValue<'ctx>, nth: u32, value: PointerValue<'ctx>) {
    // SAFETY: the instruction has that operand, which is a pointer, and the value comes before it.
    unsafe { LLVMSetOperand(instruction.as_value_ref(), nth, value.as_value_ref()) }
}

/// The bits of a value that memory holds, in a word.
fn to_word<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    layout: &TargetData,
    value: BasicValueEnum<'ctx>,
) -> Result<IntValue<'ctx>, RewriteError> {
    let (builder, word) = (&recorder.builder, recorder.context.i64_type());
    let bits = match value {
        BasicValueEnum::IntValue(value) => value,
        BasicValueEnum::PointerValue(value) => return Ok(builder.build_ptr_to_int(value, word, "")?),
        other => {
            let bits = std::num::NonZeroU32::new(layout.get_bit_size(&other.get_type()) as u32);
            let same = bits.and_then(|bits| recorder.context.custom_width_int_type(bits).ok()).unwrap_or(word);
            builder.build_bit_cast(other, same, "")?.into_int_value()
        }
    };
    Ok(builder.build_int_cast_sign_flag(bits, word, false, "")?)
}

fn name(call: InstructionValue) -> String {
    callee(call).map(|function| function.get_name().to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether the buffer has to be empty before a call: what is called may look at memory, or others may look at what it does.
fn empties(call: InstructionValue) -> bool {
    let Some(target) = callee(call) else { return true };
    let name = name(call);
    if target.count_basic_blocks() > 0 {
        return false;
    }
    if target.get_intrinsic_id() != 0 {
        return INTRINSICS_THAT_TOUCH.iter().any(|prefix| name.starts_with(prefix));
    }
    use Builtin::{
        AlignedAlloc, Assume, Calloc, Malloc, Math, RegionBegin, RegionEnd, Sleep, ThreadEqual, ThreadLocal,
        ThreadSelf, Wide, Yield,
    };
    let nobody_notices = builtins::meaning(&name).is_some_and(|meaning| {
        matches!(
            meaning.builtin,
            Malloc
                | Calloc
                | AlignedAlloc
                | ThreadSelf
                | ThreadEqual
                | ThreadLocal
                | Assume
                | Math(_)
                | Wide(_)
                | RegionBegin
                | RegionEnd
                | Yield
                | Sleep
        )
    });
    !nobody_notices
}
