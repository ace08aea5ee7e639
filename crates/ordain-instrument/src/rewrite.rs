//! Canonical bitcode → object code that obeys the runtime.
//!
//! Points get a call into the runtime before them, builtins are replaced by their runtime versions, and objects are laid
//! out so that leaving one is noticed. Nothing else changes: no optimisation runs, so that every access that was marked is
//! an access of the machine code. Reads bitcode, so it belongs into a child process.

mod calls;
pub(crate) mod environment;
mod globals;
mod models;
mod points;
mod stack;
pub(crate) mod streams;
mod thread_locals;

pub(crate) use calls::{callee, replace_uses, weaken_declarations};
pub(crate) use models::is_model;
pub(crate) use points::order;

use crate::table::{Site, SiteTable};
use inkwell::OptimizationLevel;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::targets::{
    CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetData, TargetMachine, TargetTriple,
};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue,
};

/// The metadata that marks points.
const POINT_MARK: &str = "ordain.point";
/// What the program's `main` is called beside the runtime's.
const USER_MAIN: &str = "ordain_user_main";

/// An instrumented program, ready to be linked with the runtime.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct ReplayObject {
    pub object: Vec<u8>,
    pub sites: SiteTable,
}

/// Why bitcode could not be instrumented.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RewriteError {
    #[error("the bitcode cannot be read: {0}")]
    Unreadable(String),
    #[error("the program has no main function")]
    NoMain,
    #[error("building instrumented code failed: {0}")]
    Build(#[from] BuilderError),
    #[error("the instrumented code is not valid: {0}")]
    Invalid(String),
    #[error("no machine code could be generated: {0}")]
    CodeGeneration(String),
    #[error("{0}")]
    Unsupported(String),
}

/// Instruments `bitcode` and generates code.
pub(crate) fn rewrite(bitcode: &[u8]) -> Result<ReplayObject, RewriteError> {
    let context = Context::create();
    // The copy is terminated by a zero, which LLVM wants.
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "program");
    let module =
        Module::parse_bitcode_from_buffer(&buffer, &context).map_err(|e| RewriteError::Unreadable(e.to_string()))?;
    let machine = target_machine(&module, OptimizationLevel::None)?;
    let mut rewriter = Rewriter::new(&context, &module, machine.get_target_data());
    rewriter.run()?;
    let sites = rewriter.sites;
    module.verify().map_err(|e| RewriteError::Invalid(e.to_string()))?;
    let object = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(|e| RewriteError::CodeGeneration(e.to_string()))?;
    Ok(ReplayObject { object: object.as_slice().to_vec(), sites })
}

pub(crate) fn target_machine(module: &Module, level: OptimizationLevel) -> Result<TargetMachine, RewriteError> {
    Target::initialize_x86(&InitializationConfig::default());
    let triple: TargetTriple = module.get_triple();
    let target = Target::from_triple(&triple).map_err(|e| RewriteError::CodeGeneration(e.to_string()))?;
    target
        .create_target_machine(&triple, "x86-64", "", level, RelocMode::PIC, CodeModel::Default)
        .ok_or_else(|| RewriteError::CodeGeneration(format!("no back end for {triple}")))
}

struct Rewriter<'a, 'ctx> {
    context: &'ctx Context,
    module: &'a Module<'ctx>,
    builder: Builder<'ctx>,
    layout: TargetData,
    sites: SiteTable,
    point_mark: u32,
    /// Whether the function at hand is a model of a library function.
    in_model: bool,
}

impl<'a, 'ctx> Rewriter<'a, 'ctx> {
    fn new(context: &'ctx Context, module: &'a Module<'ctx>, layout: TargetData) -> Self {
        let point_mark = context.get_kind_id(POINT_MARK);
        let (builder, sites) = (context.create_builder(), SiteTable::default());
        Rewriter { context, module, builder, layout, sites, point_mark, in_model: false }
    }

    fn run(&mut self) -> Result<(), RewriteError> {
        let main = self.module.get_function("main").ok_or(RewriteError::NoMain)?;
        main.as_global_value().set_name(USER_MAIN);
        main.set_linkage(Linkage::External);
        calls::weaken_declarations(self.module);
        thread_locals::make_objects(self)?;
        globals::lay_apart(self);
        for function in self.module.get_functions() {
            self.in_model = models::is_model(function);
            // Collected before anything is inserted: the runtime's own calls stay as they are.
            let instructions = instructions_of(function);
            for &instruction in &instructions {
                points::instrument(self, instruction)?;
            }
            stack::make_objects(self, function)?;
        }
        environment::emit_setter(self.context, self.module, &self.builder, "ordain_rt_set_environment")
    }

    fn is_point(&self, instruction: InstructionValue<'ctx>) -> bool {
        instruction.get_metadata(self.point_mark).is_some()
    }

    /// The number of the site of `instruction`, as an argument of a call: a new entry of the table, or, in a model, that
    /// of the model's caller.
    fn site(&mut self, instruction: InstructionValue<'ctx>) -> Result<BasicValueEnum<'ctx>, RewriteError> {
        if self.in_model {
            return models::caller(self);
        }
        let id = self.sites.add(site_of(instruction));
        Ok(self.context.i32_type().const_int(id.into(), false).into())
    }

    /// A call of the runtime's function `name` at the builder's place. Its type follows from what it is given.
    fn call_runtime(
        &self,
        name: &str,
        arguments: &[BasicValueEnum<'ctx>],
        result: Option<inkwell::types::BasicTypeEnum<'ctx>>,
    ) -> Result<CallSiteValue<'ctx>, BuilderError> {
        use inkwell::types::BasicType;
        let types: Vec<BasicMetadataTypeEnum> = arguments.iter().map(|a| a.get_type().into()).collect();
        let ty = match result {
            Some(result) => result.fn_type(&types, false),
            None => self.context.void_type().fn_type(&types, false),
        };
        let function = self.module.get_function(name).unwrap_or_else(|| self.module.add_function(name, ty, None));
        let arguments: Vec<BasicMetadataValueEnum> = arguments.iter().map(|&a| a.into()).collect();
        let pointer = function.as_global_value().as_pointer_value();
        self.builder.build_indirect_call(ty, pointer, &arguments, "")
    }
}

pub(crate) fn instructions_of<'ctx>(function: FunctionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    function.get_basic_blocks().into_iter().flat_map(|b| b.get_instructions()).collect()
}

/// The place of an instruction in the source.
fn site_of(instruction: InstructionValue<'_>) -> Site {
    use inkwell::llvm_sys::core::{LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine};
    let value = instruction.as_value_ref();
    let text = |get: unsafe extern "C" fn(_, *mut u32) -> *const std::ffi::c_char| {
        let mut length = 0;
        // SAFETY: the value is a live instruction; LLVM gives null or a string of that length that the context keeps.
        unsafe {
            let start = get(value, &mut length);
            if start.is_null() {
                return String::new();
            }
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast(), length as usize)).into_owned()
        }
    };
    // SAFETY: a live instruction, with a debug location or without.
    let line = unsafe { if instruction.get_debug_location().is_some() { LLVMGetDebugLocLine(value) } else { 0 } };
    Site { directory: text(LLVMGetDebugLocDirectory), file: text(LLVMGetDebugLocFilename), line }
}
