//! Inline assembly that has a meaning on any machine: barriers, pauses, atomic idioms, byte swaps and rotations, and
//! questions about the time and the processor. It becomes ordinary instructions, so that nobody else has to know it.
//!
//! A statement is translated as a whole or not at all. What stays assembly is an error by its text where it is reached.

mod text;

use crate::llvm::{AtomicOrdering, AtomicRmw, Builder, IntPredicate, Module, Opcode, Type, Value, ValueKind};
use std::collections::HashMap;
use text::{Constraint, Instruction, Written};

pub(super) fn rewrite(module: Module) {
    for function in module.functions() {
        for call in function.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMCall) {
            if call.called().kind() == ValueKind::LLVMInlineAsmValueKind {
                rewrite_statement(module, call);
            } else {
                rewrite_intrinsic(module, call);
            }
        }
    }
}

/// What clang has for some of the same instructions.
fn rewrite_intrinsic(module: Module, call: Value) {
    let builder = Builder::before(module, call);
    match call.called().name().as_str() {
        "llvm.x86.sse2.mfence" => builder.fence(AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent),
        "llvm.x86.sse2.lfence" => builder.fence(AtomicOrdering::LLVMAtomicOrderingAcquire),
        "llvm.x86.sse.sfence" => builder.fence(AtomicOrdering::LLVMAtomicOrderingRelease),
        "llvm.x86.rdtsc" | "llvm.readcyclecounter" => call.replace_with(cycles(module, &builder)),
        _ => return,
    }
    call.erase();
}

/// The virtual time, in the model of a processor with one cycle per nanosecond.
fn cycles(module: Module, builder: &Builder) -> Value {
    builder.call(module.declare("__ordain_cycles", Type::function(builder.int(64), &[])), &[])
}

fn rewrite_statement(module: Module, call: Value) {
    let assembly = call.called();
    let instructions = text::instructions(&assembly.asm_text());
    let mut statement = Statement::new(module, call, &text::constraints(&assembly.asm_constraints()));
    let understood = match instructions.iter().any(|i| i.name == "cpuid") {
        true => statement.processor(&instructions),
        false => instructions.iter().try_for_each(|instruction| statement.execute(instruction)),
    };
    match understood {
        Some(()) => {
            statement.finish();
            call.erase();
        }
        None => statement.undo(),
    }
}

/// Where an operand is.
#[derive(Clone, Copy)]
enum Place {
    Memory(Value, Type),
    /// With its value, once it has one.
    Register(Option<Value>, Type),
}

impl Place {
    fn ty(self) -> Type {
        match self {
            Place::Memory(_, ty) | Place::Register(_, ty) => ty,
        }
    }
}

#[derive(Default)]
struct Flags {
    zero: Option<Value>,
    carry: Option<Value>,
    sign: Option<Value>,
}

struct Statement {
    module: Module,
    builder: Builder,
    call: Value,
    /// What stood before the call, to undo everything after it.
    before: Option<Value>,
    places: Vec<Place>,
    /// Operands in one particular register.
    registers: HashMap<String, usize>,
    /// Operands that are results of the call, with the flag that they hold instead of a register.
    results: Vec<(usize, Option<String>)>,
    flags: Flags,
}

impl Statement {
    fn new(module: Module, call: Value, constraints: &[Constraint]) -> Statement {
        let mut statement = Statement {
            module,
            builder: Builder::before(module, call),
            call,
            before: call.previous(),
            places: Vec::new(),
            registers: HashMap::new(),
            results: Vec::new(),
            flags: Flags::default(),
        };
        statement.place_operands(constraints);
        statement
    }

    fn place_operands(&mut self, constraints: &[Constraint]) {
        let direct = constraints.iter().filter(|c| c.output && !c.indirect).count();
        let mut arguments = self.call.arguments().into_iter().enumerate();
        for (i, constraint) in constraints.iter().enumerate() {
            if let Some(name) = constraint.register.as_ref().filter(|r| !r.starts_with('@')) {
                self.registers.entry(name.clone()).or_insert(i);
            }
            if constraint.output && !constraint.indirect {
                let ty = self.call.ty();
                let ty = if direct > 1 { ty.fields()[self.results.len()] } else { ty };
                let flag = constraint.register.clone().filter(|r| r.starts_with('@'));
                self.results.push((i, flag));
                self.places.push(Place::Register(None, ty));
                continue;
            }
            let Some((nth, argument)) = arguments.next() else { return };
            match constraint.tied.filter(|_| !constraint.indirect) {
                Some(output) if output < i => {
                    let ty = self.places[output].ty();
                    if argument.ty() == ty && matches!(self.places[output], Place::Register(..)) {
                        self.places[output] = Place::Register(Some(argument), ty);
                    }
                    self.places.push(Place::Register(Some(argument), argument.ty()));
                }
                _ if constraint.indirect => {
                    let ty = self.call.argument_element_type(nth as u32).unwrap_or(argument.ty());
                    self.places.push(Place::Memory(argument, ty));
                }
                _ => self.places.push(Place::Register(Some(argument), argument.ty())),
            }
        }
    }

    /// `cpuid`, with what saves a register around it: a processor with nothing but the basic set.
    fn processor(&mut self, instructions: &[Instruction]) -> Option<()> {
        let saving = |i: &Instruction| ["xchg", "mov", "cpuid"].iter().any(|name| i.name.starts_with(name));
        if !instructions.iter().all(saving) {
            return None;
        }
        let half = self.builder.int(32);
        let zero = Value::const_int(half, 0);
        let input = |register: &str| {
            let place = self.registers.get(register).map(|i| self.places[*i]);
            match place {
                Some(Place::Register(Some(value), ty)) if ty == half => value,
                _ => zero,
            }
        };
        let (leaf, subleaf) = (input("ax"), input("cx"));
        let model = self.module.declare("__ordain_cpuid", Type::function(half, &[half; 3]));
        for (i, _) in &self.results {
            let name = self.registers.iter().find(|(_, at)| *at == i).map(|(name, _)| name.as_str());
            let which = match name {
                Some("ax") => 0,
                Some("cx") => 2,
                Some("dx") => 3,
                // A register of the compiler's choice is where the fourth one was saved to.
                _ => 1,
            };
            let value = self.builder.call(model, &[leaf, subleaf, Value::const_int(half, which)]);
            self.places[*i] = Place::Register(Some(value), half);
        }
        Some(())
    }

    fn execute(&mut self, instruction: &Instruction) -> Option<()> {
        let operands = &instruction.operands[..];
        let (name, width) = base_name(&instruction.name);
        match (name, operands) {
            ("nop" | "pause", []) => self.pause(),
            // Where the code lies is nothing that a program can notice.
            (".p2align" | ".balign" | ".align", _) => {}
            ("mfence", []) => self.builder.fence(AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent),
            ("lfence", []) => self.builder.fence(AtomicOrdering::LLVMAtomicOrderingAcquire),
            ("sfence", []) => self.builder.fence(AtomicOrdering::LLVMAtomicOrderingRelease),
            ("add" | "or", [Written::Number(0), Written::Text(stack)])
                if instruction.locked && stack.contains("sp)") =>
            {
                self.builder.fence(AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent)
            }
            ("rdtsc", []) => self.time()?,
            ("mov", [from, to]) => {
                let value = self.read(from, self.type_of(to)?)?;
                self.write(to, value)?;
            }
            ("xchg", [a, b]) => self.exchange(a, b)?,
            ("xadd", [a, b]) => {
                let (old, new) = self.modify(instruction.locked, "add", b, self.read(a, self.type_of(b)?)?)?;
                self.set_flags(new);
                self.write(a, old)?;
            }
            ("cmpxchg", [new, target]) if instruction.locked => self.compare_exchange(new, target)?,
            ("inc" | "dec", [target]) => {
                let one = Value::const_int(self.type_of(target)?, 1);
                let (_, new) =
                    self.modify(instruction.locked, if name == "inc" { "add" } else { "sub" }, target, one)?;
                self.set_flags(new);
            }
            ("add" | "sub" | "and" | "or" | "xor", [from, target]) => {
                let value = self.read(from, self.type_of(target)?)?;
                let (_, new) = self.modify(instruction.locked, name, target, value)?;
                self.set_flags(new);
            }
            ("bts" | "btr" | "btc", [bit, target]) => self.bit(instruction.locked, name, bit, target)?,
            ("bswap", [target]) => self.swap_bytes(target)?,
            ("rol" | "ror", [by, target]) => self.rotate(name, by, target)?,
            (_, [target]) if name.starts_with("set") => {
                let flag = self.flag(&name[3..])?;
                let value = self.builder.resize(flag, self.type_of(target)?);
                self.write(target, value)?;
            }
            _ => return None,
        }
        let fits = |operand: &Written| match operand {
            Written::Operand(nth) => self.places.get(*nth).and_then(|p| p.ty().int_width()) == width,
            _ => true,
        };
        (width.is_none() || operands.iter().all(fits)).then_some(())
    }

    fn pause(&self) {
        let ty = Type::function(Type::void(self.builder.context), &[]);
        self.builder.call(self.module.declare("llvm.x86.sse2.pause", ty), &[]);
    }

    fn place(&self, operand: &Written) -> Option<(usize, Place)> {
        let nth = match operand {
            Written::Operand(nth) => *nth,
            Written::Text(register) => {
                let name = register.strip_prefix('%')?.trim_start_matches(['r', 'e']);
                *self.registers.get(name)?
            }
            Written::Number(_) => return None,
        };
        Some((nth, *self.places.get(nth)?))
    }

    /// Integers only: nothing here computes with anything else.
    fn type_of(&self, operand: &Written) -> Option<Type> {
        self.place(operand).map(|(_, place)| place.ty()).filter(|ty| ty.int_width().is_some_and(|w| w <= 64))
    }

    fn read(&self, operand: &Written, ty: Type) -> Option<Value> {
        if let Written::Number(number) = operand {
            return Some(Value::const_int(ty, *number as u64));
        }
        match self.place(operand)?.1 {
            Place::Register(Some(value), own) if own == ty => Some(value),
            // A constant that was given with a wider type than it is used with.
            Place::Register(Some(value), own) if own.int_width().is_some() => {
                value.as_int().map(|value| Value::const_int(ty, value))
            }
            Place::Memory(address, own) if own == ty => Some(self.builder.load(ty, address, 1)),
            _ => None,
        }
    }

    fn write(&mut self, operand: &Written, value: Value) -> Option<()> {
        let (nth, place) = self.place(operand)?;
        match place {
            _ if place.ty() != value.ty() => return None,
            Place::Register(_, ty) => self.places[nth] = Place::Register(Some(value), ty),
            Place::Memory(address, _) => {
                self.builder.store(value, address, 1);
            }
        }
        Some(())
    }

    /// Old and new value of `target`.
    fn modify(&mut self, locked: bool, name: &str, target: &Written, value: Value) -> Option<(Value, Value)> {
        let (atomic, plain) = match name {
            "add" => (AtomicRmw::LLVMAtomicRMWBinOpAdd, Opcode::LLVMAdd),
            "sub" => (AtomicRmw::LLVMAtomicRMWBinOpSub, Opcode::LLVMSub),
            "and" => (AtomicRmw::LLVMAtomicRMWBinOpAnd, Opcode::LLVMAnd),
            "or" => (AtomicRmw::LLVMAtomicRMWBinOpOr, Opcode::LLVMOr),
            _ => (AtomicRmw::LLVMAtomicRMWBinOpXor, Opcode::LLVMXor),
        };
        if let (true, Place::Memory(address, _)) = (locked, self.place(target)?.1) {
            let old = self.builder.atomic_rmw(atomic, address, value);
            return Some((old, self.builder.binary(plain, old, value)));
        }
        let old = self.read(target, value.ty())?;
        let new = self.builder.binary(plain, old, value);
        self.write(target, new)?;
        Some((old, new))
    }

    /// With memory this is atomic, locked or not.
    fn exchange(&mut self, a: &Written, b: &Written) -> Option<()> {
        let (register, other) = if matches!(self.place(a)?.1, Place::Memory(..)) { (b, a) } else { (a, b) };
        let value = self.read(register, self.type_of(other)?)?;
        let old = match self.place(other)?.1 {
            Place::Memory(address, _) => self.builder.atomic_rmw(AtomicRmw::LLVMAtomicRMWBinOpXchg, address, value),
            Place::Register(old, _) => {
                self.write(other, value)?;
                old?
            }
        };
        self.write(register, old)
    }

    fn compare_exchange(&mut self, new: &Written, target: &Written) -> Option<()> {
        let Place::Memory(address, ty) = self.place(target)?.1 else { return None };
        let accumulator = Written::Text("%ax".into());
        let (expected, new) = (self.read(&accumulator, ty)?, self.read(new, ty)?);
        let both = self.builder.compare_exchange(address, expected, new);
        self.flags = Flags { zero: Some(self.builder.extract(both, 1)), ..Flags::default() };
        self.write(&accumulator, self.builder.extract(both, 0))
    }

    /// The bit may lie outside of the operand: it counts from its address on.
    fn bit(&mut self, locked: bool, name: &str, bit: &Written, target: &Written) -> Option<()> {
        let Place::Memory(address, ty) = self.place(target)?.1 else { return None };
        let bits = u64::from(ty.int_width().filter(|w| [16, 32, 64].contains(w))?);
        let number = match self.place(bit) {
            Some((_, place)) => self.read(bit, place.ty())?,
            None => self.read(bit, ty)?,
        };
        let (builder, word) = (&self.builder, self.builder.int(64));
        let number = builder.resize_signed(number, word);
        let constant = |value: u64| Value::const_int(word, value);
        let nth = builder.binary(Opcode::LLVMAShr, number, constant(bits.trailing_zeros().into()));
        let cell = builder.offset(address, builder.binary(Opcode::LLVMMul, nth, constant(bits / 8)));
        let within = builder.resize(builder.binary(Opcode::LLVMAnd, number, constant(bits - 1)), ty);
        let mask = builder.binary(Opcode::LLVMShl, Value::const_int(ty, 1), within);
        let all = Value::const_int(ty, u64::MAX);
        let (atomic, plain, operand) = match name {
            "bts" => (AtomicRmw::LLVMAtomicRMWBinOpOr, Opcode::LLVMOr, mask),
            "btc" => (AtomicRmw::LLVMAtomicRMWBinOpXor, Opcode::LLVMXor, mask),
            _ => (AtomicRmw::LLVMAtomicRMWBinOpAnd, Opcode::LLVMAnd, builder.binary(Opcode::LLVMXor, mask, all)),
        };
        let old = if locked {
            builder.atomic_rmw(atomic, cell, operand)
        } else {
            let old = builder.load(ty, cell, 1);
            builder.store(builder.binary(plain, old, operand), cell, 1);
            old
        };
        let was = builder.binary(Opcode::LLVMAnd, old, mask);
        let carry = builder.compare(IntPredicate::LLVMIntNE, was, Value::const_int(ty, 0));
        self.flags = Flags { carry: Some(carry), ..Flags::default() };
        Some(())
    }

    fn swap_bytes(&mut self, target: &Written) -> Option<()> {
        let ty = self.type_of(target)?;
        let name = format!("llvm.bswap.i{}", ty.int_width().filter(|w| [32, 64].contains(w))?);
        let value = self.read(target, ty)?;
        let swapped = self.builder.call(self.module.declare(&name, Type::function(ty, &[ty])), &[value]);
        self.write(target, swapped)
    }

    fn rotate(&mut self, name: &str, by: &Written, target: &Written) -> Option<()> {
        let ty = self.type_of(target)?;
        let by = match self.place(by) {
            Some((_, place)) => self.builder.resize(self.read(by, place.ty())?, ty),
            None => self.read(by, ty)?,
        };
        let direction = if name == "rol" { "fshl" } else { "fshr" };
        let function = format!("llvm.{direction}.i{}", ty.int_width()?);
        let value = self.read(target, ty)?;
        let function = self.module.declare(&function, Type::function(ty, &[ty; 3]));
        let rotated = self.builder.call(function, &[value, value, by]);
        self.write(target, rotated)
    }

    fn time(&mut self) -> Option<()> {
        let (half, word) = (self.builder.int(32), self.builder.int(64));
        let now = cycles(self.module, &self.builder);
        let high = self.builder.binary(Opcode::LLVMLShr, now, Value::const_int(word, 32));
        for (register, value) in [("%ax", now), ("%dx", high)] {
            let register = Written::Text(register.into());
            if let Some(ty) = self.type_of(&register) {
                let value = self.builder.resize(self.builder.resize(value, half), ty);
                self.write(&register, value)?;
            }
        }
        Some(())
    }

    fn set_flags(&mut self, result: Value) {
        let zero = Value::const_int(result.ty(), 0);
        self.flags = Flags {
            zero: Some(self.builder.compare(IntPredicate::LLVMIntEQ, result, zero)),
            sign: Some(self.builder.compare(IntPredicate::LLVMIntSLT, result, zero)),
            carry: None,
        };
    }

    /// A condition of one bit.
    fn flag(&self, condition: &str) -> Option<Value> {
        let (flag, holds) = match condition {
            "e" | "z" => (self.flags.zero, true),
            "ne" | "nz" => (self.flags.zero, false),
            "c" | "b" => (self.flags.carry, true),
            "nc" | "ae" => (self.flags.carry, false),
            "s" => (self.flags.sign, true),
            "ns" => (self.flags.sign, false),
            _ => return None,
        };
        let zero = Value::const_int(self.builder.int(1), 0);
        flag.map(|flag| if holds { flag } else { self.builder.compare(IntPredicate::LLVMIntEQ, flag, zero) })
    }

    /// Gives the call's results to those who use them. A register that nothing was put into has no value.
    fn finish(&mut self) {
        let mut values = Vec::new();
        for (i, flag) in &self.results {
            let Place::Register(value, ty) = self.places[*i] else { continue };
            let flag = flag.as_ref().and_then(|f| self.flag(f.trim_start_matches("@cc")));
            let value = flag.map(|flag| self.builder.resize(flag, ty)).or(value);
            values.push(value.unwrap_or(Value::undef(ty)));
        }
        match values[..] {
            [] => {}
            [value] => self.call.replace_with(value),
            _ => {
                let mut whole = Value::poison(self.call.ty());
                for (i, value) in values.into_iter().enumerate() {
                    whole = self.builder.insert(whole, value, i as u32);
                }
                self.call.replace_with(whole);
            }
        }
    }

    /// Removes what was made of a statement that turned out not to be understood.
    fn undo(&self) {
        while let Some(last) = self.call.previous().filter(|last| Some(*last) != self.before) {
            last.erase();
        }
    }
}

/// The name without the letter for the width, and that width.
fn base_name(name: &str) -> (&str, Option<u32>) {
    const NAMES: [&str; 17] = [
        "mov", "xchg", "xadd", "cmpxchg", "inc", "dec", "add", "sub", "and", "or", "xor", "bts", "btr", "btc", "bswap",
        "rol", "ror",
    ];
    if NAMES.contains(&name) {
        return (name, None);
    }
    let width = match name.chars().last() {
        Some('b') => 8,
        Some('w') => 16,
        Some('l') => 32,
        Some('q') => 64,
        _ => return (name, None),
    };
    match NAMES.iter().find(|base| **base == &name[..name.len() - 1]) {
        Some(base) => (base, Some(width)),
        None => (name, None),
    }
}
