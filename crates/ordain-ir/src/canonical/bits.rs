//! Intrinsics that take more than a few operations become calls of models; fences written as assembly become fences.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

pub(super) fn rewrite(module: Module) {
    for function in module.functions() {
        for call in function.instructions().into_iter().filter(|i| i.is_call()) {
            if call.called().name().starts_with("llvm.") {
                rewrite_intrinsic(module, call);
            }
        }
    }
}

fn rewrite_intrinsic(module: Module, call: Value) {
    let name = call.called().name();
    let Some(operation) = name.strip_prefix("llvm.").map(|n| n.split('.').next().unwrap_or(n)) else { return };
    let arguments = call.arguments();
    let Some(width) = arguments.first().and_then(|a| a.ty().int_width()).filter(|w| *w <= 64) else { return };
    let builder = Builder::before(module, call);
    let word = builder.int(64);
    let model = |name: &str, arguments: &[Value]| {
        let ty = Type::function(word, &vec![word; arguments.len()]);
        builder.call(module.declare(name, ty), arguments)
    };
    let wide = || builder.resize(arguments[0], word);
    let constant = |value: u64| Value::const_int(word, value);
    let unused_bits = constant(64 - u64::from(width));
    let result = match operation {
        "ctpop" => model("__ordain_count_ones", &[wide()]),
        "ctlz" => builder.binary(Opcode::LLVMSub, model("__ordain_leading_zeros", &[wide()]), unused_bits),
        "cttz" => {
            // A one above the value's own bits: of zero, the answer is the width.
            let guard = if width < 64 { 1 << width } else { 0 };
            let guarded = builder.binary(Opcode::LLVMOr, wide(), constant(guard));
            model("__ordain_trailing_zeros", &[guarded])
        }
        "bswap" => builder.binary(Opcode::LLVMLShr, model("__ordain_swap_bytes", &[wide()]), unused_bits),
        "bitreverse" => builder.binary(Opcode::LLVMLShr, model("__ordain_reverse_bits", &[wide()]), unused_bits),
        "umul" | "smul" if width == 64 && name.contains(".with.overflow") => {
            return multiply_with_overflow(&builder, call, &arguments, operation, model);
        }
        _ => return,
    };
    call.replace_with(builder.resize(result, call.ty()));
    call.erase();
}

/// Narrower ones are lowered to a wider multiplication.
fn multiply_with_overflow(
    builder: &Builder,
    call: Value,
    arguments: &[Value],
    operation: &str,
    model: impl Fn(&str, &[Value]) -> Value,
) {
    let name = if operation == "umul" { "__ordain_umul_overflows" } else { "__ordain_smul_overflows" };
    let overflow = builder.resize(model(name, arguments), builder.int(1));
    let product = builder.binary(Opcode::LLVMMul, arguments[0], arguments[1]);
    let both = builder.insert(Value::poison(call.ty()), product, 0);
    call.replace_with(builder.insert(both, overflow, 1));
    call.erase();
}
