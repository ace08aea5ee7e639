//! `setjmp` and `longjmp`: going back to a frame that is still there.
//!
//! A jump buffer holds a number; what it stands for is kept with the thread. Registers of the frame keep what they have,
//! which is more than C promises for variables that are not volatile.

use crate::local::{self, Flow};
use crate::stop::Stop;
use crate::thread::{JumpTarget, Thread};
use crate::world::World;
use ordain_ir::program::{Inst, Operand};

/// Bytes of a jump buffer that are used.
const TOKEN_BYTES: u8 = 8;

/// `setjmp`: returns 0, now.
pub(crate) fn set(world: &mut World<'_>, thread: &mut Thread, args: &[Operand]) -> Result<u64, Stop> {
    let buffer = world.address(thread, &args[0], "a jump buffer")?;
    let token = thread.jumps.last().map_or(0, |last| last.token) + 1;
    let stored = world.memory.store(buffer, TOKEN_BYTES, token, 0);
    stored.map_err(|_| world.access_failure("write", buffer, TOKEN_BYTES.into()))?;
    let (frames, pc) = (thread.frames.len(), thread.top().pc);
    // The same call again replaces what it left before.
    thread.jumps.retain(|jump| (jump.frames, jump.pc) != (frames, pc) || jump.token == token);
    thread.jumps.push(JumpTarget { token, frames, pc });
    thread.arrivals.forget();
    Ok(0)
}

/// `longjmp`: the call of `setjmp` returns once more.
pub(crate) fn jump(world: &mut World<'_>, thread: &mut Thread, args: &[Operand]) -> Result<Flow, Stop> {
    let buffer = world.address(thread, &args[0], "a jump buffer")?;
    let value = world.address(thread, &args[1], "the value given to longjmp")? & u64::from(u32::MAX);
    let held = world.load(thread, buffer, TOKEN_BYTES);
    let (token, undefined) = held.map_err(|_| world.access_failure("read", buffer, TOKEN_BYTES.into()))?;
    if undefined != 0 {
        return Err(Stop::uninitialised("a jump buffer"));
    }
    let Some(target) = thread.jumps.iter().find(|jump| jump.token == token).copied() else {
        let what = "longjmp to a call of setjmp whose function has returned, or that another thread made";
        return Err(Stop::Unsupported(what.to_owned()));
    };
    while thread.frames.len() > target.frames {
        local::leave_frame(world, thread);
    }
    let program = world.program;
    let top = thread.top_mut();
    top.pc = target.pc;
    let (base, function) = (top.base, top.function);
    if let Inst::Call { dsts, .. } = &program.function(function).code[target.pc.index()]
        && let Some(&dst) = dsts.first()
    {
        thread.set(base, dst, value.max(1), 0);
    }
    local::advance(thread);
    thread.arrivals.forget();
    Ok(Flow::Jump)
}

/// The top frame has been left: nobody can jump into it any more.
pub(crate) fn forget(thread: &mut Thread) {
    let frames = thread.frames.len();
    while thread.jumps.last().is_some_and(|jump| jump.frames > frames) {
        thread.jumps.pop();
    }
}
