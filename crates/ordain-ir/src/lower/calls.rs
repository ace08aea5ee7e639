//! Calls: of functions of the program, of builtins, of intrinsics, and of what nobody knows.

use super::function::{Body, NotUnderstood};
use crate::llvm::{Opcode, Value, ValueKind};
use crate::points;
use crate::program::{Builtin, Callee, Inst, Operand};

impl Body<'_> {
    pub(super) fn call(&mut self, i: Value) -> Result<(), NotUnderstood> {
        let callee = points::callee(i);
        if callee.kind() == ValueKind::LLVMInlineAsmValueKind {
            // What has a meaning was given it before.
            return Err(format!("inline assembly ({:?})", callee.asm_text().trim()));
        }
        if callee.is_function() && callee.is_declaration() && callee.name().starts_with("llvm.") {
            return self.intrinsic(i, &callee.name());
        }
        let args = self.arguments(i)?;
        let callee = self.callee(i, callee, &args)?;
        if self.leaves(i).is_none() {
            return Err(format!("a call with a result of type {}", i.ty()));
        }
        let dsts = self.define(i);
        self.emit(Inst::Call { callee, args: args.into(), dsts: dsts.into() });
        // Exceptions are not modelled: nothing unwinds.
        if i.opcode() == Opcode::LLVMInvoke {
            self.jump(i.parent(), i.invoke_normal_target());
        }
        Ok(())
    }

    fn arguments(&self, i: Value) -> Result<Vec<Operand>, NotUnderstood> {
        let mut args = Vec::new();
        for argument in i.arguments() {
            args.extend(self.operands(argument)?);
        }
        Ok(args)
    }

    fn callee(&mut self, i: Value, callee: Value, args: &[Operand]) -> Result<Callee, NotUnderstood> {
        if !callee.is_function() {
            return Ok(Callee::Indirect(self.operand(callee)?));
        }
        if let Some(builtin) = points::builtin_of(i) {
            return Ok(Callee::Builtin(builtin));
        }
        let name = callee.name();
        let Some(function) = self.lowering.functions.get(&callee) else {
            return Ok(Callee::Unknown(self.lowering.name(&name)));
        };
        let function = *function;
        let widths = |values: Vec<Value>| -> Vec<_> {
            values.into_iter().flat_map(|v| self.leaves(v).unwrap_or_default()).map(|leaf| leaf.width).collect()
        };
        let (given, wanted) = (widths(i.arguments()), widths(callee.params()));
        let same_result = i.called_type().result() == callee.value_type().result() || i.users().is_empty();
        // What a function does not ask for is passed in vain, as with any C calling convention.
        if !given.starts_with(&wanted) || given.len() != args.len() || !same_result {
            return Err(format!("a call of `{name}` with other types than it is defined with"));
        }
        Ok(Callee::Direct(function))
    }

    pub(super) fn emit_builtin(&mut self, builtin: Builtin) {
        let callee = Callee::Builtin(builtin);
        self.emit(Inst::Call { callee, args: Box::new([]), dsts: Box::new([]) });
    }
}
