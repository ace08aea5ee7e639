//! Inserting instructions.

use super::{AtomicOrdering, AtomicRmw, Block, Context, IntPredicate, Module, Opcode, Type, Value};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// Inserts instructions at one place. New instructions have the debug location of the instruction they stand before.
pub(crate) struct Builder {
    raw: LLVMBuilderRef,
    pub context: Context,
}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

impl Builder {
    pub fn before(module: Module, instruction: Value) -> Builder {
        let context = module.context();
        unsafe {
            let raw = LLVMCreateBuilderInContext(context.0);
            LLVMPositionBuilderBefore(raw, instruction.0);
            LLVMSetCurrentDebugLocation2(raw, instruction.location_or_function());
            Builder { raw, context }
        }
    }

    /// At the end of a new block of a function.
    pub fn in_new_block(module: Module, function: Value) -> Builder {
        let context = module.context();
        unsafe {
            let raw = LLVMCreateBuilderInContext(context.0);
            LLVMPositionBuilderAtEnd(raw, LLVMAppendBasicBlockInContext(context.0, function.0, NO_NAME));
            Builder { raw, context }
        }
    }

    pub fn ret(&self, value: Option<Value>) {
        unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.raw, value.0),
                None => LLVMBuildRetVoid(self.raw),
            };
        }
    }

    pub fn int(&self, bits: u32) -> Type {
        Type::int(self.context, bits)
    }

    pub fn load(&self, ty: Type, address: Value, align: u32) -> Value {
        let load = Value(unsafe { LLVMBuildLoad2(self.raw, ty.0, address.0, NO_NAME) });
        load.set_alignment(align);
        load
    }

    pub fn store(&self, value: Value, address: Value, align: u32) -> Value {
        let store = Value(unsafe { LLVMBuildStore(self.raw, value.0, address.0) });
        store.set_alignment(align);
        store
    }

    pub fn alloca(&self, ty: Type) -> Value {
        Value(unsafe { LLVMBuildAlloca(self.raw, ty.0, NO_NAME) })
    }

    /// A `memcpy` of a constant size.
    pub fn copy_memory(&self, to: Value, from: Value, align: u32, size: u64) {
        let size = Value::const_int(self.int(64), size);
        unsafe { LLVMBuildMemCpy(self.raw, to.0, align, from.0, align, size.0) };
    }

    /// The address `offset` bytes after `base`.
    pub fn byte_offset(&self, base: Value, offset: u64) -> Value {
        if offset == 0 {
            return base;
        }
        let mut index = Value::const_int(self.int(64), offset).0;
        Value(unsafe { LLVMBuildInBoundsGEP2(self.raw, self.int(8).0, base.0, &mut index, 1, NO_NAME) })
    }

    /// The address so many bytes after `base`.
    pub fn offset(&self, base: Value, bytes: Value) -> Value {
        let mut index = bytes.0;
        Value(unsafe { LLVMBuildGEP2(self.raw, self.int(8).0, base.0, &mut index, 1, NO_NAME) })
    }

    pub fn binary(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildBinOp(self.raw, opcode, a.0, b.0, NO_NAME) })
    }

    /// Zero-extends or truncates an integer.
    pub fn resize(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildIntCast2(self.raw, value.0, to.0, 0, NO_NAME) })
    }

    /// Sign-extends or truncates an integer.
    pub fn resize_signed(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildIntCast2(self.raw, value.0, to.0, 1, NO_NAME) })
    }

    /// The low and the high half of a 128-bit integer.
    pub fn halves(&self, value: Value) -> (Value, Value) {
        let word = self.int(64);
        let high = self.binary(super::Opcode::LLVMLShr, value, Value::const_int(value.ty(), 64));
        (self.resize(value, word), self.resize(high, word))
    }

    /// A 128-bit integer from its halves.
    pub fn join(&self, low: Value, high: Value) -> Value {
        let wide = self.int(128);
        let high = self.binary(super::Opcode::LLVMShl, self.resize(high, wide), Value::const_int(wide, 64));
        self.binary(super::Opcode::LLVMOr, self.resize(low, wide), high)
    }

    /// A cast that changes no bits: integer, pointer or float to one of the same size.
    pub fn reinterpret(&self, value: Value, to: Type) -> Value {
        use super::TypeKind::{LLVMIntegerTypeKind, LLVMPointerTypeKind};
        let opcode = match (value.ty().kind(), to.kind()) {
            (LLVMPointerTypeKind, LLVMIntegerTypeKind) => Opcode::LLVMPtrToInt,
            (LLVMIntegerTypeKind, LLVMPointerTypeKind) => Opcode::LLVMIntToPtr,
            _ => Opcode::LLVMBitCast,
        };
        Value(unsafe { LLVMBuildCast(self.raw, opcode, value.0, to.0, NO_NAME) })
    }

    pub fn extract(&self, aggregate: Value, index: u32) -> Value {
        Value(unsafe { LLVMBuildExtractValue(self.raw, aggregate.0, index, NO_NAME) })
    }

    pub fn insert(&self, aggregate: Value, element: Value, index: u32) -> Value {
        Value(unsafe { LLVMBuildInsertValue(self.raw, aggregate.0, element.0, index, NO_NAME) })
    }

    /// An element of a vector.
    pub fn extract_element(&self, vector: Value, index: u32) -> Value {
        let index = Value::const_int(self.int(32), index.into());
        Value(unsafe { LLVMBuildExtractElement(self.raw, vector.0, index.0, NO_NAME) })
    }

    pub fn insert_element(&self, vector: Value, element: Value, index: u32) -> Value {
        let index = Value::const_int(self.int(32), index.into());
        Value(unsafe { LLVMBuildInsertElement(self.raw, vector.0, element.0, index.0, NO_NAME) })
    }

    pub fn freeze(&self, value: Value) -> Value {
        Value(unsafe { LLVMBuildFreeze(self.raw, value.0, NO_NAME) })
    }

    pub fn is_zero(&self, value: Value) -> Value {
        let zero = Value::const_int(value.ty(), 0);
        Value(unsafe { LLVMBuildICmp(self.raw, super::IntPredicate::LLVMIntEQ, value.0, zero.0, NO_NAME) })
    }

    pub fn select(&self, condition: Value, then: Value, other: Value) -> Value {
        Value(unsafe { LLVMBuildSelect(self.raw, condition.0, then.0, other.0, NO_NAME) })
    }

    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        self.call_as(function.value_type(), function, arguments)
    }

    /// Calls what is, or points to, a function of type `ty`.
    pub fn call_as(&self, ty: Type, function: Value, arguments: &[Value]) -> Value {
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|a| a.0).collect();
        let count = arguments.len() as u32;
        Value(unsafe { LLVMBuildCall2(self.raw, ty.0, function.0, arguments.as_mut_ptr(), count, NO_NAME) })
    }

    /// Jumps where the value says; what is in no case cannot be.
    pub fn switch<'a>(&self, value: Value, cases: impl Iterator<Item = &'a (Block, Value)>) {
        unsafe {
            let here = LLVMGetInsertBlock(self.raw);
            let nowhere = LLVMAppendBasicBlockInContext(self.context.0, LLVMGetBasicBlockParent(here), NO_NAME);
            let switch = LLVMBuildSwitch(self.raw, value.0, nowhere, 0);
            cases.for_each(|(block, case)| LLVMAddCase(switch, case.0, block.0));
            let raw = LLVMCreateBuilderInContext(self.context.0);
            LLVMPositionBuilderAtEnd(raw, nowhere);
            LLVMSetCurrentDebugLocation2(raw, LLVMGetCurrentDebugLocation2(self.raw));
            LLVMBuildUnreachable(raw);
            LLVMDisposeBuilder(raw);
        }
    }

    pub fn fence(&self, order: AtomicOrdering) {
        unsafe { LLVMBuildFence(self.raw, order, 0, NO_NAME) };
    }

    /// A sequentially consistent read-modify-write; the old value.
    pub fn atomic_rmw(&self, operation: AtomicRmw, address: Value, value: Value) -> Value {
        let order = AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
        Value(unsafe { LLVMBuildAtomicRMW(self.raw, operation, address.0, value.0, order, 0) })
    }

    /// A sequentially consistent compare-and-swap: the old value, and whether it was as expected.
    pub fn compare_exchange(&self, address: Value, expected: Value, new: Value) -> Value {
        let order = AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
        Value(unsafe { LLVMBuildAtomicCmpXchg(self.raw, address.0, expected.0, new.0, order, order, 0) })
    }

    pub fn compare(&self, predicate: IntPredicate, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildICmp(self.raw, predicate, a.0, b.0, NO_NAME) })
    }
}
