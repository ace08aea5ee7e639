//! Values: constants, globals, functions, arguments, instructions; and basic blocks.

use super::{
    AtomicOrdering, AtomicRmw, IntPredicate, Opcode, RealPredicate, Type, TypeKind, ValueKind, borrowed_text, collect,
    internal, kind_of,
};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::transforms::pass_builder::LLVMRunPassesOnFunction;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Value(pub(super) LLVMValueRef);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Block(pub(super) LLVMBasicBlockRef);

/// Any value.
impl Value {
    pub(super) fn new(value: LLVMValueRef) -> Option<Value> {
        (!value.is_null()).then_some(Value(value))
    }

    pub fn kind(self) -> ValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn name(self) -> String {
        let mut length = 0;
        unsafe { borrowed_text(LLVMGetValueName2(self.0, &mut length), length) }
    }

    pub fn set_name(self, name: &str) {
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    pub fn is_instruction(self) -> bool {
        self.kind() == ValueKind::LLVMInstructionValueKind
    }

    pub fn is_function(self) -> bool {
        self.kind() == ValueKind::LLVMFunctionValueKind
    }

    pub fn operands(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumOperands(self.0) } as u32).map(|i| self.operand(i)).collect()
    }

    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub fn set_operand(self, index: u32, operand: Value) {
        unsafe { LLVMSetOperand(self.0, index, operand.0) }
    }

    /// The values that have this one as an operand, once per use.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut current = unsafe { LLVMGetFirstUse(self.0) };
        while !current.is_null() {
            unsafe {
                users.push(Value(LLVMGetUser(current)));
                current = LLVMGetNextUse(current);
            }
        }
        users
    }

    pub fn replace_with(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }
}

/// Constants.
impl Value {
    pub fn const_int(ty: Type, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(ty.0, value, 0) })
    }

    pub fn null(ty: Type) -> Value {
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    /// An integer constant as an address.
    pub fn as_pointer(self, pointer: Type) -> Value {
        Value(unsafe { LLVMConstIntToPtr(self.0, pointer.0) })
    }

    pub fn undef(ty: Type) -> Value {
        Value(unsafe { LLVMGetUndef(ty.0) })
    }

    pub fn poison(ty: Type) -> Value {
        Value(unsafe { LLVMGetPoison(ty.0) })
    }

    /// The value of an integer constant of at most 64 bits, zero-extended.
    pub fn as_int(self) -> Option<u64> {
        let narrow = self.kind() == ValueKind::LLVMConstantIntValueKind && self.ty().int_width()? <= 64;
        narrow.then(|| unsafe { LLVMConstIntGetZExtValue(self.0) })
    }

    /// The value of an integer constant of at most 128 bits, zero-extended.
    pub fn as_wide_int(self) -> Option<u128> {
        if let Some(value) = self.as_int() {
            return Some(value.into());
        }
        if self.kind() != ValueKind::LLVMConstantIntValueKind || self.ty().int_width()? > 128 {
            return None;
        }
        // There is no getter for wide constants but their text.
        let text = super::take_message(unsafe { LLVMPrintValueToString(self.0) });
        let width = self.ty().int_width()?;
        let value = text.rsplit(' ').next()?.parse::<i128>().ok()? as u128;
        Some(value & (u128::MAX >> (128 - width)))
    }

    /// The bits of a floating-point constant.
    pub fn float_bits(self) -> Option<u128> {
        if self.kind() != ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let bits = match self.ty().kind() {
            TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => 16,
            TypeKind::LLVMFloatTypeKind => 32,
            TypeKind::LLVMDoubleTypeKind => 64,
            TypeKind::LLVMX86_FP80TypeKind => 80,
            _ => 128,
        };
        let integer = unsafe { LLVMIntTypeInContext(LLVMGetTypeContext(self.ty().0), bits) };
        Value(unsafe { LLVMConstBitCast(self.0, integer) }).as_wide_int()
    }

    /// Element of an array, vector or structure constant.
    pub fn element(self, index: u32) -> Option<Value> {
        Value::new(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// What the constant expression computes.
    pub fn const_opcode(self) -> Opcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }
}

/// Global variables and functions.
impl Value {
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn initializer(self) -> Option<Value> {
        Value::new(unsafe { LLVMGetInitializer(self.0) })
    }

    /// The type of the variable, or of the function, behind the pointer.
    pub fn value_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn is_constant_global(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn aliasee(self) -> Value {
        Value(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    /// Whether a declaration may stay without a definition.
    pub fn is_weak_reference(self) -> bool {
        matches!(unsafe { LLVMGetLinkage(self.0) }, LLVMLinkage::LLVMExternalWeakLinkage)
    }

    /// Whether it is one of LLVM's intrinsic functions.
    pub fn is_llvms_own(self) -> bool {
        self.name().starts_with("llvm.")
    }

    /// The address of a label, for computed gotos. `self` is the function.
    pub fn label_address(self, label: Block) -> Value {
        Value(unsafe { LLVMBlockAddress(self.0, label.0) })
    }

    pub fn delete_global(self) {
        unsafe { LLVMDeleteGlobal(self.0) }
    }

    pub fn make_internal(self) {
        unsafe { LLVMSetLinkage(self.0, internal()) }
    }

    /// Whether it is defined here, and other modules see it.
    pub fn is_visible_definition(self) -> bool {
        let linkage = unsafe { LLVMGetLinkage(self.0) };
        let local = matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage);
        !self.is_declaration() && !local
    }

    pub fn delete_function(self) {
        unsafe { LLVMDeleteFunction(self.0) }
    }

    /// Runs passes on one function.
    pub fn run_function_passes(self, passes: &std::ffi::CStr) -> Result<(), String> {
        super::run_passes(|options| unsafe {
            LLVMRunPassesOnFunction(self.0, passes.as_ptr(), std::ptr::null_mut(), options)
        })
    }

    pub fn params(self) -> Vec<Value> {
        (0..unsafe { LLVMCountParams(self.0) }).map(|i| Value(unsafe { LLVMGetParam(self.0, i) })).collect()
    }

    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut current = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !current.is_null() {
            blocks.push(Block(current));
            current = unsafe { LLVMGetNextBasicBlock(current) };
        }
        blocks
    }

    pub fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    pub fn set_attribute(self, key: &str) {
        unsafe {
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(self.0));
            let attribute =
                LLVMCreateStringAttribute(context, key.as_ptr().cast(), key.len() as u32, "".as_ptr().cast(), 0);
            LLVMAddAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute);
        }
    }

    pub fn has_attribute(self, key: &str) -> bool {
        let found = unsafe {
            LLVMGetStringAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, key.as_ptr().cast(), key.len() as u32)
        };
        !found.is_null()
    }

    /// Adds one of LLVM's own attributes, such as `noinline`, to a function.
    pub fn set_known_attribute(self, name: &str) {
        unsafe {
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(self.0));
            let attribute = LLVMCreateEnumAttribute(context, kind_of(name), 0);
            LLVMAddAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute);
        }
    }

    pub fn remove_known_attribute(self, name: &str) {
        unsafe { LLVMRemoveEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, kind_of(name)) }
    }
}

/// Attributes of parameters, on functions and on calls. `nth` counts from 0.
impl Value {
    /// The type of a parameter that is passed as a copy of what it points to.
    pub fn byval_param(self, nth: u32) -> Option<Type> {
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, nth + 1, kind_of("byval"));
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// The type of an argument of a call that is passed as a copy of what it points to.
    pub fn byval_argument(self, nth: u32) -> Option<Type> {
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, nth + 1, kind_of("byval"));
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// The type of what an operand of inline assembly points to.
    pub fn argument_element_type(self, nth: u32) -> Option<Type> {
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, nth + 1, kind_of("elementtype"));
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Alignment that a parameter of a function is known to have; 0 if unknown. `self` is the parameter.
    pub fn param_alignment(self) -> u32 {
        unsafe {
            let function = LLVMGetParamParent(self.0);
            let nth = (0..LLVMCountParams(function)).find(|&i| LLVMGetParam(function, i) == self.0);
            let attribute = LLVMGetEnumAttributeAtIndex(function, nth.unwrap_or(0) + 1, kind_of("align"));
            if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    /// Alignment that an argument of a call is known to have, at least 1.
    pub fn argument_alignment(self, nth: u32) -> u32 {
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, nth + 1, kind_of("align"));
            if attribute.is_null() { 1 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    pub fn remove_byval_param(self, nth: u32) {
        unsafe { LLVMRemoveEnumAttributeAtIndex(self.0, nth + 1, kind_of("byval")) }
    }

    pub fn remove_byval_argument(self, nth: u32) {
        unsafe { LLVMRemoveCallSiteEnumAttribute(self.0, nth + 1, kind_of("byval")) }
    }
}

/// Instructions.
impl Value {
    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub fn parent(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    pub fn previous(self) -> Option<Value> {
        Value::new(unsafe { LLVMGetPreviousInstruction(self.0) })
    }

    pub fn next(self) -> Option<Value> {
        Value::new(unsafe { LLVMGetNextInstruction(self.0) })
    }

    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    pub fn is_terminator(self) -> bool {
        unsafe { !LLVMIsATerminatorInst(self.0).is_null() }
    }

    pub fn predicate(self) -> IntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    pub fn real_predicate(self) -> RealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// The elements that a shuffle takes from its two operands in a row; `None` where any will do.
    pub fn shuffle_mask(self) -> Vec<Option<usize>> {
        let one = |i| usize::try_from(unsafe { LLVMGetMaskValue(self.0, i) }).ok();
        (0..unsafe { LLVMGetNumMaskElements(self.0) }).map(one).collect()
    }

    pub fn allocated_type(self) -> Type {
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// Of a load, store, alloca or global variable.
    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.0) }
    }

    pub fn set_alignment(self, bytes: u32) {
        unsafe { LLVMSetAlignment(self.0, bytes) }
    }

    /// Of a load, store, fence or atomicrmw.
    pub fn ordering(self) -> AtomicOrdering {
        unsafe { LLVMGetOrdering(self.0) }
    }

    pub fn success_ordering(self) -> AtomicOrdering {
        unsafe { LLVMGetCmpXchgSuccessOrdering(self.0) }
    }

    pub fn failure_ordering(self) -> AtomicOrdering {
        unsafe { LLVMGetCmpXchgFailureOrdering(self.0) }
    }

    pub fn is_weak_exchange(self) -> bool {
        unsafe { LLVMGetWeak(self.0) != 0 }
    }

    pub fn rmw_operation(self) -> AtomicRmw {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    pub fn gep_element_type(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Of extractvalue and insertvalue.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    pub fn incoming(self) -> Vec<(Value, Block)> {
        let one = |i| unsafe { (Value(LLVMGetIncomingValue(self.0, i)), Block(LLVMGetIncomingBlock(self.0, i))) };
        (0..unsafe { LLVMCountIncoming(self.0) }).map(one).collect()
    }

    pub fn add_incoming(self, mut value: Value, mut from: Block) {
        unsafe { LLVMAddIncoming(self.0, &mut value.0, &mut from.0, 1) }
    }

    pub fn successors(self) -> Vec<Block> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) }).map(|i| Block(unsafe { LLVMGetSuccessor(self.0, i) })).collect()
    }

    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    pub fn condition(self) -> Value {
        Value(unsafe { LLVMGetCondition(self.0) })
    }

    /// The value of the case that goes to the nth successor (from 1; 0 is the default).
    pub fn case_value(self, nth: u32) -> Value {
        Value(unsafe { LLVMGetSwitchCaseValue(self.0, nth) })
    }
}

/// Calls.
impl Value {
    pub fn is_call(self) -> bool {
        self.is_instruction() && matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
    }

    pub fn called(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    pub fn set_called(self, function: Value) {
        // The callee is the last operand.
        unsafe { LLVMSetOperand(self.0, LLVMGetNumOperands(self.0) as u32 - 1, function.0) }
    }

    pub fn called_type(self) -> Type {
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    pub fn arguments(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|i| self.operand(i)).collect()
    }

    pub fn invoke_normal_target(self) -> Block {
        Block(unsafe { LLVMGetNormalDest(self.0) })
    }

    /// What inline assembly says about its operands.
    pub fn asm_constraints(self) -> String {
        let mut length = 0;
        unsafe { borrowed_text(LLVMGetInlineAsmConstraintString(self.0, &mut length), length) }
    }

    /// The text of inline assembly.
    pub fn asm_text(self) -> String {
        let mut length = 0;
        unsafe { borrowed_text(LLVMGetInlineAsmAsmString(self.0, &mut length), length) }
    }
}

impl Block {
    pub fn instructions(self) -> Vec<Value> {
        collect(unsafe { LLVMGetFirstInstruction(self.0) }, |i| unsafe { LLVMGetNextInstruction(i) })
    }

    pub fn terminator(self) -> Option<Value> {
        Value::new(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    pub fn first_instruction(self) -> Option<Value> {
        Value::new(unsafe { LLVMGetFirstInstruction(self.0) })
    }

    pub fn function(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }
}
