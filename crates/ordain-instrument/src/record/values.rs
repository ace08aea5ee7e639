//! Recording values: what was read from memory that other threads may write, and where allocations are.
//!
//! Of a loaded pointer that is used as such it must be known offline what it was: an unknown one could point anywhere. An
//! index into what is known may stay unknown. What becomes a pointer is found out for the whole program (`flow`). What no
//! other thread touches (`Private`) can be computed again.

use super::flow::Flow;
use super::paths::Variables;
use super::{POINT_MARK, Recorder};
use crate::rewrite::{RewriteError, callee};
use inkwell::AtomicOrdering;
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
    private: &HashSet<InstructionValue<'ctx>>,
    slot: &mut u32,
) -> Vec<Site<'ctx>> {
    let mark = recorder.context.get_kind_id(POINT_MARK);
    let mut sites = Vec::new();
    for (number, block) in blocks.iter().enumerate().filter(|_| level != Level::Paths) {
        let points = block.get_instructions().filter(|i| i.get_metadata(mark).is_some());
        for (nth, instruction) in points.enumerate() {
            if private.contains(&instruction) {
                continue;
            }
            let keeping = match (instruction.get_opcode(), is_wanted(instruction, level, flow)) {
                (InstructionOpcode::Load, true) => Keeping::Changes(next_slot(slot)),
                (InstructionOpcode::Load, false) if is_timed_load(instruction) => Keeping::Times(next_slot(slot)),
                // They are there to change.
                (_, true) => Keeping::All(next_slot(slot)),
                (_, false) => continue,
            };
            sites.push(Site { instruction, block: number as u32, nth: nth as u32, keeping });
        }
    }
    sites
}

/// The slot after the last that was given away.
pub(super) fn next_slot(last: &mut u32) -> u32 {
    *last = (*last + 1) % SLOTS;
    *last
}

fn is_wanted(instruction: InstructionValue, level: Level, flow: &Flow) -> bool {
    use InstructionOpcode::{AtomicCmpXchg, AtomicRMW, Call, Load};
    match instruction.get_opcode() {
        Load | AtomicRMW if !fits_word(instruction) => false,
        Load | AtomicRMW | AtomicCmpXchg => level == Level::Values || flow.is_address(instruction),
        Call => is_allocation(instruction),
        _ => false,
    }
}

/// Whether this is a load after which the time is noted, if it read something else than before: as `Stamp::is_on_load` says.
fn is_timed_load(instruction: InstructionValue) -> bool {
    use AtomicOrdering::{Acquire, SequentiallyConsistent};
    instruction.get_opcode() == InstructionOpcode::Load
        && matches!(instruction.get_atomic_ordering(), Ok(Acquire | SequentiallyConsistent))
        && fits_word(instruction)
}

pub(super) fn is_allocation(call: InstructionValue) -> bool {
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
            Keeping::All(slot) => variables.note_value(recorder, value, slot)?,
            Keeping::Changes(slot) if is_timed_load(site.instruction) => {
                variables.note_in_slot(recorder, "ordain.rec.change.timed", value, slot)?
            }
            Keeping::Changes(slot) => variables.note_change(recorder, value, slot)?,
            Keeping::Times(slot) => variables.note_in_slot(recorder, "ordain.rec.change.time", value, slot)?,
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
