//! Metadata: debug locations, names of variables, and Ordain's own mark on instructions.

use super::{Context, Value, borrowed_text};
use inkwell::llvm_sys::LLVMDbgRecordKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;

/// Where something stands in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SourcePlace {
    pub directory: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A source variable that debug information describes.
pub(crate) struct Variable {
    pub name: String,
    pub place: Option<SourcePlace>,
}

impl Context {
    fn kind(self, name: &str) -> u32 {
        unsafe { LLVMGetMDKindIDInContext(self.0, name.as_ptr().cast(), name.len() as u32) }
    }

    /// Operand of a metadata node as text.
    fn string_operand(self, node: LLVMMetadataRef, index: usize) -> Option<String> {
        unsafe {
            let node = LLVMMetadataAsValue(self.0, node);
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
            let operand = *operands.get(index)?;
            if operand.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetMDString(operand, &mut length);
            (!text.is_null()).then(|| borrowed_text(text, length as usize))
        }
    }
}

impl Value {
    /// Marks an instruction with an empty metadata node.
    pub fn mark(self, context: Context, kind: &str) {
        unsafe {
            let node = LLVMMDNodeInContext2(context.0, std::ptr::null_mut(), 0);
            LLVMSetMetadata(self.0, context.kind(kind), LLVMMetadataAsValue(context.0, node));
        }
    }

    pub fn is_marked(self, context: Context, kind: &str) -> bool {
        unsafe { !LLVMGetMetadata(self.0, context.kind(kind)).is_null() }
    }

    /// The place of an instruction.
    pub fn place(self) -> Option<SourcePlace> {
        unsafe {
            let location = LLVMInstructionGetDebugLoc(self.0);
            if location.is_null() {
                return None;
            }
            let file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
            Some(place_in(file, LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location)))
        }
    }

    /// The debug location of an instruction, or failing that one that stands for its whole function: LLVM wants one on
    /// every call of a function that has debug information itself.
    pub(super) fn location_or_function(self) -> LLVMMetadataRef {
        unsafe {
            let location = LLVMInstructionGetDebugLoc(self.0);
            let function = self.parent().function();
            let subprogram = LLVMGetSubprogram(function.0);
            if !location.is_null() || subprogram.is_null() {
                return location;
            }
            let context = LLVMGetModuleContext(LLVMGetGlobalParent(function.0));
            let line = LLVMDISubprogramGetLine(subprogram);
            LLVMDIBuilderCreateDebugLocation(context, line, 0, subprogram, std::ptr::null_mut())
        }
    }

    pub fn function_place(self) -> Option<SourcePlace> {
        unsafe {
            let subprogram = LLVMGetSubprogram(self.0);
            if subprogram.is_null() {
                return None;
            }
            Some(place_in(LLVMDIScopeGetFile(subprogram), LLVMDISubprogramGetLine(subprogram), 0))
        }
    }

    /// The source variable of a global.
    pub fn global_variable(self, context: Context) -> Option<Variable> {
        let mut count = 0;
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.0, &mut count);
            let debug = context.kind("dbg");
            let mine = (0..count as u32).find(|&i| LLVMValueMetadataEntriesGetKind(entries, i) == debug);
            let node = mine.map(|i| LLVMValueMetadataEntriesGetMetadata(entries, i));
            LLVMDisposeValueMetadataEntries(entries);
            let variable = LLVMDIGlobalVariableExpressionGetVariable(node?);
            if variable.is_null() {
                return None;
            }
            describe(context, variable)
        }
    }

    /// The variables that the debug records in front of this instruction declare, with their addresses.
    pub fn declared_variables(self, context: Context) -> Vec<(Value, Variable)> {
        let mut found = Vec::new();
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.0);
            while !record.is_null() {
                if LLVMDbgRecordGetKind(record) == LLVMDbgRecordKind::LLVMDbgRecordDeclare
                    && let Some(value) = Value::new(LLVMDbgVariableRecordGetValue(record, 0))
                    && let Some(variable) = describe(context, LLVMDbgVariableRecordGetVariable(record))
                {
                    found.push((value, variable));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        found
    }
}

/// Name and place of a DILocalVariable or DIGlobalVariable. The name has no getter; it is operand 1.
unsafe fn describe(context: Context, variable: LLVMMetadataRef) -> Option<Variable> {
    let name = context.string_operand(variable, 1)?;
    let file = unsafe { LLVMDIVariableGetFile(variable) };
    let place = (!file.is_null()).then(|| unsafe { place_in(file, LLVMDIVariableGetLine(variable), 0) });
    Some(Variable { name, place })
}

unsafe fn place_in(file: LLVMMetadataRef, line: u32, column: u32) -> SourcePlace {
    let (mut directory, mut name) = (String::new(), String::new());
    if !file.is_null() {
        let mut length = 0;
        unsafe {
            directory = borrowed_text(LLVMDIFileGetDirectory(file, &mut length), length as usize);
            name = borrowed_text(LLVMDIFileGetFilename(file, &mut length), length as usize);
        }
    }
    SourcePlace { directory, file: name, line, column }
}
