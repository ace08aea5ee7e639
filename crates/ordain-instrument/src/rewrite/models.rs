//! Models of library functions, which are part of canonical bitcode: what happens in one has its place where the program
//! calls it.

use super::{RewriteError, Rewriter, calls};
use inkwell::attributes::AttributeLoc;
use inkwell::values::{BasicValueEnum, FunctionValue, InstructionValue};

/// The attribute that models carry.
const MODEL: &str = "ordain.model";

pub(crate) fn is_model(function: FunctionValue) -> bool {
    function.get_string_attribute(AttributeLoc::Function, MODEL).is_some()
}

/// The site of the call in the program that led here.
pub(super) fn caller<'ctx>(rewriter: &Rewriter<'_, 'ctx>) -> Result<BasicValueEnum<'ctx>, RewriteError> {
    let number = rewriter.context.i32_type();
    let site = rewriter.call_runtime("ordain_rt_caller", &[], Some(number.into()))?;
    Ok(site.try_as_basic_value().basic().unwrap_or(number.const_zero().into()))
}

/// A call of a model by the program: the runtime is told where.
pub(super) fn instrument_call<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<(), RewriteError> {
    if rewriter.in_model || !calls::callee(instruction).is_some_and(is_model) {
        return Ok(());
    }
    let site = rewriter.site(instruction)?;
    let number = rewriter.context.i32_type().into();
    let outer = rewriter.call_runtime("ordain_rt_model_enter", &[site], Some(number))?.try_as_basic_value().basic();
    if let (Some(outer), Some(next)) = (outer, instruction.get_next_instruction()) {
        rewriter.builder.position_before(&next);
        rewriter.call_runtime("ordain_rt_model_leave", &[outer], None)?;
    }
    Ok(())
}
