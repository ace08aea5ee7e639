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
    if is_simple(module, ty, align) || shape::leaves(module.layout(), ty).is_none() {
        return;
    }
    let builder = Builder::before(module, load);
    load.replace_with(load_parts(module, &builder, ty, address, align));
    load.erase();
}

fn split_store(module: Module, store: Value) {
    let (value, address, align) = (store.operand(0), store.operand(1), store.alignment());
    if is_simple(module, value.ty(), align) || shape::leaves(module.layout(), value.ty()).is_none() {
        return;
    }
    let builder = Builder::before(module, store);
    store_parts(module, &builder, value, address, align);
    store.erase();
}

fn is_simple(module: Module, ty: Type, align: u32) -> bool {
    shape::access_size(module.layout(), ty).is_some_and(|size| align >= size.into())
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
    let bytes = module.layout().store_size(ty);
    let word = builder.int(64);
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
    let word = builder.int(64);
    let bits = to_bits(module, builder, value, word);
    for (offset, size) in pieces(module.layout().store_size(ty), align) {
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
            let same_size = builder.int(module.layout().store_size(ty) as u32 * 8);
            builder.reinterpret(builder.resize(bits, same_size), ty)
        }
    }
}

fn to_bits(module: Module, builder: &Builder, value: Value, word: Type) -> Value {
    let ty = value.ty();
    let integer = match ty.int_width() {
        Some(_) => value,
        None => builder.reinterpret(value, builder.int(module.layout().store_size(ty) as u32 * 8)),
    };
    builder.resize(integer, word)
}
