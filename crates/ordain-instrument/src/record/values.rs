//! Recording values: what was read from memory that other threads may write, and where allocations are.
//!
//! Of a loaded pointer that is used as such, and of a loaded value that a library function is given, it must be known
//! offline what it was: an unknown pointer could point anywhere, and an unknown size be any. An index into what is known
//! may stay unknown. How far values go is followed through the whole program (`Flow`).

use super::paths::Variables;
use super::{POINT_MARK, Recorder};
use crate::rewrite::{RewriteError, callee};
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::core::{
    LLVMCountParams, LLVMGetBasicBlockParent, LLVMGetCalledValue, LLVMGetFirstUse, LLVMGetInstructionOpcode,
    LLVMGetInstructionParent, LLVMGetIntrinsicID, LLVMGetNextUse, LLVMGetNumArgOperands, LLVMGetOperand, LLVMGetUser,
    LLVMIsAFunction, LLVMIsAInstruction,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue};
use ordain_ir::builtins;
use ordain_ir::program::Builtin;
use ordain_record::Level;
use ordain_record::table::{Keeping, SLOTS};
use std::collections::HashSet;

const WORD_BITS: u32 = 64;

/// A place whose result goes into the log.
pub(super) struct Site<'ctx> {
    instruction: InstructionValue<'ctx>,
    /// The number of its block, and of the point in it.
    pub block: u32,
    pub nth: u32,
    pub keeping: Keeping,
}

/// The places of a function. Its blocks are given in the order of their numbers; `slot` is the last that was given away.
pub(super) fn sites<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    blocks: &[inkwell::basic_block::BasicBlock<'ctx>],
    level: Level,
    flow: &Flow,
    slot: &mut u32,
) -> Vec<Site<'ctx>> {
    let mark = recorder.context.get_kind_id(POINT_MARK);
    let mut sites = Vec::new();
    for (number, block) in blocks.iter().enumerate().filter(|_| level != Level::Paths) {
        let points = block.get_instructions().filter(|i| i.get_metadata(mark).is_some());
        for (nth, instruction) in points.enumerate() {
            if !is_wanted(instruction, level, flow) {
                continue;
            }
            let keeping = match instruction.get_opcode() {
                InstructionOpcode::Load => {
                    *slot = (*slot + 1) % SLOTS;
                    Keeping::Changes(*slot)
                }
                // They are there to change.
                _ => Keeping::All,
            };
            sites.push(Site { instruction, block: number as u32, nth: nth as u32, keeping });
        }
    }
    sites
}

fn is_wanted(instruction: InstructionValue, level: Level, flow: &Flow) -> bool {
    use InstructionOpcode::{AtomicCmpXchg, AtomicRMW, Call, Load};
    match instruction.get_opcode() {
        Load | AtomicRMW if !fits_word(instruction) => false,
        Load | AtomicRMW | AtomicCmpXchg => {
            level == Level::Values || flow.is_used_as_address(instruction.as_value_ref())
        }
        Call => is_allocation(instruction),
        _ => false,
    }
}

fn is_allocation(call: InstructionValue) -> bool {
    let Some(function) = callee(call).filter(|f| f.count_basic_blocks() == 0) else { return false };
    let meaning = function.get_name().to_str().ok().and_then(builtins::meaning);
    let builtin = meaning.map(|m| m.builtin);
    use Builtin::{AlignedAlloc, Calloc, Malloc, Realloc};
    matches!(builtin, Some(Malloc | Calloc | Realloc | AlignedAlloc))
        && matches!(call.get_type(), AnyTypeEnum::PointerType(_))
}

/// Whether a value is one that the log has words for.
fn fits_word(instruction: InstructionValue) -> bool {
    match instruction.get_type() {
        AnyTypeEnum::IntType(ty) => ty.get_bit_width() <= WORD_BITS,
        AnyTypeEnum::PointerType(_) => true,
        AnyTypeEnum::FloatType(ty) => ty.get_bit_width() <= WORD_BITS,
        _ => false,
    }
}

/// Which parameters and results of the program's functions end up in an address, a size, or a library function.
pub(super) struct Flow {
    functions: HashSet<LLVMValueRef>,
    parameters: HashSet<(LLVMValueRef, u32)>,
    results: HashSet<LLVMValueRef>,
}

/// What an instruction makes of a value.
enum Role {
    Address,
    /// Something that may become an address yet.
    Part,
    Nothing,
}

impl Flow {
    /// Of the functions that are recorded: all others are the library's.
    pub fn new(functions: &[FunctionValue]) -> Flow {
        let mut flow = Flow {
            functions: functions.iter().map(|f| f.as_value_ref()).collect(),
            parameters: HashSet::new(),
            results: HashSet::new(),
        };
        // Every round looks at all of them.
        while functions.iter().filter(|&&function| flow.look_at(function)).count() > 0 {}
        flow
    }

    /// Finds out what is new about a function; whether there was anything.
    fn look_at(&mut self, function: FunctionValue) -> bool {
        let raw = function.as_value_ref();
        let mut changed = false;
        for (nth, parameter) in function.get_param_iter().enumerate() {
            let key = (raw, nth as u32);
            if !self.parameters.contains(&key) && self.is_used_as_address(parameter.as_value_ref()) {
                changed |= self.parameters.insert(key);
            }
        }
        // SAFETY: the uses of a live function, as long as nothing changes. What calls it is an instruction with a result.
        unsafe {
            let mut next = LLVMGetFirstUse(raw);
            while !next.is_null() && !self.results.contains(&raw) {
                let user = LLVMGetUser(next);
                next = LLVMGetNextUse(next);
                // A function that is called through a pointer returns who knows where.
                if !is_call(user) || LLVMGetCalledValue(user) != raw || self.is_used_as_address(user) {
                    changed |= self.results.insert(raw);
                }
            }
        }
        changed
    }

    /// Whether a value becomes part of an address or of a size, says who is called, or is given to the library.
    fn is_used_as_address(&self, value: LLVMValueRef) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            // SAFETY: a live value, and its uses as long as nothing changes.
            unsafe {
                let mut next = LLVMGetFirstUse(value);
                while !next.is_null() {
                    let user = LLVMGetUser(next);
                    next = LLVMGetNextUse(next);
                    match self.role(user, value) {
                        Role::Address => return true,
                        Role::Part if seen.insert(user) => open.push(user),
                        Role::Part | Role::Nothing => {}
                    }
                }
            }
        }
        false
    }

    /// # Safety
    /// `user` is a live value that uses `value`.
    unsafe fn role(&self, user: LLVMValueRef, value: LLVMValueRef) -> Role {
        use LLVMOpcode::*;
        let address_if = |yes: bool| if yes { Role::Address } else { Role::Nothing };
        // SAFETY: the caller's promise; operands are asked for only where there are some.
        unsafe {
            if LLVMIsAInstruction(user).is_null() {
                return Role::Address;
            }
            match LLVMGetInstructionOpcode(user) {
                LLVMStore => address_if(LLVMGetOperand(user, 1) == value),
                LLVMBr | LLVMSwitch | LLVMUnreachable | LLVMFence => Role::Nothing,
                LLVMAtomicRMW | LLVMAtomicCmpXchg => address_if(LLVMGetOperand(user, 0) == value),
                // An index.
                LLVMGetElementPtr if LLVMGetOperand(user, 0) != value => Role::Nothing,
                LLVMLoad | LLVMAlloca => Role::Address,
                LLVMCall | LLVMInvoke => self.role_in_call(user, value),
                LLVMRet => {
                    let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
                    address_if(self.results.contains(&function))
                }
                _ => Role::Part,
            }
        }
    }

    /// # Safety
    /// `call` is a live call that uses `value`.
    unsafe fn role_in_call(&self, call: LLVMValueRef, value: LLVMValueRef) -> Role {
        // SAFETY: the caller's promise; as many arguments are asked for as there are.
        unsafe {
            let called = LLVMGetCalledValue(call);
            if !LLVMIsAFunction(called).is_null() && LLVMGetIntrinsicID(called) != 0 {
                return Role::Part;
            }
            if !self.functions.contains(&called) {
                return Role::Address;
            }
            let parameters = LLVMCountParams(called);
            let given = (0..LLVMGetNumArgOperands(call)).filter(|&nth| LLVMGetOperand(call, nth) == value);
            for nth in given {
                if nth >= parameters || self.parameters.contains(&(called, nth)) {
                    return Role::Address;
                }
            }
            Role::Nothing
        }
    }
}

/// # Safety
/// `user` is a live value.
unsafe fn is_call(user: LLVMValueRef) -> bool {
    // SAFETY: the caller's promise.
    unsafe {
        !LLVMIsAInstruction(user).is_null()
            && matches!(LLVMGetInstructionOpcode(user), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)
    }
}

/// Puts the code after every site that notes its result.
pub(super) fn record<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    sites: &[Site<'ctx>],
    variables: &Variables<'ctx>,
) -> Result<(), RewriteError> {
    let missing = || RewriteError::Invalid("a value that was to be noted is none".to_owned());
    for site in sites {
        let Some(next) = site.instruction.get_next_instruction() else { continue };
        recorder.builder.position_before(&next);
        let value = as_word(recorder, site.instruction)?.ok_or_else(missing)?;
        match site.keeping {
            Keeping::All => variables.note_value(recorder, value)?,
            Keeping::Changes(slot) => variables.note_change(recorder, value, slot)?,
        }
    }
    Ok(())
}

/// The result of an instruction as a number, at the builder's place.
pub(super) fn as_word<'ctx>(
    recorder: &Recorder<'_, 'ctx>,
    instruction: InstructionValue<'ctx>,
) -> Result<Option<IntValue<'ctx>>, RewriteError> {
    let builder = &recorder.builder;
    let word = recorder.context.i64_type();
    // SAFETY: an instruction with a result of a type that values can have, which is checked first.
    let result = match BasicTypeEnum::try_from(instruction.get_type()) {
        Ok(_) => unsafe { BasicValueEnum::new(instruction.as_value_ref()) },
        Err(()) => return Ok(None),
    };
    let scalar = match result {
        // What was there before an exchange.
        BasicValueEnum::StructValue(pair) => builder.build_extract_value(pair, 0, "")?,
        other => other,
    };
    Ok(match scalar {
        BasicValueEnum::IntValue(value) if value.get_type().get_bit_width() <= WORD_BITS => {
            Some(builder.build_int_z_extend_or_bit_cast(value, word, "")?)
        }
        BasicValueEnum::PointerValue(value) => Some(builder.build_ptr_to_int(value, word, "")?),
        BasicValueEnum::FloatValue(value) => {
            let bits = value.get_type().get_bit_width();
            let same = match bits {
                16 => recorder.context.i16_type(),
                32 => recorder.context.i32_type(),
                64 => word,
                _ => return Ok(None),
            };
            let number = builder.build_bit_cast(value, same, "")?.into_int_value();
            Some(builder.build_int_z_extend_or_bit_cast(number, word, "")?)
        }
        _ => None,
    })
}

/// Whether a call is one of the recording code's own.
pub(super) fn is_own(function: FunctionValue) -> bool {
    [super::FAST_PREFIX, super::relaxed::PREFIX].iter().any(|prefix| function.get_name().to_bytes().starts_with(prefix))
}
