//! Divisions that are not one point: vectors are divided element by element, wide integers by a model.

use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};
use crate::shape;

pub(super) fn rewrite(module: Module) {
    for function in module.functions() {
        for division in function.instructions().into_iter().filter(|i| model(i.opcode()).is_some()) {
            if division.ty().kind() == TypeKind::LLVMVectorTypeKind || is_wide(division.ty()) {
                let builder = Builder::before(module, division);
                division.replace_with(divide(module, &builder, division));
                division.erase();
            }
        }
    }
}

/// The model of a division of 128-bit integers, and whether it is signed.
fn model(opcode: Opcode) -> Option<(&'static str, bool)> {
    Some(match opcode {
        Opcode::LLVMUDiv => ("__ordain_wide_udiv", false),
        Opcode::LLVMURem => ("__ordain_wide_urem", false),
        Opcode::LLVMSDiv => ("__ordain_wide_sdiv", true),
        Opcode::LLVMSRem => ("__ordain_wide_srem", true),
        _ => return None,
    })
}

fn is_wide(ty: Type) -> bool {
    ty.int_width().is_some_and(|width| (65..=128).contains(&width))
}

fn divide(module: Module, builder: &Builder, division: Value) -> Value {
    let (a, b) = (division.operand(0), division.operand(1));
    let ty = division.ty();
    if ty.kind() != TypeKind::LLVMVectorTypeKind {
        return divide_scalars(module, builder, division.opcode(), a, b);
    }
    (0..shape::lanes(ty).1).fold(Value::poison(ty), |whole, n| {
        let (a, b) = (builder.extract_element(a, n), builder.extract_element(b, n));
        builder.insert_element(whole, divide_scalars(module, builder, division.opcode(), a, b), n)
    })
}

fn divide_scalars(module: Module, builder: &Builder, opcode: Opcode, a: Value, b: Value) -> Value {
    let Some((name, signed)) = model(opcode).filter(|_| is_wide(a.ty())) else {
        return builder.binary(opcode, a, b);
    };
    let wide = builder.int(128);
    let extend = |value| if signed { builder.resize_signed(value, wide) } else { builder.resize(value, wide) };
    let ((a0, a1), (b0, b1)) = (builder.halves(extend(a)), builder.halves(extend(b)));
    let word = builder.int(64);
    let declared = module.declare(name, Type::function(Type::structure(builder.context, &[word, word]), &[word; 4]));
    let result = builder.call(declared, &[a0, a1, b0, b1]);
    let result = builder.join(builder.extract(result, 0), builder.extract(result, 1));
    builder.resize(result, a.ty())
}
