//! Linking Ordain's models of library functions.

use super::symbols;
use crate::error::Refusal;
use crate::llvm::{Module, Value};

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The attribute that functions from the models carry in canonical bitcode.
pub(crate) const MODEL: &str = "ordain.model";

/// The names of all library functions that have a model in C.
pub fn modelled_functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().copied()
}

/// Links all models. What the program defines itself keeps its own definition; what nobody needs is dropped later,
/// since models are internal to the module.
pub(super) fn link(module: Module) -> Result<(), Refusal> {
    let mut variables = Vec::new();
    for (name, bytes) in MODELS {
        let broken = |reason| Refusal::Internal(format!("model {name}: {reason}"));
        let model = module.context().parse(name, bytes).map_err(broken)?;
        for function in model.functions().into_iter().filter(|f| !f.is_declaration()) {
            function.set_attribute(MODEL);
            yield_to_program(module, function);
        }
        for variable in model.globals().into_iter().filter(|g| g.is_visible_definition()) {
            yield_to_program(module, variable);
            variables.push(variable.name());
        }
        module.link(model).map_err(broken)?;
    }
    for function in module.functions().into_iter().filter(|f| !f.is_declaration() && f.has_attribute(MODEL)) {
        function.make_internal();
    }
    variables.iter().filter_map(|name| module.global(name)).for_each(|variable| variable.make_internal());
    Ok(())
}

/// Gives a definition of a model another name if the program has one of its own.
fn yield_to_program(module: Module, definition: Value) {
    let name = definition.name();
    if symbols::is_defined(module, &name) {
        definition.set_name(&format!("ordain.model.{name}"));
    }
}
