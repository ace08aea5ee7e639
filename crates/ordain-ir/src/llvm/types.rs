//! Types.

use super::{Context, TypeKind, take_message};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMTypeRef;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type(pub(super) LLVMTypeRef);

impl Type {
    pub fn int(context: Context, bits: u32) -> Type {
        Type(unsafe { LLVMIntTypeInContext(context.0, bits) })
    }

    pub fn structure(context: Context, fields: &[Type]) -> Type {
        let mut fields: Vec<LLVMTypeRef> = fields.iter().map(|f| f.0).collect();
        Type(unsafe { LLVMStructTypeInContext(context.0, fields.as_mut_ptr(), fields.len() as u32, 0) })
    }

    pub fn vector(element: Type, length: u32) -> Type {
        Type(unsafe { LLVMVectorType(element.0, length) })
    }

    pub fn pointer(context: Context) -> Type {
        Type(unsafe { LLVMPointerTypeInContext(context.0, 0) })
    }

    pub fn void(context: Context) -> Type {
        Type(unsafe { LLVMVoidTypeInContext(context.0) })
    }

    pub fn function(result: Type, params: &[Type]) -> Type {
        let mut params: Vec<LLVMTypeRef> = params.iter().map(|p| p.0).collect();
        Type(unsafe { LLVMFunctionType(result.0, params.as_mut_ptr(), params.len() as u32, 0) })
    }

    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Width of an integer type.
    pub fn int_width(self) -> Option<u32> {
        (self.kind() == TypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(self.0) })
    }

    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::LLVMVoidTypeKind
    }

    pub fn is_aggregate(self) -> bool {
        matches!(self.kind(), TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind)
    }

    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// The fields of a structure.
    pub fn fields(self) -> Vec<Type> {
        let count = unsafe { LLVMCountStructElementTypes(self.0) };
        (0..count).map(|i| Type(unsafe { LLVMStructGetTypeAtIndex(self.0, i) })).collect()
    }

    /// The element type of an array or vector.
    pub fn element(self) -> Type {
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    pub fn array_length(self) -> u64 {
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    pub fn vector_length(self) -> u32 {
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// Of a function type.
    pub fn result(self) -> Type {
        Type(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Of a function type, without what `...` stands for.
    pub fn params(self) -> Vec<Type> {
        let mut params = vec![std::ptr::null_mut(); unsafe { LLVMCountParamTypes(self.0) } as usize];
        unsafe { LLVMGetParamTypes(self.0, params.as_mut_ptr()) };
        params.into_iter().map(Type).collect()
    }

    /// An array of this type.
    pub fn array(self, length: u64) -> Type {
        Type(unsafe { LLVMArrayType2(self.0, length) })
    }

    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&take_message(unsafe { LLVMPrintTypeToString(self.0) }))
    }
}
