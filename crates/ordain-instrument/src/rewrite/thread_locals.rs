//! Thread-local variables become objects of the runtime, one per thread, which die with their thread.

use super::{RewriteError, Rewriter, calls, instructions_of};
use inkwell::llvm_sys::core::LLVMIsAGlobalVariable;
use inkwell::module::Linkage;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, BasicValueEnum, GlobalValue, InstructionOpcode, InstructionValue, PointerValue};

/// What clang uses to ask for the address of such a variable.
const ADDRESS: &str = "llvm.threadlocal.address";

pub(super) fn make_objects(rewriter: &mut Rewriter<'_, '_>) -> Result<(), RewriteError> {
    for function in rewriter.module.get_functions() {
        for call in instructions_of(function).into_iter().filter(|i| i.get_opcode() == InstructionOpcode::Call) {
            let asks = calls::callee(call).is_some_and(|f| f.get_name().to_bytes().starts_with(ADDRESS.as_bytes()));
            // Operands of other intrinsics may be no values at all.
            if let Some(variable) = asks.then(|| variable(call)).flatten() {
                replace(rewriter, call, variable)?;
            }
        }
    }
    Ok(())
}

/// The variable that a call asks about, if it is the program's own.
fn variable<'ctx>(call: InstructionValue<'ctx>) -> Option<GlobalValue<'ctx>> {
    let BasicValueEnum::PointerValue(pointer) = call.get_operand(0)?.value()? else { return None };
    // SAFETY: asks a live value for its class, and takes it for a variable only if it is one.
    let variable = unsafe {
        let raw = LLVMIsAGlobalVariable(pointer.as_value_ref());
        (!raw.is_null()).then(|| GlobalValue::new(raw))?
    };
    variable.get_initializer().map(|_| variable)
}

fn replace<'ctx>(
    rewriter: &mut Rewriter<'_, 'ctx>,
    call: InstructionValue<'ctx>,
    variable: GlobalValue<'ctx>,
) -> Result<(), RewriteError> {
    let (Ok(ty), Some(template)) = (BasicTypeEnum::try_from(variable.get_value_type()), template(rewriter, variable))
    else {
        return Ok(());
    };
    let word = rewriter.context.i64_type();
    let size = word.const_int(rewriter.layout.get_abi_size(&ty), false);
    let align = variable.get_alignment().max(rewriter.layout.get_abi_alignment(&ty));
    let align = word.const_int(align.into(), false);
    rewriter.builder.position_before(&call);
    let arguments = [template.into(), size.into(), align.into()];
    let result = Some(template.get_type().into());
    let own = rewriter.call_runtime("ordain_rt_thread_local", &arguments, result)?;
    if let Some(own) = own.try_as_basic_value().basic() {
        calls::replace_uses(call, own);
        call.erase_from_basic_block();
    }
    Ok(())
}

/// A constant with the variable's initial value.
fn template<'ctx>(rewriter: &Rewriter<'_, 'ctx>, variable: GlobalValue<'ctx>) -> Option<PointerValue<'ctx>> {
    let name = format!("ordain.initial.{}", variable.get_name().to_string_lossy());
    if let Some(template) = rewriter.module.get_global(&name) {
        return Some(template.as_pointer_value());
    }
    let value = variable.get_initializer()?;
    let template = rewriter.module.add_global(value.get_type(), None, &name);
    template.set_initializer(&value);
    template.set_constant(true);
    template.set_linkage(Linkage::Private);
    Some(template.as_pointer_value())
}
