//! Branches that need not be recorded: whoever follows the path can compute them.
//!
//! Those whose condition is made of constants by plain arithmetic and phis, such as that of a loop with a constant bound.
//! Nothing that depends on memory, on arguments or on what a call returned: the follower knows none of that.

use inkwell::llvm_sys::core::{
    LLVMCountIncoming, LLVMGetIncomingValue, LLVMGetInstructionOpcode, LLVMGetIntTypeWidth, LLVMGetNumOperands,
    LLVMGetOperand, LLVMGetTypeKind, LLVMIsAConstantInt, LLVMIsAInstruction, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::values::{AsValueRef, InstructionValue};
use std::collections::HashSet;

/// What the follower has registers for.
const MOST_BITS: u32 = 64;
/// A condition that is made of more than this is not worth the time.
const MOST_VALUES: usize = 200;

/// Whether the condition of a conditional branch, or the value of a switch, is one that the follower can compute.
pub(super) fn is_computable(terminator: InstructionValue) -> bool {
    let mut seen = HashSet::new();
    // SAFETY: a terminator that decides by its first operand.
    let mut open = vec![unsafe { LLVMGetOperand(terminator.as_value_ref(), 0) }];
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        // SAFETY: a live value of a function.
        match unsafe { operands(value) } {
            Some(operands) if seen.len() <= MOST_VALUES => open.extend(operands),
            _ => return false,
        }
    }
    true
}

/// What a value is computed from; `None` if it is not computed, or not so simply.
unsafe fn operands(value: LLVMValueRef) -> Option<Vec<LLVMValueRef>> {
    use LLVMOpcode::*;
    // SAFETY: the caller's value, its type and its operands, according to its class.
    unsafe {
        let ty = LLVMTypeOf(value);
        if LLVMGetTypeKind(ty) != LLVMTypeKind::LLVMIntegerTypeKind || LLVMGetIntTypeWidth(ty) > MOST_BITS {
            return None;
        }
        if !LLVMIsAConstantInt(value).is_null() {
            return Some(Vec::new());
        }
        if LLVMIsAInstruction(value).is_null() {
            return None;
        }
        match LLVMGetInstructionOpcode(value) {
            LLVMPHI => Some((0..LLVMCountIncoming(value)).map(|i| LLVMGetIncomingValue(value, i)).collect()),
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMICmp
            | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMSelect => {
                Some((0..LLVMGetNumOperands(value) as u32).map(|i| LLVMGetOperand(value, i)).collect())
            }
            _ => None,
        }
    }
}
