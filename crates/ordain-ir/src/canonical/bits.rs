//! Intrinsics that take more than a few operations become calls of models.

use crate::llvm::{Builder, Module, Opcode, Type, TypeKind, Value};
use crate::shape;

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
    let Some(count) = name.strip_prefix("llvm.").and_then(|n| count_of(n.split('.').next().unwrap_or(n))) else {
        return;
    };
    let Some(&argument) = call.arguments().first() else { return };
    let (element, length) = shape::lanes(argument.ty());
    let Some(width) = element.int_width().filter(|w| *w <= 128) else { return };
    let counter = Counter { module, builder: Builder::before(module, call), width };
    let result = match argument.ty().kind() {
        TypeKind::LLVMVectorTypeKind => (0..length).fold(Value::poison(argument.ty()), |whole, n| {
            let lane = counter.apply(count, counter.builder.extract_element(argument, n));
            counter.builder.insert_element(whole, lane, n)
        }),
        _ => counter.apply(count, argument),
    };
    call.replace_with(result);
    call.erase();
}

#[derive(Clone, Copy)]
enum Count {
    Ones,
    LeadingZeros,
    TrailingZeros,
    SwapBytes,
    ReverseBits,
}

fn count_of(operation: &str) -> Option<Count> {
    Some(match operation {
        "ctpop" => Count::Ones,
        "ctlz" => Count::LeadingZeros,
        "cttz" => Count::TrailingZeros,
        "bswap" => Count::SwapBytes,
        "bitreverse" => Count::ReverseBits,
        _ => return None,
    })
}

/// Computes with integers of one width.
struct Counter {
    module: Module,
    builder: Builder,
    width: u32,
}

impl Counter {
    fn apply(&self, count: Count, value: Value) -> Value {
        let result = if self.width <= 64 { self.narrow(count, value) } else { self.wide(count, value) };
        self.builder.resize(result, value.ty())
    }

    /// Calls the model, which is for 64 bits.
    fn model(&self, count: Count, value: Value) -> Value {
        let name = match count {
            Count::Ones => "__ordain_count_ones",
            Count::LeadingZeros => "__ordain_leading_zeros",
            Count::TrailingZeros => "__ordain_trailing_zeros",
            Count::SwapBytes => "__ordain_swap_bytes",
            Count::ReverseBits => "__ordain_reverse_bits",
        };
        let word = self.builder.int(64);
        self.builder.call(self.module.declare(name, Type::function(word, &[word])), &[value])
    }

    /// What a result that counts from the top of `bits` bits has too much.
    fn correct(&self, count: Count, result: Value, bits: u32) -> Value {
        let unused = Value::const_int(result.ty(), (bits - self.width).into());
        match count {
            Count::LeadingZeros => self.builder.binary(Opcode::LLVMSub, result, unused),
            Count::SwapBytes | Count::ReverseBits => self.builder.binary(Opcode::LLVMLShr, result, unused),
            Count::Ones | Count::TrailingZeros => result,
        }
    }

    /// A one above the value's own bits: of zero, the number of trailing zeros is the width.
    fn guarded(&self, count: Count, value: Value, bits: u32) -> Value {
        if !matches!(count, Count::TrailingZeros) || self.width == bits {
            return value;
        }
        let one = Value::const_int(value.ty(), 1);
        let above = Value::const_int(value.ty(), self.width.into());
        let guard = self.builder.binary(Opcode::LLVMShl, one, above);
        self.builder.binary(Opcode::LLVMOr, value, guard)
    }

    fn narrow(&self, count: Count, value: Value) -> Value {
        let word = self.builder.resize(value, self.builder.int(64));
        self.correct(count, self.model(count, self.guarded(count, word, 64)), 64)
    }

    fn wide(&self, count: Count, value: Value) -> Value {
        let whole = self.builder.resize(value, self.builder.int(128));
        let (low, high) = self.builder.halves(self.guarded(count, whole, 128));
        let (first, second) = (self.model(count, low), self.model(count, high));
        let plus = |a, b| self.builder.binary(Opcode::LLVMAdd, a, b);
        let zero = Value::const_int(self.builder.int(64), 0);
        let result = match count {
            Count::Ones => plus(first, second),
            // Of zero, the model counts 64.
            Count::LeadingZeros => plus(second, self.builder.select(self.builder.is_zero(high), first, zero)),
            Count::TrailingZeros => plus(first, self.builder.select(self.builder.is_zero(low), second, zero)),
            Count::SwapBytes | Count::ReverseBits => self.builder.join(second, first),
        };
        self.correct(count, self.builder.resize(result, self.builder.int(128)), 128)
    }
}
