//! How LLVM types become registers and memory accesses.
//!
//! Shared by the marking of points and the lowering, so that both agree on what is understood.

use crate::llvm::{Layout, Type, TypeKind};
use ordain_expr::float::Format;
use ordain_expr::op::Width;

/// A part of a type that takes one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    pub width: Width,
    /// In bytes, from the start of the whole.
    pub offset: u64,
}

/// More leaves than this are not kept in registers.
const MAX_LEAVES: usize = 1024;

/// The registers that make up a type, or `None` if there is something in it that is not understood (integers of more than
/// 128 bits, vectors of unknown length…).
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
        TypeKind::LLVMVectorTypeKind => {
            let element = ty.element();
            for i in 0..u64::from(ty.vector_length()) {
                collect(layout, element, offset + i * layout.size(element), found)?;
            }
        }
        _ => {
            let (low, high) = scalar(ty)?.registers();
            found.push(Leaf { width: low, offset });
            found.extend(high.map(|width| Leaf { width, offset: offset + 8 }));
        }
    }
    (found.len() <= MAX_LEAVES).then_some(())
}

/// What operations are on: a value that is neither an aggregate nor a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// Also a pointer.
    Int(Width),
    /// An integer of 65 to 128 bits, in two registers: the low 64 bits, and the rest.
    Wide(Width),
    Float(Format),
    /// x87's extended format, in two registers: significand, and sign with exponent.
    Extended,
}

impl Scalar {
    /// The widths of its one or two registers.
    pub fn registers(self) -> (Width, Option<Width>) {
        match self {
            Scalar::Int(width) => (width, None),
            Scalar::Wide(width) => (64, Some(width - 64)),
            Scalar::Float(format) => (format.width(), None),
            Scalar::Extended => (64, Some(16)),
        }
    }

    pub fn width(self) -> Width {
        let (low, high) = self.registers();
        low + high.unwrap_or(0)
    }
}

pub(crate) fn scalar(ty: Type) -> Option<Scalar> {
    Some(match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => match ty.int_width()? {
            width @ 1..=64 => Scalar::Int(width as Width),
            width @ 65..=128 => Scalar::Wide(width as Width),
            _ => return None,
        },
        TypeKind::LLVMPointerTypeKind => Scalar::Int(64),
        TypeKind::LLVMDoubleTypeKind => Scalar::Float(Format::Double),
        TypeKind::LLVMFloatTypeKind => Scalar::Float(Format::Single),
        TypeKind::LLVMHalfTypeKind => Scalar::Float(Format::Half),
        TypeKind::LLVMBFloatTypeKind => Scalar::Float(Format::BFloat),
        TypeKind::LLVMX86_FP80TypeKind => Scalar::Extended,
        _ => return None,
    })
}

/// The type of a vector's elements and their number; everything else is one element of its own type.
pub(crate) fn lanes(ty: Type) -> (Type, u32) {
    match ty.kind() {
        TypeKind::LLVMVectorTypeKind => (ty.element(), ty.vector_length()),
        _ => (ty, 1),
    }
}

/// The width of a type that fits one register.
pub(crate) fn scalar_width(ty: Type) -> Option<Width> {
    match scalar(ty)?.registers() {
        (width, None) => Some(width),
        _ => None,
    }
}

/// The size of an access of this type, if it can be made in one go.
pub(crate) fn access_size(layout: Layout, ty: Type) -> Option<u8> {
    scalar_width(ty)?;
    let bytes = layout.store_size(ty);
    matches!(bytes, 1 | 2 | 4 | 8).then_some(bytes as u8)
}
