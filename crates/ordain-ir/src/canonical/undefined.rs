//! Keeping uninitialised variables uninitialised.
//!
//! A variable that is set on one of two paths only would, in a register, be "undefined or one", and LLVM's passes then
//! say one. So that using it stays an error, every scalar variable starts with a value that the passes know nothing about,
//! the result of a call, which is replaced by "undefined" when they are done.

use crate::llvm::{Builder, Module, Opcode, Type, Value};
use crate::shape;

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
        // Structures are taken apart bit by bit, and a bit that is masked away must not count.
        let scalar = shape::scalar(shape::lanes(ty).0).is_some() && slot.operand(0).as_int() == Some(1);
        let (true, Some(next)) = (scalar, slot.next()) else { return };
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
                call.users().into_iter().filter(|user| user.opcode() == Opcode::LLVMStore).for_each(Value::erase);
                call.replace_with(Value::undef(ty));
                call.erase();
            }
            function.delete_function();
        }
    }
}
