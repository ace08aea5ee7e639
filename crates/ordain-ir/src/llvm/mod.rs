//! Handles into LLVM: the one place of this crate that is `unsafe`.
//!
//! A handle is a pointer into an LLVM context. Contexts are never disposed of: all of this runs in a child process that
//! reads one program and ends (see `child`), so a handle stays valid until its own object is erased, and only the
//! rewriting passes of `canonical` erase anything, never to look at it again. That, and that all handles of a pass come
//! from one module, is why the calls below are sound. LLVM itself may still crash on hostile input, which ends the child
//! and nothing else.

mod builder;
mod metadata;
mod signature;
mod types;
mod value;

pub(crate) use builder::Builder;
pub(crate) use inkwell::llvm_sys::{
    LLVMAtomicOrdering as AtomicOrdering, LLVMAtomicRMWBinOp as AtomicRmw, LLVMIntPredicate as IntPredicate,
    LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind, LLVMValueKind as ValueKind,
};
pub(crate) use metadata::SourcePlace;
pub(crate) use types::Type;
pub(crate) use value::{Block, Value};

use inkwell::llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use inkwell::llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::linker::LLVMLinkModules2;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use inkwell::llvm_sys::transforms::pass_builder::*;
use inkwell::llvm_sys::{LLVMDiagnosticSeverity, LLVMLinkage};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::Mutex;

/// What LLVM's diagnostic handler was told last; the linker reports its errors only there.
static LAST_DIAGNOSTIC: Mutex<String> = Mutex::new(String::new());

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Context(LLVMContextRef);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Module(LLVMModuleRef);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout(LLVMTargetDataRef);

impl Context {
    pub fn new() -> Self {
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(keep_diagnostic), ptr::null_mut());
            Context(context)
        }
    }

    /// Reads bitcode or textual IR.
    pub fn parse(self, label: &str, bytes: &[u8]) -> Result<Module, String> {
        let label = CString::new(label.replace('\0', "")).unwrap_or_default();
        let mut module = ptr::null_mut();
        let mut message = ptr::null_mut();
        // The copy is terminated by a zero, which the parser of textual IR relies on.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), label.as_ptr());
            LLVMParseIRInContext2(self.0, buffer, &mut module, &mut message)
        };
        if failed != 0 { Err(take_message(message)) } else { Ok(Module(module)) }
    }
}

extern "C" fn keep_diagnostic(info: LLVMDiagnosticInfoRef, _: *mut c_void) {
    // Called back by LLVM with a diagnostic that is valid for the time of the call.
    let (text, severity) = unsafe { (take_message(LLVMGetDiagInfoDescription(info)), LLVMGetDiagInfoSeverity(info)) };
    if matches!(severity, LLVMDiagnosticSeverity::LLVMDSError)
        && let Ok(mut last) = LAST_DIAGNOSTIC.lock()
    {
        *last = text;
    }
}

/// The text of a message that LLVM allocated for us.
fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return "no reason given".into();
    }
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// A string that LLVM gives as pointer and length, and keeps.
unsafe fn borrowed_text(text: *const c_char, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) }).into_owned()
}

impl Module {
    pub fn context(self) -> Context {
        Context(unsafe { LLVMGetModuleContext(self.0) })
    }

    pub fn layout(self) -> Layout {
        Layout(unsafe { LLVMGetModuleDataLayout(self.0) })
    }

    /// Links `other` into this module; `other` is gone afterwards.
    pub fn link(self, other: Module) -> Result<(), String> {
        if unsafe { LLVMLinkModules2(self.0, other.0) } == 0 {
            return Ok(());
        }
        Err(LAST_DIAGNOSTIC.lock().map(|last| last.clone()).unwrap_or_default())
    }

    pub fn verify(self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        let failed =
            unsafe { LLVMVerifyModule(self.0, LLVMVerifierFailureAction::LLVMReturnStatusAction, &mut message) };
        let message = take_message(message);
        if failed != 0 { Err(message) } else { Ok(()) }
    }

    pub fn run_passes(self, passes: &CStr) -> Result<(), String> {
        run_passes(|options| unsafe { LLVMRunPasses(self.0, passes.as_ptr(), ptr::null_mut(), options) })
    }

    pub fn write_bitcode(self) -> Vec<u8> {
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.0);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// The name of the source in the bitcode. It takes part in the hash, so it must not depend on where files lie.
    pub fn set_source_name(self, name: &str) {
        unsafe { LLVMSetSourceFileName(self.0, name.as_ptr().cast(), name.len()) }
    }

    pub fn functions(self) -> Vec<Value> {
        collect(unsafe { LLVMGetFirstFunction(self.0) }, |f| unsafe { LLVMGetNextFunction(f) })
    }

    pub fn globals(self) -> Vec<Value> {
        collect(unsafe { LLVMGetFirstGlobal(self.0) }, |g| unsafe { LLVMGetNextGlobal(g) })
    }

    pub fn function(self, name: &str) -> Option<Value> {
        Value::new(unsafe { LLVMGetNamedFunctionWithLength(self.0, name.as_ptr().cast(), name.len()) })
    }

    pub fn global(self, name: &str) -> Option<Value> {
        Value::new(unsafe { LLVMGetNamedGlobalWithLength(self.0, name.as_ptr().cast(), name.len()) })
    }

    pub fn aliases(self) -> Vec<Value> {
        collect(unsafe { LLVMGetFirstGlobalAlias(self.0) }, |a| unsafe { LLVMGetNextGlobalAlias(a) })
    }

    pub fn alias(self, name: &str) -> Option<Value> {
        Value::new(unsafe { LLVMGetNamedGlobalAlias(self.0, name.as_ptr().cast(), name.len()) })
    }

    /// The function called `name`, declared with this type if it does not exist yet.
    pub fn declare(self, name: &str, ty: Type) -> Value {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    pub fn add_function(self, name: &str, ty: Type) -> Value {
        let name = CString::new(name).unwrap_or_default();
        Value(unsafe { LLVMAddFunction(self.0, name.as_ptr(), ty.0) })
    }
}

fn run_passes(run: impl FnOnce(LLVMPassBuilderOptionsRef) -> LLVMErrorRef) -> Result<(), String> {
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = run(options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(text)
    }
}

impl Layout {
    pub fn size(self, ty: Type) -> u64 {
        unsafe { inkwell::llvm_sys::target::LLVMABISizeOfType(self.0, ty.0) }
    }

    pub fn bits(self, ty: Type) -> u32 {
        unsafe { inkwell::llvm_sys::target::LLVMSizeOfTypeInBits(self.0, ty.0) as u32 }
    }

    /// Bytes that a store of this type writes.
    pub fn store_size(self, ty: Type) -> u64 {
        unsafe { inkwell::llvm_sys::target::LLVMStoreSizeOfType(self.0, ty.0) }
    }

    pub fn align(self, ty: Type) -> u32 {
        unsafe { inkwell::llvm_sys::target::LLVMABIAlignmentOfType(self.0, ty.0) }
    }

    pub fn offset(self, structure: Type, field: u32) -> u64 {
        unsafe { inkwell::llvm_sys::target::LLVMOffsetOfElement(self.0, structure.0, field) }
    }
}

/// Collects one of LLVM's linked lists, so that the caller may change it while going through it.
fn collect(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Value> {
    let mut values = Vec::new();
    let mut current = first;
    while !current.is_null() {
        values.push(Value(current));
        current = next(current);
    }
    values
}

/// The number of one of LLVM's own attributes.
fn kind_of(attribute: &str) -> u32 {
    unsafe { LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast(), attribute.len()) }
}

fn internal() -> LLVMLinkage {
    LLVMLinkage::LLVMInternalLinkage
}
