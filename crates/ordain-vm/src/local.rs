//! The interpreter for what is local to a thread: everything between two points.

use crate::awaits;
use crate::fast::{self, Exit, Leave};
use crate::jumps;
use crate::log::{Branch, Mark};
use crate::memory::{ALL_UNDEFINED, Undefined};
use crate::stop::Stop;
use crate::thread::{Frame, Poise, Thread};
use crate::thread_locals;
use crate::world::World;
use ordain_expr::float::{self, wide};
use ordain_expr::op::{self, BinOp, CastOp, Width, mask};
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Function, Inst, Operand, Pc, Reg};
use ordain_model::memory::AllocationKind;
use std::rc::Rc;

/// Registers that the operands of a function on numbers take.
const MOST_NUMBERS: usize = 4;
/// Deeper recursion is taken for endless.
pub(crate) const MOST_FRAMES: usize = 100_000;

/// Instructions between two looks at whether the run should stop.
const LOOK_AROUND: u64 = 1 << 16;

/// Executes instructions until the thread stands at a point, at an instruction that stops the run, or has ended. Of plain
/// accesses, though points, it may execute as many as `points`; returns how many it did.
pub(crate) fn run(world: &mut World<'_>, thread: &mut Thread, points: u32) -> u32 {
    let before = thread.points;
    (thread.may_block, thread.at_call) = (false, false);
    thread.poise = match run_to_point(world, thread, points) {
        Ok(poise) => poise,
        Err(stop) => Poise::Trap(stop),
    };
    (thread.points - before) as u32
}

/// What an instruction that changes the control flow did.
pub(crate) enum Flow {
    Next,
    Jump,
    Ended(u64, Undefined),
}

fn run_to_point(world: &mut World<'_>, thread: &mut Thread, points: u32) -> Result<Poise, Stop> {
    let program = world.program;
    let mut left = world.config.local_limit;
    let mut leave = Leave { points, rounds: world.config.local_limit };
    loop {
        // The hot loop comes back with an instruction that is not for it, which is all there is to do here then.
        let hot = world.is_hot() && !thread.top().undefined;
        if hot {
            match fast::run(world, thread, &mut leave) {
                Exit::Point => return Ok(stand_at_point(world, thread)),
                Exit::Endless => return Err(endless_loop()),
                Exit::Local => {}
            }
        }
        let frame = *thread.top();
        let function = program.function(frame.function);
        let mut pc = frame.pc;
        // Straight-line code keeps its program counter here; the frame learns it when somebody else needs it.
        loop {
            if left == 0 {
                thread.top_mut().pc = pc;
                return Err(endless_loop());
            }
            left -= 1;
            if left.is_multiple_of(LOOK_AROUND) && world.is_interrupted() {
                thread.top_mut().pc = pc;
                return Err(Stop::Unsupported("interrupted".to_owned()));
            }
            let inst = &function.code[pc.index()];
            if compute(thread, function, frame.base, inst) {
                world.cover(frame.function, pc);
                world.instructions += 1;
                pc.0 += 1;
            } else {
                thread.top_mut().pc = pc;
                if inst.is_point() {
                    return Ok(stand_at_point(world, thread));
                }
                world.cover(frame.function, pc);
                world.instructions += 1;
                match control(world, thread, function, inst)? {
                    Flow::Next => pc.0 += 1,
                    Flow::Jump => break,
                    Flow::Ended(value, undefined) => return Ok(Poise::Ended { value, undefined }),
                }
            }
            if hot {
                thread.top_mut().pc = pc;
                break;
            }
        }
    }
}

fn stand_at_point(world: &World<'_>, thread: &mut Thread) -> Poise {
    use Builtin::{CondSleep, MutexLock, ThreadJoin};
    let frame = thread.top();
    let inst = &world.program.function(frame.function).code[frame.pc.index()];
    thread.may_block = matches!(inst, Inst::Call { callee: Callee::Builtin(MutexLock | ThreadJoin | CondSleep), .. });
    thread.at_call = matches!(inst, Inst::Call { .. });
    Poise::Point
}

/// Executes `inst` if it only computes with registers; otherwise returns false.
#[inline]
fn compute(thread: &mut Thread, function: &Function, base: u32, inst: &Inst) -> bool {
    match inst {
        Inst::Bin { op, width, dst, a, b } => {
            if inst.is_point() {
                return false;
            }
            binary(thread, base, *op, *width, *dst, a, b);
        }
        Inst::Cmp { pred, width, dst, a, b } => {
            let ((a, ua), (b, ub)) = (thread.operand(base, a), thread.operand(base, b));
            let result = op::cmp(*pred, *width, a & mask(*width), b & mask(*width));
            thread.set(base, *dst, result as u64, smear(ua | ub));
        }
        Inst::Cast { op: cast, from, to, dst, a } => {
            let (a, undefined) = thread.operand(base, a);
            let undefined = match cast {
                CastOp::Trunc => undefined & bytes_of(*to),
                CastOp::ZExt => undefined & bytes_of(*from),
                CastOp::SExt => smear(undefined),
            };
            thread.set(base, *dst, op::cast(*cast, *from, *to, a & mask(*from)), undefined);
        }
        Inst::Select { dst, cond, then, other } => {
            let (cond, cond_undefined) = thread.operand(base, cond);
            let (value, undefined) = thread.operand(base, if cond & 1 == 1 { then } else { other });
            let value = value & mask(function.registers[dst.index()]);
            thread.set(base, *dst, value, undefined | smear(cond_undefined));
        }
        Inst::Copy { dst, src } => {
            let (value, undefined) = thread.operand(base, src);
            thread.set(base, *dst, value & mask(function.registers[dst.index()]), undefined);
        }
        Inst::Freeze { dst, src } => {
            let (value, _) = thread.operand(base, src);
            thread.set(base, *dst, value & mask(function.registers[dst.index()]), 0);
        }
        Inst::FloatBin { op, format, dst, a, b } => {
            let ((a, ua), (b, ub)) = (thread.operand(base, a), thread.operand(base, b));
            thread.set(base, *dst, float::bin(*op, *format, a, b), smear(ua | ub));
        }
        Inst::FloatCmp { pred, format, dst, a, b } => {
            let ((a, ua), (b, ub)) = (thread.operand(base, a), thread.operand(base, b));
            thread.set(base, *dst, float::cmp(*pred, *format, a, b) as u64, smear(ua | ub));
        }
        Inst::FloatCast { cast, dst, a } => {
            let (a, undefined) = thread.operand(base, a);
            thread.set(base, *dst, float::cast(*cast, a), smear(undefined));
        }
        _ => return false,
    }
    true
}

#[inline]
pub(crate) fn binary(thread: &mut Thread, base: u32, op: BinOp, width: Width, dst: Reg, a: &Operand, b: &Operand) {
    let ((a, ua), (b, ub)) = (thread.operand(base, a), thread.operand(base, b));
    let undefined = if ua | ub == 0 { 0 } else { undefined_result(op, width, (a, ua), (b, ub)) };
    thread.set(base, dst, op::bin(op, width, a & mask(width), b & mask(width)), undefined);
}

/// Which bytes of a result are undefined. Compilers put values together from their bytes by masking, shifting and
/// or-ing, starting from an undefined one; these operations go byte by byte, all others do not.
#[cold]
fn undefined_result(op: BinOp, width: Width, (a, ua): (u64, Undefined), (b, ub): (u64, Undefined)) -> Undefined {
    match op {
        BinOp::And => (ua | ub) & !(zero_bytes(a) & !ua) & !(zero_bytes(b) & !ub),
        BinOp::Or | BinOp::Xor => ua | ub,
        BinOp::Shl if ub == 0 && b % 8 == 0 && b < 64 => ua << (b / 8),
        BinOp::LShr if ub == 0 && b % 8 == 0 && b < 64 => (ua & bytes_of(width)) >> (b / 8),
        _ => smear(ua | ub),
    }
}

fn zero_bytes(value: u64) -> Undefined {
    value.to_le_bytes().iter().enumerate().fold(0, |mask, (i, byte)| mask | ((*byte == 0) as u8) << i)
}

/// A value that depends on all bytes is undefined if any of them is.
#[inline]
fn smear(undefined: Undefined) -> Undefined {
    if undefined == 0 { 0 } else { ALL_UNDEFINED }
}

#[inline]
fn bytes_of(width: Width) -> Undefined {
    (0xff_u16 >> (8 - width.div_ceil(8))) as u8
}

fn control(world: &mut World<'_>, thread: &mut Thread, function: &Function, inst: &Inst) -> Result<Flow, Stop> {
    let base = thread.top().base;
    match inst {
        Inst::Br { to } => jump(world, thread, function, *to)?,
        Inst::CondBr { cond, then, other } => {
            let (cond, undefined) = thread.operand(base, cond);
            if undefined != 0 {
                return Err(Stop::uninitialised("a value that decides a branch"));
            }
            branch(world, thread, function, if cond & 1 == 1 { *then } else { *other })?;
        }
        Inst::Switch { value, width, cases, default } => {
            let (value, undefined) = thread.operand(base, value);
            if undefined != 0 {
                return Err(Stop::uninitialised("a value that decides a switch"));
            }
            let value = value & mask(*width);
            let case = cases.iter().find(|(case, _)| case & mask(*width) == value);
            branch(world, thread, function, case.map_or(*default, |(_, to)| *to))?;
        }
        Inst::Load { dst, addr, size, .. } => {
            let address = world.address(thread, addr, "the address of a read")?;
            let (value, undefined) =
                world.load(thread, address, *size).map_err(|_| world.access_failure("read", address, *size as u64))?;
            thread.set_result(function, *dst, value, undefined);
            return Ok(Flow::Next);
        }
        Inst::Store { value, addr, size, .. } => {
            let address = world.address(thread, addr, "the address of a write")?;
            let (value, undefined) = thread.operand(base, value);
            let changed = world.memory.store(address, *size, value, undefined);
            if changed.map_err(|_| world.access_failure("write", address, *size as u64))? {
                thread.arrivals.forget();
            }
            return Ok(Flow::Next);
        }
        Inst::Alloca { dst, size, align, .. } => {
            let size = world.address(thread, size, "the size of an array")?;
            let address = world.allocate(thread, size, *align as u64, AllocationKind::Stack)?;
            thread.stack_objects.push(address);
            thread.set(base, *dst, address, 0);
            return Ok(Flow::Next);
        }
        Inst::Call { callee, args, dsts } => return call(world, thread, function, callee, args, dsts),
        Inst::Ret { values } => return Ok(return_values(world, thread, values)),
        _ => {
            return Err(Stop::Unsupported("code that the compiler takes for unreachable is reached".to_owned()));
        }
    }
    Ok(Flow::Jump)
}

/// Jumps where a branch or switch has led.
fn branch(world: &World<'_>, thread: &mut Thread, function: &Function, to: BlockId) -> Result<(), Stop> {
    let &Frame { function: id, pc, .. } = thread.top();
    let branch = Branch { function: id, pc, to };
    if world.config.branches {
        thread.branches.push(branch);
    }
    world.note_branch(thread, branch);
    jump(world, thread, function, to)
}

fn jump(world: &World<'_>, thread: &mut Thread, function: &Function, to: BlockId) -> Result<(), Stop> {
    let top = thread.top_mut();
    let id = top.function;
    top.pc = function.blocks[to.index()].start;
    let facts = world.facts.function(id);
    if facts.is_loop_header(to) {
        thread.forget_dead_registers(facts.live_in(to));
        let changes = world.changes_by_others(thread);
        if awaits::arrive(thread, facts, to, changes) {
            return Err(endless_loop());
        }
    }
    Ok(())
}

fn endless_loop() -> Stop {
    Stop::Unsupported("a loop without end that no other thread can influence".to_owned())
}

fn call(
    world: &mut World<'_>,
    thread: &mut Thread,
    function: &Function,
    callee: &Callee,
    args: &[Operand],
    dsts: &[Reg],
) -> Result<Flow, Stop> {
    match callee {
        Callee::Direct(id) => enter(world, thread, *id, args),
        Callee::Indirect(pointer) => {
            let address = world.address(thread, pointer, "the function pointer of a call")?;
            enter(world, thread, world.callee(address)?, args)
        }
        Callee::Unknown(name) => Err(unknown(&world.program.names[name.index()])),
        Callee::Builtin(Builtin::LongJump) => jumps::jump(world, thread, args),
        Callee::Builtin(Builtin::Math(call)) => {
            let (args, undefined) = numbers(thread, args);
            if let [dst] = *dsts {
                thread.set_result(function, dst, call.evaluate(&args), undefined);
            }
            Ok(Flow::Next)
        }
        Callee::Builtin(Builtin::Wide(op)) => {
            let (args, undefined) = numbers(thread, args);
            for (&dst, value) in dsts.iter().zip(wide::evaluate(*op, &args)) {
                thread.set_result(function, dst, value, undefined);
            }
            Ok(Flow::Next)
        }
        Callee::Builtin(builtin) => {
            let result = local_builtin(world, thread, *builtin, args)?;
            let &Frame { function: id, pc, .. } = thread.top();
            world.note_done(thread, (id, pc));
            if let [dst] = *dsts {
                thread.set_result(function, dst, result, 0);
            }
            Ok(Flow::Next)
        }
    }
}

/// The operands of a function on numbers, and what its result is if one of them is undefined.
fn numbers(thread: &Thread, args: &[Operand]) -> ([u64; MOST_NUMBERS], Undefined) {
    let base = thread.top().base;
    let mut values = [0; MOST_NUMBERS];
    let mut undefined = 0;
    for (value, arg) in values.iter_mut().zip(args) {
        let (bits, unknown) = thread.operand(base, arg);
        (*value, undefined) = (bits, undefined | unknown);
    }
    (values, smear(undefined))
}

/// What is not known is an external function, or something that the front end could only describe.
fn unknown(name: &str) -> Stop {
    // Names of functions are one word.
    Stop::Unsupported(match name.contains(' ') {
        true => name.to_owned(),
        false => format!(
            "the external function '{name}' has no model: define it in a C file, and give that with --model FILE"
        ),
    })
}

fn enter(world: &World<'_>, thread: &mut Thread, callee: FuncId, args: &[Operand]) -> Result<Flow, Stop> {
    if thread.frames.len() >= MOST_FRAMES {
        return Err(Stop::Unsupported(format!("recursion deeper than {MOST_FRAMES} calls")));
    }
    let base = thread.top().base;
    let function = world.program.function(callee);
    thread.enter(callee, function);
    world.note_entered(thread, callee);
    for (n, &parameter) in function.params.iter().enumerate() {
        // A call through a prototype that does not fit leaves parameters without a value.
        let (value, undefined) = thread.operand(base, args.get(n).unwrap_or(&Operand::Undefined));
        thread.set_result(function, parameter, value, undefined);
    }
    Ok(Flow::Jump)
}

fn return_values(world: &mut World<'_>, thread: &mut Thread, values: &[Operand]) -> Flow {
    let base = thread.top().base;
    let first = values.first().map_or((0, 0), |v| thread.operand(base, v));
    let Some(caller) = thread.frames.len().checked_sub(2).map(|i| thread.frames[i]) else {
        return Flow::Ended(first.0, first.1);
    };
    let call = &world.program.function(caller.function).code[caller.pc.index()];
    if let Inst::Call { dsts, .. } = call {
        for (dst, value) in dsts.iter().zip(values) {
            let (value, undefined) = thread.operand(base, value);
            thread.set(caller.base, *dst, value, undefined);
        }
    }
    world.note_returning(thread, (caller.function, caller.pc), first.0);
    leave_frame(world, thread);
    thread.top_mut().pc.0 += 1;
    Flow::Jump
}

/// Drops the top frame with its registers and stack objects.
pub(crate) fn leave_frame(world: &mut World<'_>, thread: &mut Thread) {
    thread.arrivals.leave(thread.frames.len());
    let frame = thread.leave();
    jumps::forget(thread);
    for base in thread.stack_objects.drain(frame.stack_objects as usize..) {
        world.memory.remove(base);
    }
}

fn local_builtin(world: &mut World<'_>, thread: &mut Thread, builtin: Builtin, args: &[Operand]) -> Result<u64, Stop> {
    let base = thread.top().base;
    let argument = |n: usize| args.get(n).map_or((0, ALL_UNDEFINED), |a| thread.operand(base, a));
    match builtin {
        Builtin::ThreadSelf => Ok(thread.name.handle()),
        Builtin::ThreadEqual => {
            let ((a, ua), (b, ub)) = (argument(0), argument(1));
            if ua | ub != 0 { Err(Stop::uninitialised("a thread id")) } else { Ok((a == b) as u64) }
        }
        Builtin::Assume => match argument(0) {
            (_, undefined) if undefined != 0 => Err(Stop::uninitialised("an assumed condition")),
            (0, _) => Err(Stop::AssumeViolated),
            _ => Ok(0),
        },
        Builtin::ThreadLocal => thread_locals::address(world, thread, argument(0).0, argument(1).0),
        Builtin::SetJump => jumps::set(world, thread, args),
        Builtin::RegionBegin => {
            thread.mark(Mark::Begin);
            Ok(0)
        }
        Builtin::RegionEnd => {
            thread.mark(Mark::End);
            Ok(0)
        }
        Builtin::Yield => Ok(0),
        Builtin::Sleep => match argument(0) {
            (nanoseconds, 0) => {
                Rc::make_mut(&mut world.system).pass(nanoseconds);
                Ok(0)
            }
            _ => Err(Stop::uninitialised("the length of a sleep")),
        },
        Builtin::MutexInit => {
            let (address, undefined) = argument(0);
            if undefined != 0 {
                return Err(Stop::uninitialised("a mutex address"));
            }
            world.memory.check(address, 1).map_err(|_| world.access_failure("initialisation", address, 1))?;
            thread.arrivals.forget();
            Ok(0)
        }
        _ => unreachable!("{builtin:?} is a point"),
    }
}

/// Moves the thread past the point it has executed.
pub(crate) fn advance(thread: &mut Thread) {
    let top = thread.top_mut();
    top.pc = Pc(top.pc.0 + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_put_together_from_bytes_become_defined() {
        let masked = undefined_result(BinOp::And, 64, (0, ALL_UNDEFINED), (0xffff_0000, 0));
        assert_eq!(masked, 0b1100);
        assert_eq!(undefined_result(BinOp::Or, 64, (0, masked), (0x1234, 0)), 0b1100);
        assert_eq!(undefined_result(BinOp::Shl, 64, (0, 0b1), (16, 0)), 0b100);
        assert_eq!(undefined_result(BinOp::LShr, 32, (0, 0b1111_0000), (8, 0)), 0);
        assert_eq!(undefined_result(BinOp::Add, 32, (0, 0b1), (8, 0)), ALL_UNDEFINED);
    }
}
