//! Linking Ordain's models of library functions.

use super::symbols;
use crate::error::Refusal;
use crate::llvm::{Module, Type, Value, ValueKind};

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The attribute that functions from the models carry in canonical bitcode.
pub(crate) const MODEL: &str = "ordain.model";

/// Models that take the place of builtins, in programs that need more than those have: others must not pay for it.
/// Each with the functions by which a program shows that it does; of two that define the same, the first one counts.
const ON_DEMAND: &[(&str, &[&str])] = &[
    (
        "mutex_kinds",
        &["pthread_mutexattr_settype", "pthread_mutexattr_setkind_np", "pthread_mutexattr_setrobust", "mtx_init"],
    ),
    ("cancellation", &["pthread_cancel"]),
    (
        "managed_threads",
        &[
            "pthread_key_create",
            "tss_create",
            "__pthread_register_cancel",
            "pthread_attr_setdetachstate",
            "pthread_mutexattr_setrobust",
            "pthread_cancel",
        ],
    ),
];

fn is_wanted(module: Module, model: &str) -> bool {
    let Some((_, signs)) = ON_DEMAND.iter().find(|(name, _)| *name == model) else { return true };
    signs.iter().any(|sign| module.function(sign).is_some()) || (model == "mutex_kinds" && has_mutex_of_kind(module))
}

/// Whether a variable is initialised as a mutex that is not of the default kind.
fn has_mutex_of_kind(module: Module) -> bool {
    module.globals().into_iter().filter_map(|g| g.initializer()).any(contains_mutex_of_kind)
}

fn contains_mutex_of_kind(constant: Value) -> bool {
    if constant.kind() != ValueKind::LLVMConstantStructValueKind
        && constant.kind() != ValueKind::LLVMConstantArrayValueKind
    {
        return false;
    }
    // glibc's: lock, count, owner, users, kind, two short integers, a list.
    let widths: Vec<Option<u32>> = match constant.kind() {
        ValueKind::LLVMConstantStructValueKind => constant.ty().fields().into_iter().map(Type::int_width).collect(),
        _ => Vec::new(),
    };
    const MUTEX: [Option<u32>; 8] = [Some(32), Some(32), Some(32), Some(32), Some(32), Some(16), Some(16), None];
    let parts = constant.operands();
    if widths == MUTEX && parts.get(4).and_then(|kind| kind.as_int()).is_some_and(|kind| kind != 0) {
        return true;
    }
    parts.into_iter().any(contains_mutex_of_kind)
}

/// The names of all library functions that have a model in C.
pub fn modelled_functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().copied()
}

/// Links all models. What the program defines itself keeps its own definition; what nobody needs is dropped later,
/// since models are internal to the module.
pub(super) fn link(module: Module) -> Result<(), Refusal> {
    let mut variables = Vec::new();
    let mut wanted: Vec<_> = MODELS.iter().filter(|(name, _)| is_wanted(module, name)).collect();
    // What was asked for comes before what is there for everybody.
    wanted.sort_by_key(|(name, _)| ON_DEMAND.iter().position(|(on_demand, _)| on_demand == name).unwrap_or(usize::MAX));
    for (name, bytes) in wanted {
        let broken = |reason| Refusal::Internal(format!("model {name}: {reason}"));
        let model = module.context().parse(name, bytes).map_err(broken)?;
        for function in model.functions().into_iter().filter(|f| !f.is_declaration()) {
            function.set_attribute(MODEL);
            yield_to_program(module, name, function);
        }
        for variable in model.globals().into_iter().filter(|g| g.is_visible_definition()) {
            yield_to_program(module, name, variable);
            variables.push(variable.name());
        }
        // The program's half may be at fault: flags and types of damaged bitcode need not go with anything.
        let file = format!("Ordain's model {name}");
        module.link(model).map_err(|reason| Refusal::DoesNotLink { file, reason })?;
    }
    for function in module.functions().into_iter().filter(|f| !f.is_declaration() && f.has_attribute(MODEL)) {
        function.make_internal();
    }
    variables.iter().filter_map(|name| module.global(name)).for_each(|variable| variable.make_internal());
    Ok(())
}

/// Gives a definition of a model another name if the program, or a model before it, has one of its own.
fn yield_to_program(module: Module, model: &str, definition: Value) {
    let name = definition.name();
    if symbols::is_defined(module, &name) {
        definition.set_name(&format!("ordain.model.{model}.{name}"));
    }
}
