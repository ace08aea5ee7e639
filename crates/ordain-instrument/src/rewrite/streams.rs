//! Formatted output to streams.
//!
//! Streams are those of the models, which the C library does not know. It knows their descriptors: `fprintf` becomes
//! `dprintf`.

use super::{RewriteError, calls};
use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, InstructionValue};
use ordain_ir::program::Formatter;

/// Where a `FILE` has its descriptor.
const DESCRIPTOR_OFFSET: u64 = 112;

/// Replaces `call`; the builder is before it.
pub(crate) fn print<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    call: InstructionValue<'ctx>,
    formatter: Formatter,
) -> Result<(), RewriteError> {
    let argument = |i: u32| call.get_operand(i).and_then(|o| o.value());
    let Some(BasicValueEnum::PointerValue(stream)) = argument(0) else { return Ok(()) };
    let (number, pointer) = (context.i32_type(), context.ptr_type(AddressSpace::default()));
    let offset = context.i64_type().const_int(DESCRIPTOR_OFFSET, false);
    // SAFETY: within a FILE; if the program passes anything else, the load faults, which the runtime reports.
    let place = unsafe { builder.build_gep(context.i8_type(), stream, &[offset], "")? };
    let descriptor = builder.build_load(number, place, "")?;
    let name = if formatter.list { "vdprintf" } else { "dprintf" };
    let parameters = [number.into(), pointer.into(), pointer.into()];
    let fixed = if formatter.list { &parameters[..] } else { &parameters[..2] };
    let ty = number.fn_type(fixed, !formatter.list);
    let function = module.get_function(name).unwrap_or_else(|| module.add_function(name, ty, None));
    // The last operand is what is called.
    let rest = (formatter.format_at() as u32..call.get_num_operands() - 1).filter_map(argument);
    let arguments: Vec<BasicMetadataValueEnum> =
        std::iter::once(descriptor).chain(rest).map(BasicMetadataValueEnum::from).collect();
    let target = function.as_global_value().as_pointer_value();
    let written = builder.build_indirect_call(ty, target, &arguments, "")?;
    if let Some(count) = written.try_as_basic_value().basic() {
        calls::replace_uses(call, count);
    }
    call.erase_from_basic_block();
    Ok(())
}
