//! Which values become addresses: found from where addresses are used, backwards through the whole program.
//!
//! An index into what is known may stay unknown, and so may a condition that only selects between pointers. Sizes that
//! library functions are given are noted where these are called (`arguments`), not where they come from: nearly everything
//! that a program computes ends up in some size.

use crate::rewrite::{callee, instructions_of};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::LLVMTypeKind::LLVMPointerTypeKind;
use inkwell::llvm_sys::core::{
    LLVMCountIncoming, LLVMGetCalledFunctionType, LLVMGetCalledValue, LLVMGetIncomingValue, LLVMGetInstructionOpcode,
    LLVMGetIntrinsicID, LLVMGetNumArgOperands, LLVMGetNumOperands, LLVMGetOperand, LLVMGetTypeKind,
    LLVMGlobalGetValueType, LLVMIsAArgument, LLVMIsAFunction, LLVMIsAInstruction, LLVMTypeOf,
};
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue};
use std::collections::{HashMap, HashSet};

/// The values that become part of an address, or say who is called.
pub(super) struct Flow {
    addresses: HashSet<LLVMValueRef>,
}

impl Flow {
    /// Of the functions that are recorded: all others are the library's.
    pub fn new(functions: &[FunctionValue]) -> Flow {
        let mut search = Search::new(functions);
        for instruction in functions.iter().flat_map(|&function| instructions_of(function)) {
            search.begin(instruction);
        }
        while let Some(value) = search.open.pop() {
            // SAFETY: values of live functions, and nothing has changed since they were found.
            unsafe { search.origins(value) };
        }
        Flow { addresses: search.addresses }
    }

    pub fn is_address(&self, instruction: InstructionValue) -> bool {
        self.addresses.contains(&instruction.as_value_ref())
    }
}

/// How the functions of the program call each other.
struct Search {
    addresses: HashSet<LLVMValueRef>,
    open: Vec<LLVMValueRef>,
    /// Which parameter of which function a value is, by its number.
    parameters: HashMap<LLVMValueRef, (LLVMValueRef, u32)>,
    returned: HashMap<LLVMValueRef, Vec<LLVMValueRef>>,
    calls: HashMap<LLVMValueRef, Vec<LLVMValueRef>>,
    /// Calls through a pointer may lead to any function of their type.
    indirect: HashMap<LLVMTypeRef, Vec<LLVMValueRef>>,
}

impl Search {
    fn new(functions: &[FunctionValue]) -> Search {
        let mut search = Search {
            addresses: HashSet::new(),
            open: Vec::new(),
            parameters: HashMap::new(),
            returned: HashMap::new(),
            calls: functions.iter().map(|function| (function.as_value_ref(), Vec::new())).collect(),
            indirect: HashMap::new(),
        };
        for &function in functions {
            let raw = function.as_value_ref();
            let parameters = (0u32..).zip(function.get_param_iter());
            search.parameters.extend(parameters.map(|(nth, parameter)| (parameter.as_value_ref(), (raw, nth))));
            for instruction in instructions_of(function) {
                search.list(raw, instruction);
            }
        }
        search
    }

    fn list(&mut self, function: LLVMValueRef, instruction: InstructionValue) {
        let raw = instruction.as_value_ref();
        match instruction.get_opcode() {
            // SAFETY: a return has at most one operand.
            InstructionOpcode::Return if instruction.get_num_operands() == 1 => unsafe {
                self.returned.entry(function).or_default().push(LLVMGetOperand(raw, 0));
            },
            InstructionOpcode::Call | InstructionOpcode::Invoke => match callee(instruction) {
                // SAFETY: a live call.
                None => unsafe {
                    self.indirect.entry(LLVMGetCalledFunctionType(raw)).or_default().push(raw);
                },
                Some(called) => {
                    if let Some(calls) = self.calls.get_mut(&called.as_value_ref()) {
                        calls.push(raw);
                    }
                }
            },
            _ => {}
        }
    }

    fn add(&mut self, value: LLVMValueRef) {
        if self.addresses.insert(value) {
            self.open.push(value);
        }
    }

    /// The operands of an instruction that are addresses by themselves.
    fn begin(&mut self, instruction: InstructionValue) {
        use InstructionOpcode::*;
        let raw = instruction.as_value_ref();
        // SAFETY: instructions of these kinds have these operands.
        unsafe {
            match instruction.get_opcode() {
                Load | AtomicRMW | AtomicCmpXchg => self.add(LLVMGetOperand(raw, 0)),
                // How much of the stack is taken is as good as one.
                Alloca => self.add(LLVMGetOperand(raw, 0)),
                Store => self.add(LLVMGetOperand(raw, 1)),
                Call | Invoke => {
                    self.add(LLVMGetCalledValue(raw));
                    if callee(instruction).is_none_or(|called| !self.calls.contains_key(&called.as_value_ref())) {
                        let arguments = (0..LLVMGetNumArgOperands(raw)).map(|nth| LLVMGetOperand(raw, nth));
                        arguments.filter(|&value| is_pointer(value)).for_each(|value| self.add(value));
                    }
                }
                _ => {}
            }
        }
    }

    /// What an address was made of.
    ///
    /// # Safety
    /// `value` is live.
    unsafe fn origins(&mut self, value: LLVMValueRef) {
        use LLVMOpcode::*;
        // SAFETY: the caller's promise; operands are asked for only where there are some.
        unsafe {
            if !LLVMIsAArgument(value).is_null() {
                self.arguments(value);
                return;
            }
            if LLVMIsAInstruction(value).is_null() {
                return;
            }
            match LLVMGetInstructionOpcode(value) {
                // From here on it is in the log, or known.
                LLVMLoad | LLVMAlloca | LLVMAtomicRMW | LLVMAtomicCmpXchg => {}
                // What was compared only decides.
                LLVMICmp | LLVMFCmp => {}
                LLVMGetElementPtr => self.add(LLVMGetOperand(value, 0)),
                LLVMSelect => (1..3).for_each(|nth| self.add(LLVMGetOperand(value, nth))),
                LLVMPHI => (0..LLVMCountIncoming(value)).for_each(|nth| self.add(LLVMGetIncomingValue(value, nth))),
                LLVMCall | LLVMInvoke => self.results(value),
                _ => (0..LLVMGetNumOperands(value) as u32).for_each(|nth| self.add(LLVMGetOperand(value, nth))),
            }
        }
    }

    /// # Safety
    /// `parameter` is a live parameter of a function.
    unsafe fn arguments(&mut self, parameter: LLVMValueRef) {
        let Some(&(function, nth)) = self.parameters.get(&parameter) else { return };
        let calls = self.calls.get(&function).cloned().unwrap_or_default();
        // SAFETY: a live function.
        let ty = unsafe { LLVMGlobalGetValueType(function) };
        let indirect = self.indirect.get(&ty).cloned();
        for call in calls.into_iter().chain(indirect.unwrap_or_default()) {
            // SAFETY: a live call, asked for as many arguments as there are.
            unsafe {
                if nth < LLVMGetNumArgOperands(call) {
                    self.add(LLVMGetOperand(call, nth));
                }
            }
        }
    }

    /// # Safety
    /// `call` is a live call.
    unsafe fn results(&mut self, call: LLVMValueRef) {
        // SAFETY: the caller's promise.
        let called = unsafe { LLVMGetCalledValue(call) };
        if let Some(returned) = self.returned.get(&called).cloned() {
            returned.into_iter().for_each(|value| self.add(value));
            return;
        }
        // SAFETY: a live call, asked for as many arguments as there are.
        unsafe {
            if LLVMIsAFunction(called).is_null() {
                let ty = LLVMGetCalledFunctionType(call);
                let of_type = self.returned.iter().filter(|(function, _)| LLVMGlobalGetValueType(**function) == ty);
                let returned: Vec<LLVMValueRef> = of_type.flat_map(|(_, values)| values).copied().collect();
                returned.into_iter().for_each(|value| self.add(value));
            } else if LLVMGetIntrinsicID(called) != 0 {
                (0..LLVMGetNumArgOperands(call)).for_each(|nth| self.add(LLVMGetOperand(call, nth)));
            }
        }
    }
}

/// # Safety
/// `value` is live.
unsafe fn is_pointer(value: LLVMValueRef) -> bool {
    // SAFETY: the caller's promise.
    unsafe { LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind }
}
