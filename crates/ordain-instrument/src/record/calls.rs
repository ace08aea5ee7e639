//! Calls: builtins become calls of the runtime, and what enters through one is reported.

use super::native::Native;
use super::paths::RecordingCall;
use super::{Recorder, values};
use crate::rewrite::{RewriteError, callee, instructions_of, replace_uses, streams};
use inkwell::IntPredicate;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, InstructionOpcode,
    InstructionValue, IntValue,
};
use ordain_ir::builtins;
use ordain_ir::program::{Amount, Builtin, Sink, SystemCall, Writes};

/// Replaces the calls in a function; those that matter to its path.
pub(super) fn replace<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    function: FunctionValue<'ctx>,
    natives: &[(FunctionValue<'ctx>, Native)],
) -> Result<Vec<RecordingCall<'ctx>>, RewriteError> {
    use InstructionOpcode::{Call, Invoke};
    let mut recording = Vec::new();
    for call in instructions_of(function).into_iter().filter(|i| matches!(i.get_opcode(), Call | Invoke)) {
        if !super::is_call_of_function(call) && !is_trap(call) {
            continue;
        }
        let Some(target) = callee(call) else {
            if !is_assembly(call) {
                let noted = Some(address(recorder, call)?);
                recording.push(RecordingCall { call, noted, leaves: true });
            }
            continue;
        };
        if values::is_own(target) {
            continue;
        }
        if let Some((_, native)) = natives.iter().find(|(function, _)| *function == target) {
            if *native == Native::Waits {
                report_native(recorder, call)?;
            }
            continue;
        }
        if target.count_basic_blocks() > 0 {
            recording.push(RecordingCall { call, noted: None, leaves: true });
            continue;
        }
        recording.extend(replace_undefined(recorder, call, target)?);
    }
    Ok(recording)
}

fn is_trap(call: InstructionValue) -> bool {
    callee(call).is_some_and(|f| f.get_name().to_bytes().ends_with(b"trap") && f.get_intrinsic_id() != 0)
}

fn is_assembly(call: InstructionValue) -> bool {
    use inkwell::llvm_sys::core::{LLVMGetCalledValue, LLVMIsAInlineAsm};
    // SAFETY: a call has something that it calls, which is asked for its class.
    unsafe { !LLVMIsAInlineAsm(LLVMGetCalledValue(call.as_value_ref())).is_null() }
}

/// The address that an indirect call calls.
fn address<'ctx>(recorder: &Recorder<'_, 'ctx>, call: InstructionValue<'ctx>) -> Result<IntValue<'ctx>, RewriteError> {
    use inkwell::llvm_sys::core::LLVMGetCalledValue;
    use inkwell::values::PointerValue;
    recorder.builder.position_before(&call);
    // SAFETY: what an indirect call calls is a pointer.
    let pointer = unsafe { PointerValue::new(LLVMGetCalledValue(call.as_value_ref())) };
    Ok(recorder.builder.build_ptr_to_int(pointer, recorder.context.i64_type(), "")?)
}

/// A call of a function that the program does not define.
fn replace_undefined<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    call: InstructionValue<'ctx>,
    target: FunctionValue<'ctx>,
) -> Result<Option<RecordingCall<'ctx>>, RewriteError> {
    let name = target.get_name().to_string_lossy().into_owned();
    let builtin = match is_trap(call) {
        true => Some(Builtin::Abort),
        false => builtins::meaning(&name).map(|m| m.builtin),
    };
    let Some(builtin) = builtin else {
        // Nobody knows what it does; it may lead back into the program, or fork.
        report_native(recorder, call)?;
        return Ok(Some(RecordingCall { call, noted: None, leaves: true }));
    };
    match builtin {
        Builtin::Format(formatter) if formatter.sink == Sink::Stream => {
            recorder.builder.position_before(&call);
            streams::print(recorder.context, recorder.module, &recorder.builder, call, formatter)?;
        }
        Builtin::SetJump | Builtin::LongJump => {
            let Some(buffer) = operand(call, 0).filter(|b| b.is_pointer_value()) else { return Ok(None) };
            recorder.builder.position_before(&call);
            let word = recorder.context.i64_type();
            let buffer = recorder.builder.build_ptr_to_int(buffer.into_pointer_value(), word, "")?;
            return Ok(Some(RecordingCall { call, noted: Some(buffer), leaves: true }));
        }
        Builtin::System(system) => report_system(recorder, call, system)?,
        Builtin::MutexTryLock => report_native(recorder, call)?,
        builtin => {
            let Some(version) = version(builtin, &name)? else { return Ok(None) };
            let call = replace_call(recorder, call, version)?;
            // The runtime ends the thread, and its log with it.
            if builtin == Builtin::ThreadExit {
                return Ok(Some(RecordingCall { call, noted: None, leaves: true }));
            }
        }
    }
    Ok(None)
}

/// What is called instead of a builtin, and with how many of its arguments.
struct Version {
    name: &'static str,
    arguments: usize,
}

/// `None`: the native function does what it should.
fn version(builtin: Builtin, name: &str) -> Result<Option<Version>, RewriteError> {
    let (name, arguments) = match builtin {
        Builtin::ThreadCreate => ("ordain_rec_thread_create", 5),
        Builtin::ThreadExit => ("ordain_rec_thread_exit", 1),
        Builtin::ThreadJoin => ("pthread_join", 2),
        Builtin::MutexInit => ("pthread_mutex_init", 2),
        Builtin::MutexDestroy => ("pthread_mutex_destroy", 1),
        Builtin::MutexLock => ("pthread_mutex_lock", 1),
        Builtin::MutexUnlock => ("pthread_mutex_unlock", 1),
        Builtin::Exit => ("ordain_rec_exit", 1),
        Builtin::ExitNow => ("ordain_rec_exit_now", 1),
        Builtin::Abort => ("ordain_rec_abort", 0),
        Builtin::AssertFail => ("ordain_rec_assert_fail", 4),
        Builtin::ReachError => ("ordain_rec_reach_error", 0),
        Builtin::Misuse => ("ordain_rec_misuse", 0),
        Builtin::Assume => ("ordain_rec_assume", 1),
        Builtin::InputBytes => ("ordain_rec_input_bytes", 2),
        Builtin::InputValue => ("ordain_rec_input_value", 0),
        Builtin::AtomicBegin => ("ordain_rec_atomic_begin", 0),
        Builtin::AtomicEnd => ("ordain_rec_atomic_end", 0),
        Builtin::RegionBegin | Builtin::RegionEnd => ("ordain_rec_region", 0),
        Builtin::Sleep => ("ordain_rec_sleep", 1),
        Builtin::AlignedAlloc => ("ordain_rec_allocate", 2),
        Builtin::CondEnqueue
        | Builtin::CondSleep
        | Builtin::CondWoken
        | Builtin::CondLeave
        | Builtin::CondSignal
        | Builtin::CondBroadcast
        | Builtin::CondWaiters
        | Builtin::Expired
        | Builtin::Spurious => {
            return Err(RewriteError::Unsupported(format!("this program cannot be recorded: it needs `{name}`")));
        }
        _ => return Ok(None),
    };
    Ok(Some(Version { name, arguments }))
}

fn operand<'ctx>(call: InstructionValue<'ctx>, nth: u32) -> Option<BasicValueEnum<'ctx>> {
    // The last operand is what is called.
    call.get_operand(nth).filter(|_| nth + 1 < call.get_num_operands()).and_then(|o| o.value())
}

/// A call of the runtime's function `name` at the builder's place. Its type follows from what it is given.
pub(super) fn call_runtime<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    name: &str,
    arguments: &[BasicValueEnum<'ctx>],
    result: Option<BasicTypeEnum<'ctx>>,
) -> Result<CallSiteValue<'ctx>, RewriteError> {
    let types: Vec<BasicMetadataTypeEnum> = arguments.iter().map(|a| a.get_type().into()).collect();
    let ty = match result {
        Some(result) => result.fn_type(&types, false),
        None => recorder.context.void_type().fn_type(&types, false),
    };
    let function = recorder.module.get_function(name).unwrap_or_else(|| recorder.module.add_function(name, ty, None));
    let arguments: Vec<BasicMetadataValueEnum> = arguments.iter().map(|&a| a.into()).collect();
    let pointer = function.as_global_value().as_pointer_value();
    Ok(recorder.builder.build_indirect_call(ty, pointer, &arguments, "")?)
}

fn replace_call<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    call: InstructionValue<'ctx>,
    version: Version,
) -> Result<InstructionValue<'ctx>, RewriteError> {
    recorder.builder.position_before(&call);
    let word = recorder.context.i64_type();
    let mut arguments = Vec::new();
    for nth in 0..version.arguments {
        let argument = match operand(call, nth as u32) {
            Some(BasicValueEnum::IntValue(value)) => {
                recorder.builder.build_int_cast_sign_flag(value, word, false, "")?.into()
            }
            Some(other) => other,
            // The context of a thread, which only models give.
            None => word.const_zero().into(),
        };
        arguments.push(argument);
    }
    let result = BasicTypeEnum::try_from(call.get_type()).ok();
    // Integers come back in a whole register; floating-point inputs as their bits.
    let returned = call_runtime(recorder, version.name, &arguments, result.map(|_| word.into()))?;
    if let (Some(ty), Some(BasicValueEnum::IntValue(value))) = (result, returned.try_as_basic_value().basic()) {
        replace_uses(call, from_word(recorder, value, ty)?);
    }
    // SAFETY: the call that was just built is an instruction.
    let new = unsafe { InstructionValue::new(returned.as_value_ref()) };
    call.erase_from_basic_block();
    Ok(new)
}

fn from_word<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    value: IntValue<'ctx>,
    ty: BasicTypeEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>, RewriteError> {
    let builder = &recorder.builder;
    Ok(match ty {
        BasicTypeEnum::IntType(ty) => builder.build_int_cast_sign_flag(value, ty, false, "")?.into(),
        BasicTypeEnum::PointerType(ty) => builder.build_int_to_ptr(value, ty, "")?.into(),
        BasicTypeEnum::FloatType(ty) if ty == recorder.context.f32_type() => {
            let bits = builder.build_int_cast_sign_flag(value, recorder.context.i32_type(), false, "")?;
            builder.build_bit_cast(bits, ty, "")?
        }
        ty => builder.build_bit_cast(value, ty, "")?,
    })
}

/// Notes what a native function returns, zero if that does not fit a word.
fn report_native<'ctx>(recorder: &Recorder<'_, 'ctx>, call: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let Some(next) = call.get_next_instruction() else { return Ok(()) };
    recorder.builder.position_before(&next);
    let result = values::as_word(recorder, call)?.unwrap_or(recorder.context.i64_type().const_zero());
    call_runtime(recorder, "ordain_rec_native", &[result.into()], None)?;
    Ok(())
}

fn report_system<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    call: InstructionValue<'ctx>,
    system: SystemCall,
) -> Result<(), RewriteError> {
    if system.is_computed() {
        return Ok(());
    }
    let call = match system {
        SystemCall::Clock => replace_call(recorder, call, Version { name: "ordain_rec_clock", arguments: 0 })?,
        SystemCall::Random => replace_call(recorder, call, Version { name: "ordain_rec_random", arguments: 2 })?,
        _ => call,
    };
    let (Some(next), Ok(result)) = (call.get_next_instruction(), IntValue::try_from(call)) else { return Ok(()) };
    recorder.builder.position_before(&next);
    let builder = &recorder.builder;
    let word = recorder.context.i64_type();
    let nothing = recorder.context.ptr_type(inkwell::AddressSpace::default()).const_null();
    let (buffer, size) = match system.writes() {
        None => (None, word.const_zero()),
        Some(Writes { argument, amount }) => {
            let (least, bytes) = match amount {
                Amount::Result => (0, result),
                Amount::Fixed { bytes, least } => (least, word.const_int(bytes, false)),
            };
            let worked = builder.build_int_compare(IntPredicate::SGE, result, word.const_int(least, false), "")?;
            let size = builder.build_select(worked, bytes, word.const_zero(), "")?;
            (operand(call, argument as u32), size.into_int_value())
        }
    };
    let buffer = buffer.unwrap_or(nothing.into());
    call_runtime(recorder, "ordain_rec_system", &[result.into(), buffer, size.into()], None)?;
    Ok(())
}
