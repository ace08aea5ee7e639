//! Linking Ordain's models of library functions.

use super::symbols;
use crate::error::Refusal;
use crate::llvm::Module;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The attribute that functions from the models carry in canonical bitcode.
pub(crate) const MODEL: &str = "ordain.model";

/// Links all models. What the program defines itself keeps its own definition; what nobody needs is dropped later,
/// since models are internal to the module.
pub(super) fn link(module: Module) -> Result<(), Refusal> {
    for (name, bytes) in MODELS {
        let broken = |reason| Refusal::Internal(format!("model {name}: {reason}"));
        let model = module.context().parse(name, bytes).map_err(broken)?;
        for function in model.functions().into_iter().filter(|f| !f.is_declaration()) {
            function.set_attribute(MODEL);
            let name = function.name();
            if symbols::is_defined(module, &name) {
                function.set_name(&format!("ordain.model.{name}"));
            }
        }
        module.link(model).map_err(broken)?;
    }
    for function in module.functions().into_iter().filter(|f| !f.is_declaration() && f.has_attribute(MODEL)) {
        function.make_internal();
    }
    Ok(())
}
