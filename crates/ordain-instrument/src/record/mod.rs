//! Canonical bitcode → object code that keeps a log of its own path.
//!
//! Every decision of a thread, that is every conditional branch, switch and indirect call that cannot be recomputed, is
//! appended to the log of the thread by inlined code (`fast.ll`): no call, no lock, no atomic, no fence. Bits are written
//! as they come, so the log of a thread that is no more is complete up to its last decision. What comes from outside is
//! reported to the runtime (`calls`). Only then the program is optimised, with possibly shared accesses volatile: what
//! other threads can notice stays as it is in canonical bitcode, which the offline follower walks through.
//!
//! *Bits instead of Ball-Larus numbers*: a path number is known only at the end of its region, so what a thread that
//! crashes has done in its last region is lost, and that is where the failure is. Bits cost a shift, an or and a store.

mod arguments;
mod calls;
mod flow;
mod native;
mod paths;
mod recompute;
mod relaxed;
mod times;
mod values;

use crate::RecordOptions;
use crate::rewrite::{RewriteError, environment, instructions_of, target_machine};
use inkwell::AddressSpace;
use inkwell::OptimizationLevel;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::core::{LLVMGetIntrinsicID, LLVMIsAFunction, LLVMReplaceAllUsesWith};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{FileType, TargetMachine};
use inkwell::values::{AsValueRef, BasicValue, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue};
use native::Native;
use ordain_model::witness::MemoryModel;
use ordain_record::table::Argument;
use ordain_record::{FollowTable, Level};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The metadata that marks points.
const POINT_MARK: &str = "ordain.point";
const USER_MAIN: &str = "ordain_user_main";
const FAST: &str = include_str!("fast.ll");
/// What functions have after their names.
const RECORDED_SUFFIX: &str = ".recorded";
const FAST_PREFIX: &[u8] = b"ordain.rec.";
/// What instrumentation makes untrue.
const LOST_ATTRIBUTES: [&str; 6] = ["memory", "nosync", "nofree", "willreturn", "speculatable", "norecurse"];
/// What sources that were compiled without optimisation have, and optimised code should not.
const UNOPTIMISED: &str = "noinline";
const UNOPTIMISED_TEXT: &str = "frame-pointer";

/// An instrumented program, ready to be linked with the runtime.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordObject {
    pub object: Vec<u8>,
    pub table: FollowTable,
}

/// Instruments `bitcode`, and generates code.
pub(crate) fn rewrite(bitcode: &[u8], options: &RecordOptions) -> Result<RecordObject, RewriteError> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "program");
    let module =
        Module::parse_bitcode_from_buffer(&buffer, &context).map_err(|e| RewriteError::Unreadable(e.to_string()))?;
    let machine = target_machine(&module, OptimizationLevel::Default)?;
    let table = Recorder::new(&context, &module).run(options, &machine)?;
    optimise(&module, &machine)?;
    let object = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(|e| RewriteError::CodeGeneration(e.to_string()))?;
    Ok(RecordObject { object: object.as_slice().to_vec(), table })
}

fn optimise(module: &Module, machine: &TargetMachine) -> Result<(), RewriteError> {
    module.verify().map_err(|e| RewriteError::Invalid(e.to_string()))?;
    let run = |passes: &str| {
        let failed = |e: inkwell::support::LLVMString| RewriteError::CodeGeneration(e.to_string());
        module.run_passes(passes, machine, PassBuilderOptions::create()).map_err(failed)
    };
    // Lines are kept. Where variables are, nobody asks, and to keep track of it takes a good part of the time.
    run("strip-nonlinetable-debuginfo,always-inline,function(sroa)")?;
    run("default<O2>")
}

/// A function of the program, and what is to be done with it.
struct Recorded<'ctx> {
    function: FunctionValue<'ctx>,
    decisions: Vec<paths::Decision<'ctx>>,
    sites: Vec<values::Site<'ctx>>,
    given: Vec<arguments::Given<'ctx>>,
}

struct Recorder<'a, 'ctx> {
    context: &'ctx Context,
    module: &'a Module<'ctx>,
    builder: Builder<'ctx>,
}

impl<'a, 'ctx> Recorder<'a, 'ctx> {
    fn new(context: &'ctx Context, module: &'a Module<'ctx>) -> Self {
        Recorder { context, module, builder: context.create_builder() }
    }

    fn run(&self, options: &RecordOptions, machine: &TargetMachine) -> Result<FollowTable, RewriteError> {
        let &RecordOptions { ref build, level, memory, .. } = options;
        // In this order they are numbered in the `Program`.
        let functions: Vec<FunctionValue> =
            self.module.get_functions().filter(|f| f.count_basic_blocks() > 0).collect();
        self.refuse_what_cannot_be()?;
        let mut table = FollowTable::default();
        let natives: Vec<Option<(String, Native)>> = functions.iter().map(|f| self.native(*f)).collect();
        let own: Vec<FunctionValue> =
            functions.iter().zip(&natives).filter(|(_, native)| native.is_none()).map(|(f, _)| *f).collect();
        let library: Vec<(FunctionValue, Native)> = functions
            .iter()
            .zip(&natives)
            .filter_map(|(function, native)| native.as_ref().map(|(_, native)| (*function, *native)))
            .collect();
        let flow = flow::Flow::new(&own);
        let mut recorded = Vec::new();
        let mut replaced = Vec::new();
        let listed: HashSet<(u32, u32, u32)> = options.private.iter().copied().collect();
        let mut private = HashSet::new();
        let mut slot = 0;
        for (id, (&function, native)) in (0u32..).zip(functions.iter().zip(natives)) {
            if let Some((name, native)) = native {
                table.native.push(id);
                if native == Native::Waits {
                    table.noted.push(id);
                }
                replaced.push((function, name, native));
                continue;
            }
            let blocks = paths::reverse_postorder(function);
            let (decisions, recomputed) = paths::decisions(&blocks);
            private.extend(self.listed(id, &blocks, &listed));
            let sites = values::sites(self, &blocks, level, &flow, &private, &mut slot);
            table.values.extend(sites.iter().map(|site| (id, site.block, site.nth, site.keeping)));
            table.recomputed.extend(recomputed.into_iter().map(|block| (id, block)));
            let given = arguments::given(&blocks, level, &library, &mut slot);
            table.arguments.extend(given.iter().map(|given| Argument { function: id, ..given.argument }));
            recorded.push(Recorded { function, decisions, sites, given });
        }
        self.mark_shared(&recorded, &private);
        self.emit_tables(build, level, memory, &functions);
        self.make_internal(&functions)?;
        let split = self.module.run_passes("function(break-crit-edges)", machine, PassBuilderOptions::create());
        split.map_err(|e| RewriteError::CodeGeneration(e.to_string()))?;
        let fast = MemoryBuffer::create_from_memory_range_copy(FAST.as_bytes(), "fast");
        let fast = self.context.create_module_from_ir(fast).map_err(|e| RewriteError::Invalid(e.to_string()))?;
        self.module.link_in_module(fast).map_err(|e| RewriteError::Invalid(e.to_string()))?;
        replaced.iter().for_each(|(function, ..)| function.as_global_value().set_name("ordain.model"));
        let natives: Vec<_> =
            replaced.into_iter().map(|(f, name, native)| (self.replace_native(f, &name), native)).collect();
        for Recorded { function, decisions, sites, given } in &recorded {
            let unoptimised = Attribute::get_named_enum_kind_id(UNOPTIMISED);
            function.remove_enum_attribute(AttributeLoc::Function, unoptimised);
            function.remove_string_attribute(AttributeLoc::Function, UNOPTIMISED_TEXT);
            if memory != MemoryModel::Sc {
                relaxed::relax(self, &machine.get_target_data(), *function)?;
            }
            let variables = paths::Variables::declare(self, *function)?;
            // First, because calls are replaced with all their uses.
            values::record(self, sites, &variables)?;
            arguments::record(self, given, &variables)?;
            if level.keeps_times() {
                times::record(self, *function, &natives)?;
            }
            let calls = calls::replace(self, *function, &natives)?;
            let has_bits = sites.iter().any(|site| site.keeping.has_bit());
            if has_bits || !given.is_empty() || paths::has_any(decisions, &calls) {
                variables.record(self, *function, decisions, &calls)?;
            }
        }
        for function in self.module.get_functions().filter(|f| f.get_name().to_bytes().starts_with(FAST_PREFIX)) {
            // A linker of modules would have dropped them before they were used.
            function.set_linkage(Linkage::Internal);
        }
        strip_attributes(self.module);
        crate::rewrite::weaken_declarations(self.module);
        Ok(table)
    }

    /// The library's function that takes the place of a model, if the name is free for it.
    fn native(&self, function: FunctionValue<'ctx>) -> Option<(String, Native)> {
        if !crate::rewrite::is_model(function) {
            return None;
        }
        let own = function.get_name().to_str().ok()?;
        let (name, native) = native::native(own)?;
        // The program may have a function of that name itself.
        let other = self.module.get_function(name).filter(|f| *f != function && f.count_basic_blocks() > 0);
        other.is_none_or(crate::rewrite::is_model).then(|| (name.to_owned(), native))
    }

    /// The function gives way to the library's of this name. Its own name it has lost before: another may need it.
    fn replace_native(&self, function: FunctionValue<'ctx>, name: &str) -> FunctionValue<'ctx> {
        let declared = self.module.get_function(name);
        let declaration = declared.unwrap_or_else(|| self.module.add_function(name, function.get_type(), None));
        // SAFETY: pointers both; nothing uses the function afterwards, and nobody holds on to it.
        unsafe {
            LLVMReplaceAllUsesWith(function.as_value_ref(), declaration.as_value_ref());
            function.delete();
        }
        declaration
    }

    /// What recording has no answer to is refused before anything runs.
    fn refuse_what_cannot_be(&self) -> Result<(), RewriteError> {
        const REFUSED: [(&str, &str); 4] = [
            ("pthread_cancel", "it cancels threads"),
            ("vfork", "it uses vfork, whose child would write to its parent's log; fork can be recorded"),
            ("swapcontext", "it switches stacks by itself"),
            ("clone", "it creates threads or processes in a way of its own"),
        ];
        match REFUSED.into_iter().find(|(name, _)| self.module.get_function(name).is_some()) {
            Some((_, why)) => Err(RewriteError::Unsupported(format!("this program cannot be recorded: {why}"))),
            None => Ok(()),
        }
    }

    /// The points of a function that are listed by their numbers. Its blocks are given in the order of theirs.
    fn listed(
        &self,
        function: u32,
        blocks: &[BasicBlock<'ctx>],
        listed: &HashSet<(u32, u32, u32)>,
    ) -> Vec<InstructionValue<'ctx>> {
        let mark = self.context.get_kind_id(POINT_MARK);
        let points = (0u32..).zip(blocks).flat_map(|(block, code)| {
            let points = code.get_instructions().filter(move |i| i.get_metadata(mark).is_some());
            (0u32..).zip(points).map(move |(nth, point)| ((function, block, nth), point))
        });
        points.filter(|(place, _)| listed.contains(place)).map(|(_, point)| point).collect()
    }

    /// Accesses that other threads may notice are neither removed, merged nor moved when the code is optimised.
    fn mark_shared(&self, recorded: &[Recorded<'ctx>], private: &HashSet<InstructionValue<'ctx>>) {
        use InstructionOpcode::{AtomicCmpXchg, AtomicRMW, Load, Store};
        let mark = self.context.get_kind_id(POINT_MARK);
        for instruction in recorded.iter().flat_map(|r| instructions_of(r.function)) {
            let access = matches!(instruction.get_opcode(), Load | Store | AtomicRMW | AtomicCmpXchg);
            if access && instruction.get_metadata(mark).is_some() && !private.contains(&instruction) {
                // Only an instruction that is no access refuses.
                let _ = instruction.set_volatile(true);
            }
        }
    }

    /// The hash of the build, where the functions are, and how the runtime hands over the environment.
    fn emit_tables(&self, build: &[u8; 32], level: Level, memory: MemoryModel, functions: &[FunctionValue<'ctx>]) {
        let (byte, word) = (self.context.i8_type(), self.context.i64_type());
        let pointer = self.context.ptr_type(AddressSpace::default());
        let bytes: Vec<_> = build.iter().map(|&b| byte.const_int(b.into(), false)).collect();
        let pointers: Vec<_> = functions.iter().map(|f| f.as_global_value().as_pointer_value()).collect();
        self.constant("ordain_rec_build", &byte.const_array(&bytes));
        self.constant("ordain_rec_keeps_values", &word.const_int((level != Level::Paths).into(), false));
        let number = crate::plan::memory_model(memory);
        self.constant("ordain_rec_memory", &self.context.i32_type().const_int(number.into(), false));
        self.constant("ordain_rec_functions", &pointer.const_array(&pointers));
        self.constant("ordain_rec_functions_len", &word.const_int(functions.len() as u64, false));
    }

    fn constant(&self, name: &str, value: &dyn BasicValue<'ctx>) {
        let value = value.as_basic_value_enum();
        let global = self.module.add_global(value.get_type(), None, name);
        global.set_initializer(&value);
        global.set_constant(true);
    }

    /// Only the runtime calls into the program, and only these two. Everything else is the optimiser's to do with as it likes.
    fn make_internal(&self, functions: &[FunctionValue<'ctx>]) -> Result<(), RewriteError> {
        let main = self.module.get_function("main").ok_or(RewriteError::NoMain)?;
        for function in functions {
            function.set_linkage(Linkage::Internal);
            // What has a name of the C library's is taken for that, even so: LLVM would compute `toupper` by itself.
            let name = function.get_name().to_string_lossy().into_owned();
            function.as_global_value().set_name(&format!("{name}{RECORDED_SUFFIX}"));
        }
        main.as_global_value().set_name(USER_MAIN);
        main.set_linkage(Linkage::External);
        environment::emit_setter(self.context, self.module, &self.builder, "ordain_rec_set_environment")
    }
}

/// Functions write to their log now, which they may have been known not to, and other things that are no longer so.
fn strip_attributes(module: &Module) {
    let kinds = LOST_ATTRIBUTES.map(Attribute::get_named_enum_kind_id);
    for function in module.get_functions().filter(|f| f.count_basic_blocks() > 0) {
        kinds.iter().for_each(|&kind| function.remove_enum_attribute(AttributeLoc::Function, kind));
        for call in instructions_of(function).into_iter().filter(|i| is_call_of_function(*i)) {
            forget_tail(call);
            if let Ok(call) = CallSiteValue::try_from(call) {
                kinds.iter().for_each(|&kind| call.remove_enum_attribute(AttributeLoc::Function, kind));
            }
        }
    }
}

/// Calls that were marked not to touch their caller's stack may do so by now: what was passed by value is passed as a pointer.
fn forget_tail(call: InstructionValue) {
    use inkwell::llvm_sys::LLVMTailCallKind::{LLVMTailCallKindNone, LLVMTailCallKindTail};
    use inkwell::llvm_sys::core::{LLVMGetTailCallKind, LLVMSetTailCallKind};
    if call.get_opcode() != InstructionOpcode::Call {
        return;
    }
    // SAFETY: a live call.
    unsafe {
        if LLVMGetTailCallKind(call.as_value_ref()) == LLVMTailCallKindTail {
            LLVMSetTailCallKind(call.as_value_ref(), LLVMTailCallKindNone);
        }
    }
}

/// Whether this calls anything but an intrinsic.
fn is_call_of_function(instruction: InstructionValue) -> bool {
    use inkwell::llvm_sys::core::LLVMGetCalledValue;
    if !matches!(instruction.get_opcode(), InstructionOpcode::Call | InstructionOpcode::Invoke) {
        return false;
    }
    // SAFETY: a call has something that it calls, which is asked for its class.
    unsafe {
        let called = LLVMGetCalledValue(instruction.as_value_ref());
        LLVMIsAFunction(called).is_null() || LLVMGetIntrinsicID(called) == 0
    }
}
