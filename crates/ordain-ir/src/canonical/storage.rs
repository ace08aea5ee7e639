//! Integers of more than 128 bits, as words of 64 bits.
//!
//! Nobody computes with them: they are the storage of packed bit-fields, which is read whole, shifted, masked, and written
//! back. Those operations are done word by word, here, so that each access is one that the machine knows. An operation
//! that no bit-field needs stays as it is, and lowering says that it is not supported.

use super::accesses::alignment_at;
use crate::llvm::{Builder, IntPredicate, Module, Opcode, Type, Value, ValueKind};
use crate::points;
use std::collections::{HashMap, HashSet};

const WORD: u32 = 64;
/// What lowering has registers for.
const WIDEST: u32 = 128;

pub(super) fn split(module: Module) {
    for function in module.functions() {
        let understood = understood(function);
        let Some(start) = function.blocks().first().and_then(|entry| entry.first_instruction()) else { continue };
        let mut words = Words { module, start, made: HashMap::new() };
        understood.iter().for_each(|i| words.rewrite(*i));
        for instruction in understood {
            if !instruction.ty().is_void() {
                instruction.replace_with(Value::undef(instruction.ty()));
            }
            instruction.erase();
        }
    }
}

fn storage_width(ty: Type) -> Option<u32> {
    ty.int_width().filter(|width| *width > WIDEST)
}

fn is_wide(value: Value) -> bool {
    storage_width(value.ty()).is_some()
}

/// The instructions on wide integers that can all be rewritten: nothing else gives them a wide value, or uses theirs.
fn understood(function: Value) -> Vec<Value> {
    let about = |i: &Value| is_wide(*i) || i.operands().into_iter().any(is_wide);
    let mut found: Vec<Value> = function.instructions().into_iter().filter(about).filter(|i| is_known(*i)).collect();
    loop {
        let known: HashSet<Value> = found.iter().copied().collect();
        let given = |value: Value| !is_wide(value) || known.contains(&value) || is_constant(value);
        found.retain(|i| {
            i.operands().into_iter().all(given) && (!is_wide(*i) || i.users().iter().all(|user| known.contains(user)))
        });
        if found.len() == known.len() {
            return found;
        }
    }
}

fn is_known(instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad | Opcode::LLVMStore => !points::is_atomic(instruction),
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
            instruction.operand(1).kind() == ValueKind::LLVMConstantIntValueKind
        }
        Opcode::LLVMTrunc => !is_wide(instruction),
        Opcode::LLVMZExt | Opcode::LLVMSExt => !is_wide(instruction.operand(0)),
        Opcode::LLVMICmp | Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => true,
        Opcode::LLVMFreeze | Opcode::LLVMSelect | Opcode::LLVMPHI => true,
        _ => false,
    }
}

fn is_constant(value: Value) -> bool {
    use ValueKind::{LLVMConstantIntValueKind, LLVMPoisonValueKind, LLVMUndefValueValueKind};
    matches!(value.kind(), LLVMConstantIntValueKind | LLVMUndefValueValueKind | LLVMPoisonValueKind)
}

/// The words that stand for wide values, lowest first. In the last one, bits above the value's width are zero.
struct Words {
    module: Module,
    /// The function's first instruction.
    start: Value,
    made: HashMap<Value, Vec<Value>>,
}

impl Words {
    /// Makes an instruction's words, or does with words what it does.
    fn rewrite(&mut self, instruction: Value) {
        let builder = Builder::before(self.module, instruction);
        match instruction.opcode() {
            _ if is_wide(instruction) => drop(self.of(&builder, instruction)),
            Opcode::LLVMStore => self.store(&builder, instruction),
            Opcode::LLVMICmp => self.compare(&builder, instruction),
            _ => {
                let words = self.of(&builder, instruction.operand(0));
                let whole = builder.join(words[0], words[1]);
                instruction.replace_with(builder.resize(whole, instruction.ty()));
            }
        }
    }

    fn of(&mut self, builder: &Builder, value: Value) -> Vec<Value> {
        if let Some(words) = self.made.get(&value) {
            return words.clone();
        }
        let width = value.ty().int_width().unwrap_or_default();
        match value.kind() {
            ValueKind::LLVMInstructionValueKind => {
                let words = self.of_instruction(value, width);
                self.made.insert(value, words.clone());
                words
            }
            // The builder computes with constants at once.
            ValueKind::LLVMConstantIntValueKind => offsets(width)
                .map(|n| builder.binary(Opcode::LLVMLShr, value, Value::const_int(value.ty(), n.into())))
                .map(|shifted| builder.resize(shifted, builder.int(WORD)))
                .collect(),
            _ => {
                let undefined = self.undefined(builder);
                offsets(width).map(|_| undefined).collect()
            }
        }
    }

    /// A word that stays undefined whatever is computed with it, as a constant would not: what a variable holds that was
    /// never written.
    fn undefined(&self, builder: &Builder) -> Value {
        let word = builder.int(WORD);
        let entry = Builder::before(self.module, self.start);
        builder.load(word, entry.alloca(word), WORD / 8)
    }

    fn of_instruction(&mut self, instruction: Value, width: u32) -> Vec<Value> {
        let builder = &Builder::before(self.module, instruction);
        let operation = instruction.opcode();
        match operation {
            Opcode::LLVMLoad => self.load(builder, instruction, width),
            Opcode::LLVMPHI => self.choose(builder, instruction, width),
            Opcode::LLVMZExt | Opcode::LLVMSExt => extend(builder, operation, instruction.operand(0), width),
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                // More than the width gives no defined value.
                let amount = self.of(builder, instruction.operand(1))[0].as_int().unwrap_or_default();
                let words = self.of(builder, instruction.operand(0));
                shift(builder, operation, words, amount.min(width.into()) as u32, width)
            }
            Opcode::LLVMFreeze => {
                self.of(builder, instruction.operand(0)).into_iter().map(|word| builder.freeze(word)).collect()
            }
            Opcode::LLVMSelect => {
                let [a, b] = [1, 2].map(|n| self.of(builder, instruction.operand(n)));
                a.into_iter().zip(b).map(|(a, b)| builder.select(instruction.operand(0), a, b)).collect()
            }
            _ => {
                let [a, b] = [0, 1].map(|n| self.of(builder, instruction.operand(n)));
                a.into_iter().zip(b).map(|(a, b)| builder.binary(operation, a, b)).collect()
            }
        }
    }

    /// Where paths meet. A value may come from later, by a loop, so the words exist before what they are chosen from.
    fn choose(&mut self, builder: &Builder, phi: Value, width: u32) -> Vec<Value> {
        let words: Vec<Value> = offsets(width).map(|_| builder.phi(builder.int(WORD))).collect();
        self.made.insert(phi, words.clone());
        for (value, from) in phi.incoming() {
            // What has to be made for a constant cannot stand among phis.
            let end = from.terminator().map(|terminator| Builder::before(self.module, terminator));
            let incoming = self.of(end.as_ref().unwrap_or(builder), value);
            words.iter().zip(incoming).for_each(|(word, part)| word.add_incoming(part, from));
        }
        words
    }

    fn load(&self, builder: &Builder, load: Value, width: u32) -> Vec<Value> {
        let parts = memory_parts(width).map(|(offset, bytes)| {
            let address = builder.byte_offset(load.operand(0), offset);
            let part = builder.load(builder.int(bytes * 8), address, alignment_at(load.alignment(), offset));
            builder.resize(part, builder.int(WORD))
        });
        masked(builder, parts.collect(), width)
    }

    fn store(&mut self, builder: &Builder, store: Value) {
        let (value, address) = (store.operand(0), store.operand(1));
        let parts = memory_parts(value.ty().int_width().unwrap_or_default());
        for (word, (offset, bytes)) in self.of(builder, value).into_iter().zip(parts) {
            let part = builder.resize(word, builder.int(bytes * 8));
            builder.store(part, builder.byte_offset(address, offset), alignment_at(store.alignment(), offset));
        }
    }

    /// The highest words that differ decide.
    fn compare(&mut self, builder: &Builder, compare: Value) {
        use IntPredicate::*;
        let width = compare.operand(0).ty().int_width().unwrap_or_default();
        let [mut a, mut b] = [0, 1].map(|n| self.of(builder, compare.operand(n)));
        // How words decide that differ, the highest and the others; and what holds if none does.
        let (highest, others, same) = match compare.predicate() {
            LLVMIntEQ => (LLVMIntEQ, LLVMIntEQ, true),
            LLVMIntNE => (LLVMIntNE, LLVMIntNE, false),
            LLVMIntULT => (LLVMIntULT, LLVMIntULT, false),
            LLVMIntULE => (LLVMIntULT, LLVMIntULT, true),
            LLVMIntUGT => (LLVMIntUGT, LLVMIntUGT, false),
            LLVMIntUGE => (LLVMIntUGT, LLVMIntUGT, true),
            LLVMIntSLT => (LLVMIntSLT, LLVMIntULT, false),
            LLVMIntSLE => (LLVMIntSLT, LLVMIntULT, true),
            LLVMIntSGT => (LLVMIntSGT, LLVMIntUGT, false),
            LLVMIntSGE => (LLVMIntSGT, LLVMIntUGT, true),
        };
        let last = a.len() - 1;
        if matches!(highest, LLVMIntSLT | LLVMIntSGT) {
            for words in [&mut a, &mut b] {
                words[last] = sign_extended(builder, words[last], last_word_bits(width));
            }
        }
        let none = Value::const_int(builder.int(1), same.into());
        let result = a.into_iter().zip(b).enumerate().fold(none, |below, (n, (a, b))| {
            let decided = builder.compare(if n == last { highest } else { others }, a, b);
            builder.select(builder.compare(LLVMIntEQ, a, b), below, decided)
        });
        compare.replace_with(result);
    }
}

/// Where the words of a value begin, in bits.
fn offsets(width: u32) -> impl Iterator<Item = u32> {
    (0..width).step_by(WORD as usize)
}

/// Offset and size of each word in memory, in bytes.
fn memory_parts(width: u32) -> impl Iterator<Item = (u64, u32)> {
    offsets(width).map(move |offset| ((offset / 8).into(), (width - offset).div_ceil(8).min(WORD / 8)))
}

fn last_word_bits(width: u32) -> u32 {
    (width - 1) % WORD + 1
}

fn masked(builder: &Builder, mut words: Vec<Value>, width: u32) -> Vec<Value> {
    if let Some(last) = words.last_mut().filter(|_| last_word_bits(width) < WORD) {
        let mask = Value::const_int(last.ty(), u64::MAX >> (WORD - last_word_bits(width)));
        *last = builder.binary(Opcode::LLVMAnd, *last, mask);
    }
    words
}

/// A word with the sign of the value in all bits that are not the value's.
fn sign_extended(builder: &Builder, word: Value, bits: u32) -> Value {
    builder.resize_signed(builder.resize(word, builder.int(bits)), word.ty())
}

/// A word that consists of the sign of a signed one.
fn sign(builder: &Builder, word: Value) -> Value {
    builder.binary(Opcode::LLVMAShr, word, Value::const_int(word.ty(), (WORD - 1).into()))
}

fn shift(builder: &Builder, operation: Opcode, mut words: Vec<Value>, amount: u32, width: u32) -> Vec<Value> {
    let zero = Value::const_int(builder.int(WORD), 0);
    let mut beyond = zero;
    if let (Opcode::LLVMAShr, Some(last)) = (operation, words.last_mut()) {
        *last = sign_extended(builder, *last, last_word_bits(width));
        beyond = sign(builder, *last);
    }
    let (whole, bits) = ((amount / WORD) as i64, amount % WORD);
    let at = |n: i64| match usize::try_from(n) {
        Ok(n) => words.get(n).copied().unwrap_or(beyond),
        Err(_) => zero,
    };
    let moved = |opcode, word: Value, by: u32| builder.binary(opcode, word, Value::const_int(word.ty(), by.into()));
    let shifted = (0..words.len() as i64).map(|n| {
        let (from, opcode, neighbour, back) = match operation {
            Opcode::LLVMShl => (n - whole, Opcode::LLVMShl, n - whole - 1, Opcode::LLVMLShr),
            _ => (n + whole, Opcode::LLVMLShr, n + whole + 1, Opcode::LLVMShl),
        };
        if bits == 0 {
            return at(from);
        }
        let (own, other) = (moved(opcode, at(from), bits), moved(back, at(neighbour), WORD - bits));
        builder.binary(Opcode::LLVMOr, own, other)
    });
    masked(builder, shifted.collect(), width)
}

/// The words of an integer of at most 128 bits that is extended.
fn extend(builder: &Builder, operation: Opcode, value: Value, width: u32) -> Vec<Value> {
    let signed = operation == Opcode::LLVMSExt;
    let double = builder.int(WIDEST);
    let (low, high) =
        builder.halves(if signed { builder.resize_signed(value, double) } else { builder.resize(value, double) });
    let rest = if signed { sign(builder, high) } else { Value::const_int(high.ty(), 0) };
    let words = (0..offsets(width).count()).map(|n| [low, high].get(n).copied().unwrap_or(rest));
    masked(builder, words.collect(), width)
}
