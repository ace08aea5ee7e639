//! Computed gotos: the address of a label becomes a small number, and a jump to it a switch.
//!
//! Numbers tell all labels of a program apart and none of them is zero, so comparing and subtracting label addresses, which
//! is all that C programs do with them, works as before.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

pub(super) fn rewrite(module: Module) {
    let mut next = 1;
    for function in module.functions() {
        let jumps: Vec<Value> =
            function.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMIndirectBr).collect();
        let mut labels: Vec<_> = jumps.iter().flat_map(|jump| jump.successors()).collect();
        labels.sort();
        labels.dedup();
        // In the order of the function, so that a build does not depend on where LLVM keeps its blocks.
        let labels: Vec<_> = function.blocks().into_iter().filter(|block| labels.contains(block)).collect();
        let word = Type::int(module.context(), 64);
        let numbered: Vec<_> = labels.into_iter().zip(next..).map(|(l, n)| (l, Value::const_int(word, n))).collect();
        next += numbered.len() as u64;
        for (label, number) in &numbered {
            function.label_address(*label).replace_with(number.as_pointer(Type::pointer(module.context())));
        }
        for jump in jumps {
            let builder = Builder::before(module, jump);
            let number = builder.reinterpret(jump.operand(0), word);
            let targets = jump.successors();
            builder.switch(number, numbered.iter().filter(|(label, _)| targets.contains(label)));
            jump.erase();
        }
    }
}
