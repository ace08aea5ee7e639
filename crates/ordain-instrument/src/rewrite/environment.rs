//! How a runtime tells the program where its environment is.

use super::RewriteError;
use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::Module;

/// The variable in which the models have the environment.
const VARIABLE: &str = "environ";

/// Adds a function `name`, for the runtime to call before the program begins. It does nothing if no model needs to know.
pub(crate) fn emit_setter<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    name: &str,
) -> Result<(), RewriteError> {
    let pointer = context.ptr_type(AddressSpace::default());
    let function = module.add_function(name, context.void_type().fn_type(&[pointer.into()], false), None);
    builder.position_at_end(context.append_basic_block(function, ""));
    let variable = module.get_global(VARIABLE).filter(|global| global.get_initializer().is_some());
    if let (Some(variable), Some(environment)) = (variable, function.get_first_param()) {
        builder.build_store(variable.as_pointer_value(), environment)?;
    }
    builder.build_return(None)?;
    Ok(())
}
