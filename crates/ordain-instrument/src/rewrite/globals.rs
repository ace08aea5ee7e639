//! Global variables are laid apart, and the runtime is told where they are: running over the end of one hits no other.

use super::Rewriter;
use inkwell::AddressSpace;
use inkwell::llvm_sys::core::{
    LLVMDisposeValueMetadataEntries, LLVMGlobalCopyAllMetadata, LLVMGlobalSetMetadata, LLVMValueMetadataEntriesGetKind,
    LLVMValueMetadataEntriesGetMetadata,
};
use inkwell::module::Linkage;
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, BasicValue, GlobalValue, PointerValue};

/// Bytes behind each variable that belong to none.
const GAP_BYTES: u32 = 64;
/// As in the machine: how many accesses a library function makes depends on alignment.
const OBJECT_ALIGNMENT: u32 = 16;
/// The runtime looks for the table and its length by these names.
const TABLE: &str = "ordain_globals";
const TABLE_LENGTH: &str = "ordain_globals_len";

pub(super) fn lay_apart(rewriter: &mut Rewriter<'_, '_>) {
    let variables: Vec<GlobalValue> =
        rewriter.module.get_globals().filter(|g| !g.is_thread_local() && !is_llvms(*g)).collect();
    let mut table = Vec::new();
    for variable in variables {
        let Ok(ty) = BasicTypeEnum::try_from(variable.get_value_type()) else { continue };
        let size = rewriter.layout.get_abi_size(&ty);
        if size == 0 || variable.get_linkage() == Linkage::ExternalWeak {
            continue;
        }
        table.push((with_gap(rewriter, variable, ty), size));
    }
    emit_table(rewriter, &table);
}

/// `llvm.global_ctors` and the like are no variables.
fn is_llvms(variable: GlobalValue) -> bool {
    variable.get_name().to_bytes().starts_with(b"llvm.")
}

/// The variable with a gap behind it, in place of the one without; variables of libraries stay as they are.
fn with_gap<'ctx>(
    rewriter: &Rewriter<'_, 'ctx>,
    old: GlobalValue<'ctx>,
    ty: BasicTypeEnum<'ctx>,
) -> PointerValue<'ctx> {
    let Some(value) = old.get_initializer() else { return old.as_pointer_value() };
    let gap = rewriter.context.i8_type().array_type(GAP_BYTES).const_zero();
    let padded = rewriter.context.const_struct(&[value, gap.into()], true);
    let new = rewriter.module.add_global(padded.get_type(), None, "");
    new.set_initializer(&padded);
    new.set_constant(old.is_constant());
    // Tentative definitions may not have a gap; there is only one module, so they can be plain ones.
    new.set_linkage(if old.get_linkage() == Linkage::Common { Linkage::External } else { old.get_linkage() });
    let align = match old.get_alignment() {
        0 => rewriter.layout.get_preferred_alignment(&ty),
        align => align,
    };
    new.set_alignment(align.max(OBJECT_ALIGNMENT));
    if let Some(section) = old.get_section().and_then(|s| s.to_str().ok()) {
        new.set_section(Some(section));
    }
    copy_metadata(old, new);
    let name = old.get_name().to_string_lossy().into_owned();
    old.set_name("");
    new.set_name(&name);
    old.as_pointer_value().replace_all_uses_with(new.as_pointer_value());
    // SAFETY: nothing uses it any more, and it is not touched again.
    unsafe { old.delete() };
    new.as_pointer_value()
}

/// What debuggers know of a variable, they know of the one in its place.
fn copy_metadata(from: GlobalValue<'_>, to: GlobalValue<'_>) {
    let mut count = 0;
    // SAFETY: live variables of one module; the list is LLVM's until it is given back, and has that many entries.
    unsafe {
        let entries = LLVMGlobalCopyAllMetadata(from.as_value_ref(), &mut count);
        for nth in 0..count as u32 {
            let (kind, metadata) =
                (LLVMValueMetadataEntriesGetKind(entries, nth), LLVMValueMetadataEntriesGetMetadata(entries, nth));
            LLVMGlobalSetMetadata(to.as_value_ref(), kind, metadata);
        }
        LLVMDisposeValueMetadataEntries(entries);
    }
}

fn emit_table<'ctx>(rewriter: &Rewriter<'_, 'ctx>, table: &[(PointerValue<'ctx>, u64)]) {
    let word = rewriter.context.i64_type();
    let pointer = rewriter.context.ptr_type(AddressSpace::default());
    let entry = rewriter.context.struct_type(&[pointer.into(), word.into()], false);
    let entries: Vec<_> = table
        .iter()
        .map(|&(address, size)| entry.const_named_struct(&[address.into(), word.const_int(size, false).into()]))
        .collect();
    let all = entry.const_array(&entries);
    let global = rewriter.module.add_global(all.get_type(), None, TABLE);
    global.set_initializer(&all.as_basic_value_enum());
    let length = rewriter.module.add_global(word, None, TABLE_LENGTH);
    length.set_initializer(&word.const_int(table.len() as u64, false));
    length.set_constant(true);
}
