//! Local variables into registers.

use super::undefined::Undefined;
use crate::llvm::{Builder, Module, Opcode, TypeKind, Value, ValueKind};

/// Passes structures by pointer and lets the callee make the copy that C asks for, so that the copy is ordinary code.
pub(super) fn copy_by_value_parameters(module: Module) {
    for function in module.functions() {
        for call in function.instructions().into_iter().filter(|i| i.is_call()) {
            let callee = call.called();
            // Functions outside the program keep their calling convention.
            if callee.is_function() && callee.is_declaration() {
                continue;
            }
            (0..call.arguments().len() as u32).for_each(|nth| call.remove_byval_argument(nth));
        }
        if !function.is_declaration() {
            copy_parameters(module, function);
        }
    }
}

fn copy_parameters(module: Module, function: Value) {
    for (nth, param) in function.params().into_iter().enumerate() {
        let nth = nth as u32;
        let Some(ty) = function.byval_param(nth) else { continue };
        function.remove_byval_param(nth);
        let Some(first) = function.blocks().first().and_then(|b| b.first_instruction()) else { continue };
        let builder = Builder::before(module, first);
        let copy = builder.alloca(ty);
        let align = param.param_alignment().max(1);
        copy.set_alignment(align.max(module.layout().align(ty)));
        param.replace_with(copy);
        builder.copy_memory(copy, param, align, module.layout().size(ty));
    }
}

/// Local variables in registers, without making up values or accesses. Runs `mem2reg`, and `sroa` where it cannot invent accesses: it may load through both sides of a choice between a
/// local variable and something else.
pub(super) fn promote_locals(module: Module) -> Result<(), String> {
    let undefined = Undefined::give_to_locals(module);
    module.run_passes(c"function(mem2reg)")?;
    undefined.resolve();
    for function in module.functions().into_iter().filter(|f| !f.is_declaration()) {
        if !function.instructions().into_iter().any(chooses_local) {
            function.run_function_passes(c"sroa<preserve-cfg>")?;
        }
    }
    Ok(())
}

/// Whether the instruction chooses between pointers, one of them to a local variable.
fn chooses_local(instruction: Value) -> bool {
    let pointer = instruction.ty().kind() == TypeKind::LLVMPointerTypeKind;
    pointer
        && matches!(instruction.opcode(), Opcode::LLVMPHI | Opcode::LLVMSelect)
        && instruction.operands().into_iter().any(is_local)
}

fn is_local(mut pointer: Value) -> bool {
    while pointer.kind() == ValueKind::LLVMInstructionValueKind && pointer.opcode() == Opcode::LLVMGetElementPtr {
        pointer = pointer.operand(0);
    }
    pointer.kind() == ValueKind::LLVMInstructionValueKind && pointer.opcode() == Opcode::LLVMAlloca
}
