//! Pointers to functions that the program does not define.
//!
//! A call through such a pointer (a destructor that is `free`, say) must be a point like a direct call. So the pointer
//! goes to a small function of our own that makes the direct call.

use super::MODEL;
use crate::llvm::{Builder, Module, Value};

pub(super) fn introduce(module: Module) {
    for function in module.functions() {
        let name = function.name();
        let external = function.is_declaration() && !name.starts_with("llvm.");
        if external && !function.value_type().is_variadic() && function.users().iter().any(|u| !calls(*u, function)) {
            introduce_one(module, function, &name);
        }
    }
}

fn introduce_one(module: Module, function: Value, name: &str) {
    let ty = function.value_type();
    let thunk = module.add_function(&format!("ordain.thunk.{name}"), ty);
    // Constants cannot be changed one use at a time, calls can: all uses go to the thunk, calls come back.
    function.replace_with(thunk);
    function.delete_function();
    let declaration = module.add_function(name, ty);
    for user in thunk.users().into_iter().filter(|user| calls(*user, thunk)) {
        user.set_called(declaration);
    }
    thunk.make_internal();
    thunk.set_attribute(MODEL);
    let builder = Builder::in_new_block(module, thunk);
    let result = builder.call(declaration, &thunk.params());
    builder.ret(if ty.result().is_void() { None } else { Some(result) });
}

/// Whether the instruction calls the function, and does nothing else with it.
pub(super) fn calls(user: Value, function: Value) -> bool {
    user.is_call() && user.called() == function && !user.arguments().contains(&function)
}
