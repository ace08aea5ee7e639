//! Keeping uninitialised variables uninitialised.
//!
//! A variable that is set on one of two paths only would, in a register, be "undefined or one", and LLVM's passes then
//! say one. So that using it stays an error, every local variable starts with a value that the passes know nothing about,
//! the result of a call, which is replaced by "undefined" when they are done.

use crate::llvm::{Builder, Module, Opcode, Type, Value};
use crate::shape;

/// Larger variables stay in memory, where the machine keeps track itself.
const MAX_LEAVES: usize = 16;

/// The functions whose results stand for undefined values, one per type.
pub(super) struct Undefined {
    functions: Vec<(Type, Value)>,
}

impl Undefined {
    pub fn give_to_locals(module: Module) -> Self {
        let mut undefined = Undefined { functions: Vec::new() };
        for function in module.functions() {
            for slot in function.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMAlloca) {
                undefined.give_to(module, slot);
            }
        }
        undefined
    }

    fn give_to(&mut self, module: Module, slot: Value) {
        let ty = slot.allocated_type();
        let small = shape::leaves(module.layout(), ty).is_some_and(|leaves| leaves.len() <= MAX_LEAVES);
        let (true, Some(next)) = (small && slot.operand(0).as_int() == Some(1), slot.next()) else { return };
        let function = match self.functions.iter().find(|(known, _)| *known == ty) {
            Some((_, function)) => *function,
            None => {
                let function = module.add_function("ordain.undefined", Type::function(ty, &[]));
                self.functions.push((ty, function));
                function
            }
        };
        let builder = Builder::before(module, next);
        builder.store(builder.call(function, &[]), slot, slot.alignment());
    }

    /// Ends the pretence: no store of such a value remains, and every other use is of an undefined one.
    pub fn resolve(self) {
        for (ty, function) in self.functions {
            for call in function.users() {
                erase_stores(call);
                call.replace_with(Value::undef(ty));
                call.erase();
            }
            function.delete_function();
        }
    }
}

/// Erases the stores of a value and of its parts.
fn erase_stores(value: Value) {
    for user in value.users() {
        match user.opcode() {
            Opcode::LLVMStore => user.erase(),
            Opcode::LLVMExtractValue => {
                erase_stores(user);
                user.replace_with(Value::undef(user.ty()));
                user.erase();
            }
            _ => {}
        }
    }
}
