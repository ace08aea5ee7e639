//! Variable numbers of arguments.
//!
//! A variadic function gets one more parameter in the place of `...`: where its further arguments are. Whoever calls it
//! puts them into memory of its own, laid out as the x86-64 calling convention lays them out on the stack. Clang's code
//! for `va_arg` first asks whether an argument came in a register; `va_start` lets it believe that all registers are
//! used up. So a `va_list` here is one that a native library understands too. Functions outside of the program keep their
//! type, and what is called through a pointer is ours.

use super::MODEL;
use super::thunks::calls;
use crate::llvm::{Builder, Module, Opcode, Type, Value, ValueKind};

/// Where clang's code looks for the next argument in a register, when there are none left.
const NO_INTEGER_REGISTERS: u64 = 48;
const NO_VECTOR_REGISTERS: u64 = 176;
const LIST_BYTES: u64 = 24;
const LIST_ALIGN: u32 = 8;
const SLOT_BYTES: u64 = 8;
const AREA_ALIGN: u32 = 16;

/// Functions with a twin that takes a `va_list`.
const TWINS: &[(&str, &str)] = &[
    ("printf", "vprintf"),
    ("fprintf", "vfprintf"),
    ("dprintf", "vdprintf"),
    ("sprintf", "vsprintf"),
    ("snprintf", "vsnprintf"),
    ("asprintf", "vasprintf"),
    ("scanf", "vscanf"),
    ("fscanf", "vfscanf"),
    ("sscanf", "vsscanf"),
    ("syslog", "vsyslog"),
    ("err", "verr"),
    ("errx", "verrx"),
    ("warn", "vwarn"),
    ("warnx", "vwarnx"),
];

pub(super) fn rewrite(module: Module) {
    for function in module.functions().into_iter().filter(|f| f.value_type().is_variadic() && !f.is_llvms_own()) {
        if !function.is_declaration() {
            let own = module.with_type(function, with_area(module, function.value_type()));
            rewrite_lists(module, own);
        } else if function.users().iter().any(|user| !calls(*user, function)) {
            introduce_thunk(module, function);
        }
    }
    for function in module.functions() {
        rewrite_calls(module, function);
    }
}

/// The same function type with the place of further arguments instead of `...`.
fn with_area(module: Module, ty: Type) -> Type {
    let mut params = ty.params();
    params.push(Type::pointer(module.context()));
    Type::function(ty.result(), &params)
}

/// `va_start`, `va_copy` and `va_end` in a function that has got its new parameter.
fn rewrite_lists(module: Module, function: Value) {
    let Some(area) = function.params().last().copied() else { return };
    for call in function.instructions().into_iter().filter(|i| i.is_call()) {
        let name = call.called().name();
        let builder = Builder::before(module, call);
        match name.split('.').nth(1) {
            Some("va_start") if name.starts_with("llvm.") => start_list(module, &builder, call.arguments()[0], area),
            _ => continue,
        }
        call.erase();
    }
}

fn start_list(module: Module, builder: &Builder, list: Value, area: Value) {
    let half = builder.int(32);
    builder.store(Value::const_int(half, NO_INTEGER_REGISTERS), list, LIST_ALIGN);
    builder.store(Value::const_int(half, NO_VECTOR_REGISTERS), builder.byte_offset(list, 4), 4);
    builder.store(area, builder.byte_offset(list, 8), LIST_ALIGN);
    builder.store(Value::null(Type::pointer(module.context())), builder.byte_offset(list, 16), LIST_ALIGN);
}

/// Calls of our own variadic functions and through pointers to variadic functions; copies and ends of lists.
fn rewrite_calls(module: Module, function: Value) {
    let mut area = Area { function, slot: None };
    for call in function.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMCall) {
        let callee = call.called();
        let builder = Builder::before(module, call);
        match callee.name().as_str() {
            "llvm.va_end.p0" | "llvm.va_end" => call.erase(),
            "llvm.va_copy.p0" | "llvm.va_copy" => {
                let lists = call.arguments();
                builder.copy_memory(lists[0], lists[1], LIST_ALIGN, LIST_BYTES);
                call.erase();
            }
            _ => {
                if let Some(fixed) = fixed_arguments(call, callee) {
                    area.pass(module, &builder, call, fixed);
                }
            }
        }
    }
}

/// How many arguments come before those of variable number; none if the call is not one to rewrite.
fn fixed_arguments(call: Value, callee: Value) -> Option<usize> {
    let ty = call.called_type();
    if !ty.is_variadic() || callee.kind() == ValueKind::LLVMInlineAsmValueKind {
        return None;
    }
    let fixed = ty.params().len();
    if !callee.is_function() {
        return Some(fixed);
    }
    // Retyped, a function of ours has the place of further arguments in addition.
    let own = !callee.is_declaration() && callee.value_type().params().len() == fixed + 1;
    own.then_some(fixed)
}

/// Memory in a function's frame for the arguments that it passes: one for all its calls, since arguments are stored right
/// before the call and belong to the callee.
struct Area {
    function: Value,
    slot: Option<(Value, u64)>,
}

impl Area {
    fn pass(&mut self, module: Module, builder: &Builder, call: Value, fixed: usize) {
        let (given, further) = (call.arguments(), call.arguments().split_off(fixed));
        let mut offset = 0u64;
        let mut places = Vec::new();
        for (i, value) in further.iter().enumerate() {
            let by_value = call.byval_argument((fixed + i) as u32);
            let ty = by_value.unwrap_or(value.ty());
            offset = offset.next_multiple_of(u64::from(module.layout().align(ty)).max(SLOT_BYTES));
            places.push((offset, by_value));
            offset = (offset + module.layout().size(ty)).next_multiple_of(SLOT_BYTES);
        }
        let slot = if offset == 0 { Value::null(Type::pointer(module.context())) } else { self.slot(module, offset) };
        for (value, (offset, by_value)) in further.into_iter().zip(places) {
            let place = builder.byte_offset(slot, offset);
            match by_value {
                Some(ty) => builder.copy_memory(place, value, SLOT_BYTES as u32, module.layout().size(ty)),
                None => {
                    builder.store(value, place, SLOT_BYTES as u32);
                }
            }
        }
        let arguments = [&given[..fixed], &[slot]].concat();
        let new = builder.call_as(with_area(module, call.called_type()), call.called(), &arguments);
        new.copy_argument_attributes(call, fixed);
        call.replace_with(new);
        call.erase();
    }

    /// The memory, which grows with the largest call.
    fn slot(&mut self, module: Module, bytes: u64) -> Value {
        if let Some((slot, size)) = self.slot
            && size >= bytes
        {
            return slot;
        }
        let blocks = self.function.blocks();
        let first = blocks.first().and_then(|b| b.first_instruction()).unwrap_or_else(|| unreachable!("it has a call"));
        let builder = Builder::before(module, first);
        let slot = builder.alloca(builder.int(8).array(bytes));
        slot.set_alignment(AREA_ALIGN);
        if let Some((smaller, _)) = self.slot.replace((slot, bytes)) {
            smaller.replace_with(slot);
            smaller.erase();
        }
        slot
    }
}

/// A pointer to a variadic function that the program does not define goes to a function of ours that hands the
/// arguments on as a list.
fn introduce_thunk(module: Module, function: Value) {
    let name = function.name();
    let (ty, pointer) = (function.value_type(), Type::pointer(module.context()));
    let thunk = module.add_function(&format!("ordain.thunk.{name}"), with_area(module, ty));
    function.replace_with(thunk);
    function.delete_function();
    let declaration = module.add_function(&name, ty);
    for user in thunk.users().into_iter().filter(|user| calls(*user, thunk)) {
        user.set_called(declaration);
    }
    thunk.make_internal();
    thunk.set_attribute(MODEL);
    let builder = Builder::in_new_block(module, thunk);
    let mut arguments = thunk.params();
    let result = match (TWINS.iter().find(|(own, _)| *own == name), arguments.pop()) {
        (Some((_, twin)), Some(area)) => {
            let list = builder.alloca(builder.int(8).array(LIST_BYTES));
            list.set_alignment(AREA_ALIGN);
            start_list(module, &builder, list, area);
            let mut params = ty.params();
            params.push(pointer);
            arguments.push(list);
            builder.call(module.declare(twin, Type::function(ty.result(), &params)), &arguments)
        }
        // Nobody knows how to hand them on. Where it matters, the function is as unknown here as when called directly.
        _ => builder.call(declaration, &arguments),
    };
    builder.ret(if ty.result().is_void() { None } else { Some(result) });
}
