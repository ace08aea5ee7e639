//! What runs before and after `main`: constructors, destructors, and handlers that a program registers.
//!
//! Constructors are called first thing in `main`. A program that has anything to run at its end leaves through a
//! model (`models/process.c`) instead of the plain `exit`; other programs pay nothing.

use crate::llvm::{Builder, Module, Opcode, Type, Value};

/// Functions that register something to run at the end.
const REGISTERING: [&str; 3] = ["atexit", "on_exit", "__cxa_atexit"];
/// The model of `exit` that runs what was registered, and what it calls when that is done.
const LEAVE: &str = "__ordain_exit";
const RUN_DESTRUCTORS: &str = "__ordain_run_destructors";
const EXIT: &str = "exit";

pub(super) fn rewrite(module: Module) {
    let constructors = take_table(module, "llvm.global_ctors");
    let mut destructors = take_table(module, "llvm.global_dtors");
    let Some(main) = module.function("main").filter(|f| !f.is_declaration()) else { return };
    call_first(module, main, &constructors);
    let registers = |name: &str| module.function(name).is_some_and(|f| !f.users().is_empty());
    if destructors.is_empty() && !REGISTERING.into_iter().any(registers) {
        return;
    }
    destructors.reverse();
    define_destructors(module, &destructors);
    leave_through_model(module, main);
}

/// The functions of one of LLVM's tables in the order of their priorities. The table is gone afterwards.
fn take_table(module: Module, name: &str) -> Vec<Value> {
    let Some(table) = module.global(name) else { return Vec::new() };
    let length = table.value_type().array_length() as u32;
    let entries = (0..length).filter_map(|i| table.initializer()?.element(i));
    let mut functions: Vec<(u64, Value)> =
        entries.filter_map(|entry| Some((entry.element(0)?.as_int()?, entry.element(1)?))).collect();
    // Stable: those of one priority run as they stand.
    functions.sort_by_key(|(priority, _)| *priority);
    table.delete_global();
    functions.into_iter().map(|(_, function)| function).filter(|f| f.is_function()).collect()
}

fn call_first(module: Module, main: Value, constructors: &[Value]) {
    let Some(first) = main.instructions().into_iter().find(|i| i.opcode() != Opcode::LLVMAlloca) else { return };
    let builder = Builder::before(module, first);
    for constructor in constructors {
        call(&builder, *constructor);
    }
}

/// Constructors and destructors take nothing; one that wants the arguments of main gets zeros.
fn call(builder: &Builder, function: Value) {
    let arguments: Vec<Value> = function.params().into_iter().map(|p| Value::null(p.ty())).collect();
    builder.call(function, &arguments);
}

fn define_destructors(module: Module, destructors: &[Value]) {
    let ty = Type::function(Type::void(module.context()), &[]);
    let all = module.declare(RUN_DESTRUCTORS, ty);
    let builder = Builder::in_new_block(module, all);
    destructors.iter().for_each(|destructor| call(&builder, *destructor));
    builder.ret(None);
    all.make_internal();
    all.set_attribute(super::MODEL);
}

fn leave_through_model(module: Module, main: Value) {
    let status = Type::int(module.context(), 32);
    let leave = module.declare(LEAVE, Type::function(Type::void(module.context()), &[status]));
    if let Some(exit) = module.function(EXIT).filter(|f| f.is_declaration()) {
        let outside = |user: &Value| user.is_call() && user.called() == exit && user.parent().function() != leave;
        exit.users().into_iter().filter(outside).for_each(|call| call.set_called(leave));
    }
    for ret in main.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMRet) {
        let value = ret.operands().first().copied().filter(|v| v.ty() == status);
        Builder::before(module, ret).call(leave, &[value.unwrap_or(Value::const_int(status, 0))]);
    }
}
