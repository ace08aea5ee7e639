//! Functions whose name has a meaning.

use crate::builtins::{self, Claim};
use crate::llvm::{Builder, Module, Opcode, Type, Value};

/// Makes names mean what they should: reserved names lose the body that the program may give them, and functions that
/// run atomically begin and end so. Functions that clang was told not to optimise are opened to our passes.
pub(super) fn prepare(module: Module) {
    for function in module.functions() {
        let name = function.name();
        function.remove_known_attribute("optnone");
        if function.is_declaration() {
            continue;
        }
        if builtins::meaning(&name).is_some_and(|m| m.claim == Claim::Reserved) {
            remove_body(module, function, &name);
        } else if builtins::is_atomic_function(&name) {
            // Inlined, the function would lose its name, and its name is its meaning.
            function.remove_known_attribute("alwaysinline");
            function.set_known_attribute("noinline");
            run_atomically(module, function);
        }
    }
}

fn remove_body(module: Module, function: Value, name: &str) {
    let declaration = module.add_function("", function.value_type());
    function.replace_with(declaration);
    function.delete_function();
    declaration.set_name(name);
}

fn run_atomically(module: Module, function: Value) {
    let void = Type::function(Type::void(module.context()), &[]);
    let begin = module.declare(builtins::ATOMIC_BEGIN, void);
    let end = module.declare(builtins::ATOMIC_END, void);
    let mut instructions = function.instructions().into_iter();
    let Some(first) = instructions.find(|i| i.opcode() != Opcode::LLVMAlloca) else { return };
    Builder::before(module, first).call(begin, &[]);
    for ret in function.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMRet) {
        Builder::before(module, ret).call(end, &[]);
    }
}
