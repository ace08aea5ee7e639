//! Accesses that cannot be made in one go are split: structures, odd sizes, addresses that may not be aligned.

use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};
use crate::points;
use crate::shape;

pub(super) fn split(module: Module) {
    for function in module.functions() {
        for access in function.instructions() {
            match access.opcode() {
                Opcode::LLVMLoad if !points::is_atomic(access) => split_load(module, access),
                Opcode::LLVMStore if !points::is_atomic(access) => split_store(module, access),
                _ => {}
            }
        }
    }
}

fn split_load(module: Module, load: Value) {
    let ty = load.ty();
    let (address, align) = (load.operand(0), load.alignment());
    if is_simple(module, ty, align) || !can_be_split(module, ty, align) {
        return;
    }
    let builder = Builder::before(module, load);
    load.replace_with(load_parts(module, &builder, ty, address, align));
    load.erase();
}

fn split_store(module: Module, store: Value) {
    let (value, address, align) = (store.operand(0), store.operand(1), store.alignment());
    if is_simple(module, value.ty(), align) || !can_be_split(module, value.ty(), align) {
        return;
    }
    let builder = Builder::before(module, store);
    store_parts(module, &builder, value, address, align);
    store.erase();
}

fn is_simple(module: Module, ty: Type, align: u32) -> bool {
    shape::access_size(module.layout(), ty).is_some_and(|size| align >= size.into())
}

/// Pointers in vectors cannot be put together from smaller pieces.
fn can_be_split(module: Module, ty: Type, align: u32) -> bool {
    let pointers = shape::lanes(ty).0.kind() == TypeKind::LLVMPointerTypeKind;
    shape::leaves(module.layout(), ty).is_some()
        && (!pointers || ty.kind() != TypeKind::LLVMVectorTypeKind || align >= 8)
}

fn load_parts(module: Module, builder: &Builder, ty: Type, address: Value, align: u32) -> Value {
    if ty.is_aggregate() {
        let mut whole = Value::poison(ty);
        for (i, (element, offset)) in elements(module, ty).into_iter().enumerate() {
            let part = builder.byte_offset(address, offset);
            let value = load_parts(module, builder, element, part, alignment_at(align, offset));
            whole = builder.insert(whole, value, i as u32);
        }
        return whole;
    }
    if is_simple(module, ty, align) {
        return builder.load(ty, address, align);
    }
    if let Some(pieces) = VectorPieces::of(module, builder, ty, align) {
        let vector = pieces.load(builder, address);
        return if pieces.ty == ty { vector } else { builder.reinterpret(vector, ty) };
    }
    let bytes = module.layout().store_size(ty);
    let word = word_for(builder, bytes);
    let mut bits = Value::const_int(word, 0);
    for (offset, size) in pieces(bytes, align) {
        let part = builder.load(builder.int(size * 8), builder.byte_offset(address, offset), size);
        let shifted = builder.binary(Opcode::LLVMShl, builder.resize(part, word), Value::const_int(word, offset * 8));
        bits = builder.binary(Opcode::LLVMOr, bits, shifted);
    }
    from_bits(module, builder, bits, ty)
}

fn store_parts(module: Module, builder: &Builder, value: Value, address: Value, align: u32) {
    let ty = value.ty();
    if ty.is_aggregate() {
        for (i, (_, offset)) in elements(module, ty).into_iter().enumerate() {
            let part = builder.extract(value, i as u32);
            store_parts(module, builder, part, builder.byte_offset(address, offset), alignment_at(align, offset));
        }
        return;
    }
    if is_simple(module, ty, align) {
        builder.store(value, address, align);
        return;
    }
    if let Some(pieces) = VectorPieces::of(module, builder, ty, align) {
        let vector = if pieces.ty == ty { value } else { builder.reinterpret(value, pieces.ty) };
        return pieces.store(builder, vector, address);
    }
    let bytes = module.layout().store_size(ty);
    let word = word_for(builder, bytes);
    let bits = to_bits(module, builder, value, word);
    for (offset, size) in pieces(bytes, align) {
        let shifted = builder.binary(Opcode::LLVMLShr, bits, Value::const_int(word, offset * 8));
        let part = builder.resize(shifted, builder.int(size * 8));
        builder.store(part, builder.byte_offset(address, offset), size);
    }
}

/// The elements of a structure or array with their offsets.
fn elements(module: Module, ty: Type) -> Vec<(Type, u64)> {
    let layout = module.layout();
    if ty.kind() == TypeKind::LLVMStructTypeKind {
        let offsets = (0..).map(|i| layout.offset(ty, i));
        return ty.fields().into_iter().zip(offsets).collect();
    }
    let size = layout.size(ty.element());
    (0..ty.array_length()).map(|i| (ty.element(), i * size)).collect()
}

/// An integer type that has room for so many bytes.
fn word_for(builder: &Builder, bytes: u64) -> Type {
    builder.int(if bytes <= 8 { 64 } else { 128 })
}

/// A vector as one of integers that are loaded and stored in one go each.
struct VectorPieces {
    ty: Type,
    count: u32,
    bytes: u32,
}

impl VectorPieces {
    /// None for what is no vector, and for vectors whose elements are no whole bytes: those are numbers.
    fn of(module: Module, builder: &Builder, ty: Type, align: u32) -> Option<VectorPieces> {
        let bits = shape::scalar(ty.kind().eq(&TypeKind::LLVMVectorTypeKind).then(|| ty.element())?)?.width();
        let total = module.layout().store_size(ty);
        if bits % 8 != 0 || total != u64::from(bits / 8) * u64::from(ty.vector_length()) {
            return None;
        }
        let element = u32::from(bits / 8);
        // Numbers are accessed as the source does; of smaller ones, as many at a time as possible.
        let most = if element < 4 { 8 } else { element.min(8) };
        let bytes = alignment_at(align, total).min(most);
        let count = (total / u64::from(bytes)) as u32;
        let whole = if bytes == element { ty } else { Type::vector(builder.int(bytes * 8), count) };
        Some(VectorPieces { ty: whole, count, bytes })
    }

    fn load(&self, builder: &Builder, address: Value) -> Value {
        (0..self.count).fold(Value::poison(self.ty), |whole, n| {
            let place = builder.byte_offset(address, u64::from(n * self.bytes));
            let piece = builder.load(self.ty.element(), place, self.bytes);
            builder.insert_element(whole, piece, n)
        })
    }

    fn store(&self, builder: &Builder, value: Value, address: Value) {
        for n in 0..self.count {
            let place = builder.byte_offset(address, u64::from(n * self.bytes));
            builder.store(builder.extract_element(value, n), place, self.bytes);
        }
    }
}

/// Offsets and sizes of aligned accesses that cover `bytes` bytes.
fn pieces(bytes: u64, align: u32) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let mut offset = 0;
    while offset < bytes {
        let mut size = alignment_at(align, offset).clamp(1, 8);
        while u64::from(size) > bytes - offset {
            size /= 2;
        }
        found.push((offset, size));
        offset += u64::from(size);
    }
    found
}

fn alignment_at(align: u32, offset: u64) -> u32 {
    match offset.trailing_zeros() {
        zeros if zeros < 16 => align.min(1 << zeros),
        _ => align,
    }
}

fn from_bits(module: Module, builder: &Builder, bits: Value, ty: Type) -> Value {
    match ty.int_width() {
        Some(_) => builder.resize(bits, ty),
        None => {
            let same_size = builder.int(module.layout().bits(ty));
            builder.reinterpret(builder.resize(bits, same_size), ty)
        }
    }
}

fn to_bits(module: Module, builder: &Builder, value: Value, word: Type) -> Value {
    let ty = value.ty();
    let integer = match ty.int_width() {
        Some(_) => value,
        None => builder.reinterpret(value, builder.int(module.layout().bits(ty))),
    };
    builder.resize(integer, word)
}
