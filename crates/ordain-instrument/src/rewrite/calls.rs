//! Calls of builtins become calls of the runtime.

use super::{RewriteError, Rewriter, models, points, streams};
use inkwell::IntPredicate;
use inkwell::llvm_sys::core::{LLVMGetCalledValue, LLVMReplaceAllUsesWith};
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionValue};
use ordain_ir::builtins;
use ordain_ir::program::{Builtin, Sink};

/// A function that nobody defines is an error only if it is called, as in the machine; so it must not keep the program
/// from being linked.
pub(crate) fn weaken_declarations(module: &Module) {
    for function in module.get_functions().filter(|f| f.count_basic_blocks() == 0 && f.get_intrinsic_id() == 0) {
        function.set_linkage(Linkage::ExternalWeak);
    }
}

pub(super) fn instrument<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    let Some(name) = undefined_callee(instruction) else {
        return models::instrument_call(rewriter, instruction);
    };
    if name.starts_with("llvm.lifetime.") {
        // Stack variables that became objects live as long as their frame.
        instruction.erase_from_basic_block();
        return Ok(());
    }
    if let Some(Builtin::Format(formatter)) = builtin(&name)
        && formatter.sink == Sink::Stream
    {
        points::printing(rewriter, instruction)?;
        return streams::print(rewriter.context, rewriter.module, &rewriter.builder, instruction, formatter);
    }
    match builtin(&name).and_then(runtime_version) {
        Some(version) => replace(rewriter, instruction, version),
        // What is native stays native; its turn it needs nevertheless.
        None if !rewriter.is_point(instruction) => Ok(()),
        None if matches!(builtin(&name), Some(Builtin::System(_))) => points::system(rewriter, instruction),
        None => points::printing(rewriter, instruction),
    }
}

/// The name of the function that a call calls, unless it is indirect or the program defines that function.
fn undefined_callee(call: InstructionValue<'_>) -> Option<String> {
    let function = callee(call).filter(|f| f.count_basic_blocks() == 0)?;
    function.get_name().to_str().ok().map(str::to_owned)
}

/// The function that a call calls, whatever it says the function's type is.
pub(crate) fn callee<'ctx>(call: InstructionValue<'ctx>) -> Option<FunctionValue<'ctx>> {
    // SAFETY: only for calls, and what is called is a live value; that it is a function is checked.
    unsafe { FunctionValue::new(LLVMGetCalledValue(call.as_value_ref())) }
}

fn builtin(name: &str) -> Option<Builtin> {
    match name {
        "llvm.trap" | "llvm.debugtrap" | "llvm.ubsantrap" => Some(Builtin::Abort),
        _ => builtins::meaning(name).map(|m| m.builtin),
    }
}

/// A function of the runtime, and how it takes its arguments (after the number of the site).
#[derive(Clone, Copy)]
struct Version {
    name: &'static str,
    arguments: Arguments,
}

#[derive(Clone, Copy)]
enum Arguments {
    /// The first so many of the program's.
    First(usize),
    /// Whether the first one is not zero.
    Truth,
}

/// `None`: the native function does what it should.
fn runtime_version(builtin: Builtin) -> Option<Version> {
    use Arguments::{First, Truth};
    let (name, arguments) = match builtin {
        // Of four arguments the operand after them, the callee, is one more; nobody looks at it.
        Builtin::ThreadCreate => ("ordain_rt_thread_create", First(5)),
        Builtin::ThreadJoin => ("ordain_rt_thread_join", First(2)),
        Builtin::ThreadExit => ("ordain_rt_thread_exit", First(1)),
        Builtin::ThreadSelf => ("ordain_rt_thread_self", First(0)),
        Builtin::ThreadEqual => ("ordain_rt_thread_equal", First(2)),
        Builtin::ThreadDetach => ("ordain_rt_thread_detach", First(1)),
        Builtin::MutexInit => ("ordain_rt_mutex_init", First(2)),
        Builtin::MutexDestroy => ("ordain_rt_mutex_destroy", First(1)),
        Builtin::MutexLock => ("ordain_rt_mutex_lock", First(1)),
        Builtin::MutexTryLock => ("ordain_rt_mutex_trylock", First(1)),
        Builtin::MutexUnlock => ("ordain_rt_mutex_unlock", First(1)),
        Builtin::CondEnqueue => ("ordain_rt_cond_enqueue", First(1)),
        Builtin::CondSleep => ("ordain_rt_cond_sleep", First(0)),
        Builtin::CondWoken => ("ordain_rt_cond_woken", First(0)),
        Builtin::CondLeave => ("ordain_rt_cond_leave", First(0)),
        Builtin::CondSignal => ("ordain_rt_cond_signal", First(1)),
        Builtin::CondBroadcast => ("ordain_rt_cond_broadcast", First(1)),
        Builtin::CondWaiters => ("ordain_rt_cond_waiters", First(1)),
        Builtin::Expired | Builtin::Spurious => ("ordain_rt_choose", First(0)),
        Builtin::Misuse => ("ordain_rt_misuse", First(0)),
        Builtin::Malloc => ("ordain_rt_malloc", First(1)),
        Builtin::Calloc => ("ordain_rt_calloc", First(2)),
        Builtin::Realloc => ("ordain_rt_realloc", First(2)),
        Builtin::Free => ("ordain_rt_free", First(1)),
        Builtin::Exit => ("ordain_rt_exit", First(1)),
        Builtin::ExitNow => ("ordain_rt_exit_now", First(1)),
        Builtin::Abort => ("ordain_rt_abort", First(0)),
        Builtin::AssertFail => ("ordain_rt_assert_fail", First(0)),
        Builtin::ReachError => ("ordain_rt_reach_error", First(0)),
        Builtin::InputBytes => ("ordain_rt_input_bytes", First(2)),
        Builtin::InputValue => ("ordain_rt_input_value", First(0)),
        Builtin::Assume => ("ordain_rt_assume", Truth),
        Builtin::AtomicBegin => ("ordain_rt_atomic_begin", First(0)),
        Builtin::AtomicEnd => ("ordain_rt_atomic_end", First(0)),
        // The first was dealt with before (see `thread_locals`), and the process has stacks of its own.
        Builtin::ThreadLocal | Builtin::SetJump | Builtin::LongJump => return None,
        Builtin::Yield | Builtin::RegionBegin | Builtin::RegionEnd => ("ordain_rt_pause", First(0)),
        Builtin::Sleep => ("ordain_rt_sleep", First(1)),
        Builtin::AlignedAlloc => ("ordain_rt_aligned_alloc", First(2)),
        Builtin::UsableSize => ("ordain_rt_usable_size", First(1)),
        // System calls have their own functions in the runtime, which need nothing but their turn.
        Builtin::System(_) | Builtin::Format(_) | Builtin::Puts | Builtin::Putchar => return None,
        Builtin::Math(_) | Builtin::Wide(_) => return None,
    };
    Some(Version { name, arguments })
}

fn replace<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    call: InstructionValue<'ctx>,
    version: Version,
) -> Result<(), RewriteError> {
    let mut arguments = vec![rewriter.site(call)?];
    arguments.extend(given(rewriter, call, version.arguments)?);
    let word: BasicTypeEnum = rewriter.context.i64_type().into();
    let result = BasicTypeEnum::try_from(call.get_type()).ok();
    // Integers come back in a whole register; floating-point inputs as their bits.
    let returned = rewriter.call_runtime(version.name, &arguments, result.map(|_| word))?;
    if let (Some(ty), Some(BasicValueEnum::IntValue(value))) = (result, returned.try_as_basic_value().basic()) {
        let builder = &rewriter.builder;
        let cast: BasicValueEnum = match ty {
            BasicTypeEnum::IntType(ty) => builder.build_int_cast_sign_flag(value, ty, false, "")?.into(),
            BasicTypeEnum::PointerType(ty) => builder.build_int_to_ptr(value, ty, "")?.into(),
            _ => {
                let bits = rewriter.layout.get_bit_size(&ty) as u32;
                let bits = std::num::NonZeroU32::new(bits).unwrap_or(std::num::NonZeroU32::MIN);
                let same_size = rewriter.context.custom_width_int_type(bits).unwrap_or(rewriter.context.i64_type());
                let value = builder.build_int_cast_sign_flag(value, same_size, false, "")?;
                builder.build_bit_cast(value, ty, "")?
            }
        };
        replace_uses(call, cast);
    }
    call.erase_from_basic_block();
    Ok(())
}

fn given<'ctx>(
    rewriter: &Rewriter<'_, 'ctx>,
    call: InstructionValue<'ctx>,
    arguments: Arguments,
) -> Result<Vec<BasicValueEnum<'ctx>>, RewriteError> {
    let argument = |i: usize| call.get_operand(i as u32).and_then(|o| o.value());
    match arguments {
        Arguments::First(n) => (0..n).filter_map(argument).map(|a| widened(rewriter, a)).collect(),
        Arguments::Truth => {
            let Some(BasicValueEnum::IntValue(value)) = argument(0) else { return Ok(Vec::new()) };
            let zero = value.get_type().const_zero();
            let truth = rewriter.builder.build_int_compare(IntPredicate::NE, value, zero, "")?;
            Ok(vec![rewriter.builder.build_int_z_extend(truth, rewriter.context.i32_type(), "")?.into()])
        }
    }
}

/// Integers fill a whole register, however wide the program declared the parameter.
fn widened<'ctx>(
    rewriter: &Rewriter<'_, 'ctx>,
    argument: BasicValueEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>, RewriteError> {
    let BasicValueEnum::IntValue(value) = argument else { return Ok(argument) };
    let word = rewriter.context.i64_type();
    Ok(rewriter.builder.build_int_cast_sign_flag(value, word, false, "")?.into())
}

pub(crate) fn replace_uses<'ctx>(call: InstructionValue<'ctx>, value: BasicValueEnum<'ctx>) {
    // SAFETY: both are live values of one module and of the same type: `value` was cast to the call's. (The safe version
    // takes instructions only, but a cast of the same width is the value itself.)
    unsafe { LLVMReplaceAllUsesWith(call.as_value_ref(), value.as_value_ref()) }
}
