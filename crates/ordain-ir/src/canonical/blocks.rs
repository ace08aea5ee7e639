//! Copying and filling blocks of memory: LLVM's intrinsics become loads and stores, or calls of models.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

/// Blocks that take more accesses than this are left to the models' loops.
const MAX_ACCESSES: usize = 16;

enum Kind {
    Copy,
    Move,
    Fill,
}

pub(super) fn rewrite(module: Module) {
    for function in module.functions() {
        for call in function.instructions().into_iter().filter(|i| i.is_call()) {
            let name = call.called().name();
            let kind = match name.split('.').nth(1) {
                _ if !name.starts_with("llvm.") => continue,
                Some("memcpy") => Kind::Copy,
                Some("memmove") => Kind::Move,
                Some("memset") => Kind::Fill,
                _ => continue,
            };
            let arguments = call.arguments();
            let builder = Builder::before(module, call);
            match small_steps(call, &arguments, &kind) {
                Some(steps) if matches!(kind, Kind::Fill) => fill(&builder, &arguments, &steps),
                Some(steps) => copy(&builder, &arguments, &steps),
                None => call_model(module, &builder, &arguments, &kind),
            }
            call.erase();
        }
    }
}

/// The accesses (offset and size) that do a small block of constant size.
fn small_steps(call: Value, arguments: &[Value], kind: &Kind) -> Option<Vec<(u64, u64)>> {
    let length = arguments[2].as_int()?;
    let align = match kind {
        Kind::Fill => call.argument_alignment(0),
        Kind::Copy | Kind::Move => call.argument_alignment(0).min(call.argument_alignment(1)),
    };
    let mut steps = Vec::new();
    let mut offset = 0;
    while offset < length {
        let mut size = u64::from(align).clamp(1, 8);
        while size > length - offset {
            size /= 2;
        }
        if steps.len() == MAX_ACCESSES {
            return None;
        }
        steps.push((offset, size));
        offset += size;
    }
    Some(steps)
}

/// All loads come before all stores, since the blocks of a memmove may overlap.
fn copy(builder: &Builder, arguments: &[Value], steps: &[(u64, u64)]) {
    let mut values = Vec::new();
    for &(offset, size) in steps {
        let ty = builder.int(size as u32 * 8);
        values.push(builder.load(ty, builder.byte_offset(arguments[1], offset), size as u32));
    }
    for (&(offset, size), value) in steps.iter().zip(values) {
        builder.store(value, builder.byte_offset(arguments[0], offset), size as u32);
    }
}

fn fill(builder: &Builder, arguments: &[Value], steps: &[(u64, u64)]) {
    for &(offset, size) in steps {
        let ty = builder.int(size as u32 * 8);
        let ones = 0x0101_0101_0101_0101_u64 >> (64 - size * 8);
        let value = match arguments[1].as_int() {
            Some(byte) => Value::const_int(ty, ones.wrapping_mul(byte)),
            None => builder.binary(Opcode::LLVMMul, builder.resize(arguments[1], ty), Value::const_int(ty, ones)),
        };
        builder.store(value, builder.byte_offset(arguments[0], offset), size as u32);
    }
}

fn call_model(module: Module, builder: &Builder, arguments: &[Value], kind: &Kind) {
    let (word, pointer) = (builder.int(64), Type::pointer(builder.context));
    let (name, second) = match kind {
        Kind::Copy => ("__ordain_memcpy", pointer),
        Kind::Move => ("__ordain_memmove", pointer),
        Kind::Fill => ("__ordain_memset", builder.int(32)),
    };
    let ty = Type::function(pointer, &[pointer, second, word]);
    let value = match kind {
        Kind::Fill => builder.resize(arguments[1], second),
        _ => arguments[1],
    };
    let length = builder.resize(arguments[2], word);
    builder.call(module.declare(name, ty), &[arguments[0], value, length]);
}
