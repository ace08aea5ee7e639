//! What threads leave behind of what a recording of them would have: so that a machine can be led along a recorded run.
//!
//! Some library functions run natively when a program is recorded; what goes on in them is in no log. Of those, only that they
//! returned is of interest, and what.

use crate::log::Branch;
use crate::thread::{Frame, Thread};
use crate::world::World;
use ordain_ir::program::{Builtin, Callee, FuncId, Inst, Pc};

/// The functions that run natively when the program is recorded, by number.
#[derive(Clone, Debug, Default)]
pub struct Natives(Box<[bool]>);

impl Natives {
    pub fn new(functions: usize, natives: impl IntoIterator<Item = FuncId>) -> Natives {
        let mut is_native = vec![false; functions];
        for function in natives {
            is_native[function.index()] = true;
        }
        Natives(is_native.into())
    }

    fn contains(&self, function: FuncId) -> bool {
        self.0[function.index()]
    }
}

/// Something that a thread has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// A branch or switch.
    Branch(Branch),
    /// The instruction: an atomic access, or a call of a builtin or of a function that runs natively. With what it returned, if
    /// that is somebody else's to say.
    Done { function: FuncId, pc: Pc, result: Option<u64> },
    /// The call of a function that runs natively has begun.
    Entered { function: FuncId, pc: Pc },
}

impl World<'_> {
    /// Whether what the thread does leaves a trail.
    fn is_on_trail(&self, thread: &Thread) -> bool {
        self.natives.is_some() && thread.native_depth.is_none()
    }

    #[inline]
    pub fn note_branch(&self, thread: &mut Thread, branch: Branch) {
        if self.is_on_trail(thread) {
            thread.trail.push(Passed::Branch(branch));
        }
    }

    /// The thread has executed the instruction at `pc` of `function`, which is no access that is not atomic.
    pub fn note_done(&self, thread: &mut Thread, (function, pc): (FuncId, Pc)) {
        if !self.is_on_trail(thread) {
            return;
        }
        let result = match &self.program.function(function).code[pc.index()] {
            Inst::Call { callee: Callee::Builtin(Builtin::MutexTryLock), dsts, .. } => {
                dsts.first().map(|dst| thread.registers[thread.top().base as usize + dst.index()])
            }
            Inst::Load { order: None, .. } | Inst::Store { order: None, .. } | Inst::Bin { .. } => return,
            _ => None,
        };
        thread.trail.push(Passed::Done { function, pc, result });
    }

    /// The thread has just entered `function`.
    pub fn note_entered(&self, thread: &mut Thread, function: FuncId) {
        if let Some(natives) = &self.natives
            && thread.native_depth.is_none()
            && natives.contains(function)
        {
            thread.native_depth = Some(thread.frames.len());
            let caller = thread.frames.len().checked_sub(2).map(|i| thread.frames[i]);
            thread.trail.extend(caller.map(|Frame { function, pc, .. }| Passed::Entered { function, pc }));
        }
    }

    /// The thread is about to return to the call at `pc` of `function`, with this result.
    pub fn note_returning(&self, thread: &mut Thread, (function, pc): (FuncId, Pc), result: u64) {
        if thread.native_depth == Some(thread.frames.len()) {
            thread.native_depth = None;
            thread.trail.push(Passed::Done { function, pc, result: Some(result) });
        }
    }
}
