//! Stack variables whose address goes anywhere become objects of the runtime, which die when their frame returns.

use super::{RewriteError, Rewriter, instructions_of};
use inkwell::values::{AnyValue, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue};

pub(super) fn make_objects<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    function: FunctionValue<'ctx>,
) -> Result<(), RewriteError> {
    let instructions = instructions_of(function);
    let escaping: Vec<_> = instructions.iter().copied().filter(|&i| is_escaping_variable(i)).collect();
    let first = function.get_first_basic_block().and_then(|b| b.get_first_instruction());
    let (Some(first), false) = (first, escaping.is_empty()) else { return Ok(()) };
    rewriter.builder.position_before(&first);
    let mark_type = rewriter.context.i32_type().into();
    let mark = rewriter.call_runtime("ordain_rt_frame_enter", &[], Some(mark_type))?.try_as_basic_value();
    let Some(mark) = mark.basic() else { return Ok(()) };
    for variable in escaping {
        replace(rewriter, variable)?;
    }
    // Of those, only the variables are gone.
    for end in instructions_of(function).into_iter().filter(|i| i.get_opcode() == InstructionOpcode::Return) {
        rewriter.builder.position_before(&end);
        rewriter.call_runtime("ordain_rt_frame_leave", &[mark], None)?;
    }
    Ok(())
}

/// Whether the address of a stack variable is used for more than loading and storing it.
fn is_escaping_variable(variable: InstructionValue) -> bool {
    if variable.get_opcode() != InstructionOpcode::Alloca {
        return false;
    }
    let mut next = variable.get_first_use();
    while let Some(one) = next {
        let user = one.get_user().as_any_value_enum();
        let instruction = InstructionValue::try_from(user).ok();
        let plain = instruction.is_some_and(|i| match i.get_opcode() {
            InstructionOpcode::Load => true,
            InstructionOpcode::Store => {
                i.get_operand(0).and_then(|o| o.value()).and_then(|v| v.as_instruction_value()) != Some(variable)
            }
            _ => false,
        });
        if !plain {
            return true;
        }
        next = one.get_next_use();
    }
    false
}

fn replace<'ctx>(rewriter: &mut Rewriter<'_, 'ctx>, variable: InstructionValue<'ctx>) -> Result<(), RewriteError> {
    let (Ok(ty), Ok(align), Ok(pointer)) =
        (variable.get_allocated_type(), variable.get_alignment(), inkwell::values::PointerValue::try_from(variable))
    else {
        return Ok(());
    };
    let word = rewriter.context.i64_type();
    let one = word.const_int(rewriter.layout.get_abi_size(&ty), false);
    rewriter.builder.position_before(&variable);
    let size = match variable.get_operand(0).and_then(|o| o.value()) {
        Some(BasicValueEnum::IntValue(count)) => {
            let count = rewriter.builder.build_int_cast_sign_flag(count, word, false, "")?;
            rewriter.builder.build_int_mul(one, count, "")?
        }
        _ => one,
    };
    let align = word.const_int(align.into(), false);
    let result = Some(pointer.get_type().into());
    let object = rewriter.call_runtime("ordain_rt_stack_object", &[size.into(), align.into()], result)?;
    if let Some(BasicValueEnum::PointerValue(object)) = object.try_as_basic_value().basic() {
        pointer.replace_all_uses_with(object);
        variable.erase_from_basic_block();
    }
    Ok(())
}
