//! How LLVM types become registers and memory accesses.
//!
//! Shared by the marking of points and the lowering, so that both agree on what is understood.

use crate::llvm::{Layout, Type, TypeKind};
use ordain_expr::op::Width;

/// A scalar inside a type: one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub width: Width,
    /// In bytes, from the start of the whole.
    pub offset: u64,
}

/// More leaves than this are not kept in registers.
const MAX_LEAVES: usize = 1024;

/// The scalars that make up a type, or `None` if there is one that is not understood (wide integers, vectors…).
/// Floating-point numbers are bits: they can be moved, and only arithmetic on them is not understood.
pub(crate) fn leaves(layout: Layout, ty: Type) -> Option<Vec<Leaf>> {
    let mut found = Vec::new();
    collect(layout, ty, 0, &mut found)?;
    Some(found)
}

fn collect(layout: Layout, ty: Type, offset: u64, found: &mut Vec<Leaf>) -> Option<()> {
    match ty.kind() {
        TypeKind::LLVMVoidTypeKind => {}
        TypeKind::LLVMStructTypeKind => {
            for (i, field) in ty.fields().into_iter().enumerate() {
                collect(layout, field, offset + layout.offset(ty, i as u32), found)?;
            }
        }
        TypeKind::LLVMArrayTypeKind => {
            let element = ty.element();
            for i in 0..ty.array_length() {
                collect(layout, element, offset + i * layout.size(element), found)?;
            }
        }
        _ => found.push(Leaf { width: scalar_width(ty)?, offset }),
    }
    (found.len() <= MAX_LEAVES).then_some(())
}

/// The width of a type that fits one register.
pub(crate) fn scalar_width(ty: Type) -> Option<Width> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => ty.int_width().filter(|w| *w <= 64).map(|w| w as Width),
        TypeKind::LLVMPointerTypeKind | TypeKind::LLVMDoubleTypeKind => Some(64),
        TypeKind::LLVMFloatTypeKind => Some(32),
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Some(16),
        _ => None,
    }
}

/// The size of an access of this type, if it can be made in one go.
pub(crate) fn access_size(layout: Layout, ty: Type) -> Option<u8> {
    scalar_width(ty)?;
    let bytes = layout.store_size(ty);
    matches!(bytes, 1 | 2 | 4 | 8).then_some(bytes as u8)
}
