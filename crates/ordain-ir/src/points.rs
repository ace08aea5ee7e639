//! Marking the points: which instructions schedules count.
//!
//! Done once, on the bitcode, as metadata on instructions, so that the machine and a native binary that is made from the
//! same bitcode count alike. One marked instruction is one `Inst` that `is_point`.

use crate::builtins;
use crate::llvm::{AtomicOrdering, AtomicRmw, Context, Layout, Module, Opcode, Value, ValueKind};
use crate::program::{Builtin, RmwOp};
use crate::shape;

/// The metadata that points carry in canonical bitcode.
pub const POINT: &str = "ordain.point";

pub(crate) fn mark(module: Module) {
    let (context, layout) = (module.context(), module.layout());
    for function in module.functions() {
        for instruction in function.instructions() {
            if is_point(layout, instruction) {
                instruction.mark(context, POINT);
            }
        }
    }
}

pub(crate) fn is_marked(context: Context, instruction: Value) -> bool {
    instruction.is_marked(context, POINT)
}

fn is_point(layout: Layout, instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad => {
            shape::access_size(layout, instruction.ty()).is_some()
                && (is_atomic(instruction) || !is_private_or_constant(instruction.operand(0)))
        }
        Opcode::LLVMStore => {
            shape::access_size(layout, instruction.operand(0).ty()).is_some()
                && (is_atomic(instruction) || !is_private_or_constant(instruction.operand(1)))
        }
        Opcode::LLVMAtomicRMW => {
            rmw_operation(instruction.rmw_operation()).is_some()
                && shape::access_size(layout, instruction.ty()).is_some()
        }
        Opcode::LLVMAtomicCmpXchg => shape::access_size(layout, instruction.operand(1).ty()).is_some(),
        Opcode::LLVMFence => true,
        Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem => {
            let divisor = instruction.operand(1);
            shape::scalar_width(divisor.ty()).is_some() && !matches!(divisor.as_int(), Some(1..))
        }
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            builtin_of(instruction).is_some_and(Builtin::is_point) && call_is_understood(layout, instruction)
        }
        _ => false,
    }
}

pub(crate) fn is_atomic(access: Value) -> bool {
    access.ordering() != AtomicOrdering::LLVMAtomicOrderingNotAtomic
}

/// The builtin that a call means, if it gives the arguments that it needs.
pub(crate) fn builtin_of(call: Value) -> Option<Builtin> {
    let callee = callee(call);
    if !callee.is_function() || !callee.is_declaration() {
        return None;
    }
    let name = callee.name();
    if matches!(name.as_str(), "llvm.trap" | "llvm.debugtrap" | "llvm.ubsantrap") {
        return Some(Builtin::Abort);
    }
    let meaning = builtins::meaning(&name)?;
    (call.arguments().len() >= meaning.arguments).then_some(meaning.builtin)
}

/// What a call calls, behind aliases.
pub(crate) fn callee(call: Value) -> Value {
    let mut callee = call.called();
    while callee.kind() == ValueKind::LLVMGlobalAliasValueKind {
        callee = callee.aliasee();
    }
    callee
}

/// Whether the result and all arguments of a call fit registers.
pub(crate) fn call_is_understood(layout: Layout, call: Value) -> bool {
    let understood = |value: Value| shape::leaves(layout, value.ty()).is_some();
    understood(call) && call.arguments().into_iter().all(understood)
}

pub(crate) fn rmw_operation(operation: AtomicRmw) -> Option<RmwOp> {
    Some(match operation {
        AtomicRmw::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        AtomicRmw::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        AtomicRmw::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        AtomicRmw::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        AtomicRmw::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        AtomicRmw::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        AtomicRmw::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        AtomicRmw::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        AtomicRmw::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        AtomicRmw::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        AtomicRmw::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        _ => return None,
    })
}

/// Whether no other thread can notice an access here: memory of this thread alone, or that nobody may write.
fn is_private_or_constant(address: Value) -> bool {
    let base = constant_base(address);
    match base.kind() {
        ValueKind::LLVMInstructionValueKind => base.opcode() == Opcode::LLVMAlloca && !escapes(base),
        ValueKind::LLVMGlobalVariableValueKind => base.is_constant_global() && !base.is_declaration(),
        _ => false,
    }
}

/// What an address is a constant number of bytes away from.
fn constant_base(mut address: Value) -> Value {
    loop {
        let opcode = match address.kind() {
            ValueKind::LLVMInstructionValueKind => address.opcode(),
            ValueKind::LLVMConstantExprValueKind => address.const_opcode(),
            _ => return address,
        };
        let constant = address.operands().iter().skip(1).all(|index| index.as_int().is_some());
        if opcode != Opcode::LLVMGetElementPtr || !constant {
            return address;
        }
        address = address.operand(0);
    }
}

/// Whether the address of a stack slot is used for anything but plain loads and stores at constant places in it.
pub(crate) fn escapes(slot: Value) -> bool {
    slot.users().into_iter().any(|user| match user.opcode() {
        Opcode::LLVMLoad => is_atomic(user),
        Opcode::LLVMStore => user.operand(0) == slot || is_atomic(user),
        Opcode::LLVMGetElementPtr => constant_base(user) != constant_base(slot) || escapes(user),
        Opcode::LLVMCall => !callee(user).name().starts_with("llvm.lifetime."),
        _ => true,
    })
}
