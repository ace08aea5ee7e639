//! What happens before each instruction.

use super::{RewriteError, Rewriter, calls};
use inkwell::IntPredicate;
use inkwell::context::Context;
use inkwell::llvm_sys::LLVMAtomicOrdering;
use inkwell::llvm_sys::core::{LLVMGetOrdering, LLVMIsAGlobalVariable};
use inkwell::types::{BasicTypeEnum, IntType};
use inkwell::values::{AsValueRef, BasicValueEnum, InstructionOpcode, InstructionValue, IntValue, PointerValue};

pub(super) fn instrument<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    use InstructionOpcode::*;
    rewriter.builder.position_before(&instruction);
    match instruction.get_opcode() {
        Load if rewriter.is_point(instruction) => load(rewriter, instruction),
        Store if rewriter.is_point(instruction) => store(rewriter, instruction),
        Load | Store | AtomicRMW | AtomicCmpXchg => access(rewriter, instruction),
        Fence => fence(rewriter, instruction),
        UDiv | SDiv | URem | SRem if rewriter.is_point(instruction) => division(rewriter, instruction),
        Call => calls::instrument(rewriter, instruction),
        Unreachable => unreachable(rewriter, instruction),
        _ if rewriter.is_point(instruction) => bare(rewriter, instruction),
        _ => Ok(()),
    }
}

/// A point that needs nothing but its turn.
pub(super) fn bare<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    let site = rewriter.site(instruction)?;
    rewriter.call_runtime("ordain_rt_point", &[site], None)?;
    Ok(())
}

/// A system call.
pub(super) fn system<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    let site = rewriter.site(instruction)?;
    rewriter.call_runtime("ordain_rt_system", &[site], None)?;
    Ok(())
}

/// The C library prints: the runtime shows it what the thread has stored. The builder is left before the call.
pub(super) fn printing<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    if let Some(next) = instruction.get_next_instruction() {
        rewriter.builder.position_before(&next);
        rewriter.call_runtime("ordain_rt_print_end", &[], None)?;
    }
    rewriter.builder.position_before(&instruction);
    let site = rewriter.site(instruction)?;
    rewriter.call_runtime("ordain_rt_print_begin", &[site], None)?;
    Ok(())
}

fn access<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let Some((address, ty)) = accessed(instruction) else { return Ok(()) };
    let is_point = rewriter.is_point(instruction);
    if !is_point && is_variable(address) {
        return Ok(());
    }
    let bytes = rewriter.layout.get_store_size(&ty);
    let size = rewriter.context.i64_type().const_int(bytes, false);
    let site = rewriter.site(instruction)?;
    let check = if is_point { "ordain_rt_update" } else { "ordain_rt_local_access" };
    rewriter.call_runtime(check, &[site, address.into(), size.into()], None)?;
    if is_point {
        // So that the back end keeps it, whether its value is used or not. Only an instruction that is no access refuses.
        let _ = instruction.set_volatile(true);
    }
    Ok(())
}

/// Accesses that others may notice are the runtime's to make: it knows what is in the thread's store buffer.
fn load<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let Some((address, ty)) = accessed(instruction) else { return Ok(()) };
    let word = rewriter.context.i64_type();
    let size = word.const_int(rewriter.layout.get_store_size(&ty), false);
    let site = rewriter.site(instruction)?;
    let loaded = rewriter.call_runtime("ordain_rt_load", &[site, address.into(), size.into()], Some(word.into()))?;
    if let Some(BasicValueEnum::IntValue(loaded)) = loaded.try_as_basic_value().basic() {
        calls::replace_uses(instruction, from_word(rewriter, loaded, ty)?);
    }
    instruction.erase_from_basic_block();
    Ok(())
}

fn store<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let (Some((address, ty)), Some(value)) =
        (accessed(instruction), instruction.get_operand(0).and_then(|o| o.value()))
    else {
        return Ok(());
    };
    let word = rewriter.context.i64_type();
    let size = word.const_int(rewriter.layout.get_store_size(&ty), false);
    let site = rewriter.site(instruction)?;
    let (value, order) = (to_word(rewriter, value)?, order(rewriter.context, instruction));
    rewriter.call_runtime("ordain_rt_store", &[site, address.into(), size.into(), value.into(), order], None)?;
    instruction.erase_from_basic_block();
    Ok(())
}

fn fence<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let site = rewriter.site(instruction)?;
    let order = order(rewriter.context, instruction);
    rewriter.call_runtime("ordain_rt_fence", &[site, order], None)?;
    Ok(())
}

/// What a store or a fence asks of the store buffer: the number of the runtimes' `Order`.
pub(crate) fn order<'ctx>(context: &'ctx Context, instruction: InstructionValue<'ctx>) -> BasicValueEnum<'ctx> {
    use LLVMAtomicOrdering::*;
    // SAFETY: only for stores and fences, which have an ordering.
    let number = match unsafe { LLVMGetOrdering(instruction.as_value_ref()) } {
        LLVMAtomicOrderingRelease | LLVMAtomicOrderingAcquireRelease => 1,
        LLVMAtomicOrderingSequentiallyConsistent => 2,
        _ => 0,
    };
    context.i32_type().const_int(number, false).into()
}

/// The bits of a value that memory holds, in a word.
fn to_word<'ctx>(rewriter: &Rewriter<'_, 'ctx>, value: BasicValueEnum<'ctx>) -> Result<IntValue<'ctx>, RewriteError> {
    let (builder, word) = (&rewriter.builder, rewriter.context.i64_type());
    let bits = match value {
        BasicValueEnum::IntValue(value) => value,
        BasicValueEnum::PointerValue(value) => return Ok(builder.build_ptr_to_int(value, word, "")?),
        other => builder.build_bit_cast(other, same_size(rewriter, other.get_type()), "")?.into_int_value(),
    };
    Ok(builder.build_int_cast_sign_flag(bits, word, false, "")?)
}

/// The value of type `ty` that a word has the bits of.
fn from_word<'ctx>(
    rewriter: &Rewriter<'_, 'ctx>,
    word: IntValue<'ctx>,
    ty: BasicTypeEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>, RewriteError> {
    let builder = &rewriter.builder;
    Ok(match ty {
        BasicTypeEnum::IntType(ty) => builder.build_int_cast_sign_flag(word, ty, false, "")?.into(),
        BasicTypeEnum::PointerType(ty) => builder.build_int_to_ptr(word, ty, "")?.into(),
        ty => {
            let bits = builder.build_int_cast_sign_flag(word, same_size(rewriter, ty), false, "")?;
            builder.build_bit_cast(bits, ty, "")?
        }
    })
}

fn same_size<'ctx>(rewriter: &Rewriter<'_, 'ctx>, ty: BasicTypeEnum<'ctx>) -> IntType<'ctx> {
    let bits = std::num::NonZeroU32::new(rewriter.layout.get_bit_size(&ty) as u32);
    let found = bits.and_then(|bits| rewriter.context.custom_width_int_type(bits).ok());
    found.unwrap_or(rewriter.context.i64_type())
}

/// Where an instruction accesses memory, and what is there.
fn accessed<'ctx>(instruction: InstructionValue<'ctx>) -> Option<(PointerValue<'ctx>, BasicTypeEnum<'ctx>)> {
    let operand = |i| instruction.get_operand(i).and_then(|o| o.value());
    let (address, ty) = match instruction.get_opcode() {
        InstructionOpcode::Load => (operand(0)?, BasicTypeEnum::try_from(instruction.get_type()).ok()?),
        InstructionOpcode::Store => (operand(1)?, operand(0)?.get_type()),
        _ => (operand(0)?, operand(1)?.get_type()),
    };
    Some((address.into_pointer_value(), ty))
}

/// A variable as such, not something computed: an access of it cannot fail.
fn is_variable(address: PointerValue) -> bool {
    if let Some(instruction) = address.as_instruction() {
        return instruction.get_opcode() == InstructionOpcode::Alloca;
    }
    // SAFETY: asks a live value for its class.
    unsafe { !LLVMIsAGlobalVariable(address.as_value_ref()).is_null() }
}

fn division<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let Some(BasicValueEnum::IntValue(divisor)) = instruction.get_operand(1).and_then(|o| o.value()) else {
        return bare(rewriter, instruction);
    };
    let site = rewriter.site(instruction)?;
    let builder = &rewriter.builder;
    let zero = divisor.get_type().const_zero();
    let mut traps = builder.build_int_compare(IntPredicate::EQ, divisor, zero, "")?;
    if matches!(instruction.get_opcode(), InstructionOpcode::SDiv | InstructionOpcode::SRem)
        && let Some(BasicValueEnum::IntValue(dividend)) = instruction.get_operand(0).and_then(|o| o.value())
    {
        let ty = divisor.get_type();
        let smallest = ty.const_int(1 << (ty.get_bit_width() - 1).min(63), false);
        let minus_one = builder.build_int_compare(IntPredicate::EQ, divisor, ty.const_all_ones(), "")?;
        let is_smallest = builder.build_int_compare(IntPredicate::EQ, dividend, smallest, "")?;
        traps = builder.build_or(traps, builder.build_and(minus_one, is_smallest, "")?, "")?;
    }
    let traps = builder.build_int_z_extend(traps, rewriter.context.i32_type(), "")?;
    rewriter.call_runtime("ordain_rt_division", &[site, traps.into()], None)?;
    Ok(())
}

fn unreachable<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    let site = rewriter.site(instruction)?;
    rewriter.call_runtime("ordain_rt_unreachable", &[site], None)?;
    Ok(())
}
