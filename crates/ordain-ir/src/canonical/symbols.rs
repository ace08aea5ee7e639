//! What the linker would settle: second names, and names that may be missing.

use crate::builtins;
use crate::llvm::{Module, Value};

/// Every use of an alias becomes one of what it stands for.
pub(super) fn resolve_aliases(module: Module) {
    for alias in module.aliases() {
        alias.replace_with(alias.aliasee());
        // Without uses and without a name to the outside it is dropped later.
        alias.make_internal();
    }
}

/// Whether the program has a definition of this name that others see: a function, a variable, or another name for one.
pub(super) fn is_defined(module: Module, name: &str) -> bool {
    let own = [module.function(name), module.global(name)];
    own.into_iter().flatten().any(|own| own.is_visible_definition()) || module.alias(name).is_some()
}

/// A weak symbol that nobody defines has the address zero.
pub(super) fn resolve_missing(module: Module) {
    let functions = module.functions().into_iter().filter(|f| builtins::meaning(&f.name()).is_none());
    let missing = functions.chain(module.globals()).filter(|v| v.is_declaration() && v.is_weak_reference());
    for symbol in missing.collect::<Vec<_>>() {
        symbol.replace_with(Value::null(symbol.ty()));
    }
}
