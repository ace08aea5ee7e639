//! Giving functions and calls another type than they came with.

use super::{Block, Module, Type, Value};
use inkwell::llvm_sys::LLVMAttributeFunctionIndex;
use inkwell::llvm_sys::LLVMAttributeReturnIndex;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMSetSubprogram};
use inkwell::llvm_sys::prelude::LLVMAttributeRef;

/// What a function of one type says about memory need not hold for it with another.
const MEMORY: &str = "memory";

impl Module {
    /// A function with the body, name and uses of `old`, and another type: one whose parameters are those of `old`, and
    /// more. `old` is gone afterwards.
    pub fn with_type(self, old: Value, ty: Type) -> Value {
        let name = old.name();
        old.set_name("");
        let new = self.add_function(&name, ty);
        unsafe {
            LLVMSetLinkage(new.0, LLVMGetLinkage(old.0));
            LLVMSetFunctionCallConv(new.0, LLVMGetFunctionCallConv(old.0));
            LLVMSetSubprogram(new.0, LLVMGetSubprogram(old.0));
        }
        let params = old.params();
        for index in attribute_places(params.len()) {
            for attribute in function_attributes(old, index).into_iter().filter(|a| !is_about_memory(*a)) {
                unsafe { LLVMAddAttributeAtIndex(new.0, index, attribute) }
            }
        }
        for Block(block) in old.blocks() {
            unsafe {
                LLVMRemoveBasicBlockFromParent(block);
                LLVMAppendExistingBasicBlock(new.0, block);
            }
        }
        params.into_iter().zip(new.params()).for_each(|(old, new)| old.replace_with(new));
        old.replace_with(new);
        old.delete_function();
        new
    }
}

impl Value {
    /// Gives this call the attributes that another has for its result and its first arguments.
    pub fn copy_argument_attributes(self, other: Value, arguments: usize) {
        for index in attribute_places(arguments).filter(|index| *index != LLVMAttributeFunctionIndex) {
            for attribute in call_attributes(other, index) {
                unsafe { LLVMAddCallSiteAttribute(self.0, index, attribute) }
            }
        }
    }
}

/// The function itself, its result, and its parameters.
fn attribute_places(params: usize) -> impl Iterator<Item = u32> {
    [LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex].into_iter().chain(1..=params as u32)
}

fn is_about_memory(attribute: LLVMAttributeRef) -> bool {
    unsafe { LLVMIsEnumAttribute(attribute) != 0 && LLVMGetEnumAttributeKind(attribute) == super::kind_of(MEMORY) }
}

fn function_attributes(function: Value, index: u32) -> Vec<LLVMAttributeRef> {
    let mut attributes =
        vec![std::ptr::null_mut(); unsafe { LLVMGetAttributeCountAtIndex(function.0, index) } as usize];
    unsafe { LLVMGetAttributesAtIndex(function.0, index, attributes.as_mut_ptr()) };
    attributes
}

fn call_attributes(call: Value, index: u32) -> Vec<LLVMAttributeRef> {
    let mut attributes = vec![std::ptr::null_mut(); unsafe { LLVMGetCallSiteAttributeCount(call.0, index) } as usize];
    unsafe { LLVMGetCallSiteAttributes(call.0, index, attributes.as_mut_ptr()) };
    attributes
}
