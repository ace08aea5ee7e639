//! What happens before each instruction.

use super::{RewriteError, Rewriter, calls};
use inkwell::IntPredicate;
use inkwell::llvm_sys::core::LLVMIsAGlobalVariable;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, BasicValueEnum, InstructionOpcode, InstructionValue, PointerValue};

pub(super) fn instrument<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    use InstructionOpcode::*;
    rewriter.builder.position_before(&instruction);
    match instruction.get_opcode() {
        Load | Store | AtomicRMW | AtomicCmpXchg => access(rewriter, instruction),
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

fn access<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, instruction: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let Some((address, ty)) = accessed(instruction) else { return Ok(()) };
    let is_point = rewriter.is_point(instruction);
    if !is_point && is_variable(address) {
        return Ok(());
    }
    let bytes = rewriter.layout.get_store_size(&ty);
    let size = rewriter.context.i64_type().const_int(bytes, false);
    let site = rewriter.site(instruction)?;
    let check = match (is_point, instruction.get_opcode()) {
        (false, _) => "ordain_rt_local_access",
        (true, InstructionOpcode::Store) => "ordain_rt_write",
        (true, _) => "ordain_rt_access",
    };
    rewriter.call_runtime(check, &[site, address.into(), size.into()], None)?;
    if is_point {
        // So that the back end keeps it, whether its value is used or not. Only an instruction that is no access refuses.
        let _ = instruction.set_volatile(true);
    }
    Ok(())
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
