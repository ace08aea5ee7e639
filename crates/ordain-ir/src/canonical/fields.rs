//! Writing a bit-field: the word around it is read, masked and written back.
//!
//! Of a structure that is not initialised yet, that word is undefined, and stays so however many of its fields are written:
//! which bits of a byte are defined is not known anywhere. So what is read in order to be written back counts as defined.

use crate::llvm::{Builder, Module, Opcode, Value};
use crate::points;

/// Masks and insertions between reading a word and writing it back.
const MOST_STEPS: usize = 8;

pub(super) fn freeze(module: Module) {
    for function in module.functions() {
        for load in function.instructions().into_iter().filter(|i| i.opcode() == Opcode::LLVMLoad) {
            if load.ty().int_width().is_none() || points::is_atomic(load) {
                continue;
            }
            for mask in load.users().into_iter().filter(|user| is_masked(*user)) {
                if reaches(mask, load.operand(0), MOST_STEPS) {
                    freeze_operand(module, mask, load);
                }
            }
        }
    }
}

/// Whether some of the bits are cut out by a constant.
fn is_masked(user: Value) -> bool {
    user.opcode() == Opcode::LLVMAnd && user.operand(1).as_int().is_some()
}

/// Whether what is made of the value by putting bits into it is stored at `address`.
fn reaches(value: Value, address: Value, steps: usize) -> bool {
    let reaches_on = |user: Value| match user.opcode() {
        Opcode::LLVMStore => user.operand(0) == value && user.operand(1) == address,
        Opcode::LLVMAnd | Opcode::LLVMOr => steps > 0 && reaches(user, address, steps - 1),
        _ => false,
    };
    value.users().into_iter().any(reaches_on)
}

fn freeze_operand(module: Module, mask: Value, load: Value) {
    let frozen = Builder::before(module, mask).freeze(load);
    mask.set_operand(0, frozen);
}
