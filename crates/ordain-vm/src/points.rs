//! Points that access memory: loads, stores, read-modify-writes, fences; and divisions, which may trap.

use crate::buffer::{BufferedStore, Origin};
use crate::config::RaceMode;
use crate::local;
use crate::log::{Action, Executed};
use crate::machine::Machine;
use crate::memory::{ALL_UNDEFINED, Undefined};
use crate::races::Touch;
use crate::shadow::{AccessKind, CELL_BYTES, Stamp, bytes_in_cell};
use crate::stop::Stop;
use crate::thread::{Poise, Thread, ThreadId};
use crate::world::World;
use ordain_expr::op::{BinOp, Width, mask, signed};
use ordain_ir::program::{Callee, FuncId, Function, Inst, Operand, Ordering, Pc, Reg, RmwOp};
use ordain_model::failure::{Failure, FailureKind};
use ordain_model::witness::MemoryModel;
use std::rc::Rc;

impl Machine<'_> {
    /// Executes the point that `thread` stands at and moves it past it.
    pub(crate) fn execute(&mut self, id: ThreadId) -> Result<(), Stop> {
        let thread = Rc::make_mut(&mut self.threads[id.index()]);
        let world = &mut self.world;
        thread.points += 1;
        if let Poise::Trap(stop) = &thread.poise {
            return Err(stop.clone());
        }
        world.instructions += 1;
        let frame = *thread.top();
        world.cover(frame.function, frame.pc);
        let function = world.program.function(frame.function);
        match &function.code[frame.pc.index()] {
            Inst::Load { dst, addr, size, order, .. } => load(world, thread, function, *dst, addr, *size, *order)?,
            Inst::Store { value, addr, size, order, .. } => store(world, thread, value, addr, *size, *order)?,
            Inst::Rmw { op, dst, addr, value, size, order } => {
                let update = Update { op: *op, dst: *dst, size: *size, order: *order };
                read_modify_write(world, thread, function, update, addr, value)?;
            }
            inst @ Inst::CmpXchg { .. } => compare_exchange(world, thread, function, inst)?,
            Inst::Fence { order } => fence(world, thread, *order),
            Inst::Bin { op, width, dst, a, b } => divide(world, thread, *op, *width, *dst, a, b)?,
            Inst::Call { callee: Callee::Builtin(builtin), args, dsts } => {
                self.call_builtin(id, *builtin, args, dsts)?;
            }
            _ => unreachable!("only points are waited at"),
        }
        let thread = Rc::make_mut(&mut self.threads[id.index()]);
        if !thread.has_ended() {
            self.world.note_done(thread, (frame.function, frame.pc));
            local::advance(thread);
        }
        Ok(())
    }
}

impl World<'_> {
    /// Adds to the log, where there is one.
    #[inline]
    pub fn record(&mut self, thread: &mut Thread, action: impl FnOnce() -> Action) {
        if !self.config.record {
            return;
        }
        let (function, pc) = (thread.top().function, thread.top().pc);
        let (user_function, user_pc) = self.user_frame(thread).unwrap_or((function, pc));
        let location = self.program.location(user_function, user_pc);
        let callers = thread.callers();
        let (action, points) = (action(), thread.points);
        self.log.push(Executed { thread: thread.id, function, pc, location, callers, action, points });
    }

    /// Looks for races of an access that `thread` makes now.
    #[inline]
    pub fn touch(&mut self, thread: &Thread, touch: Touch) {
        if !self.looks_for_races() {
            return;
        }
        let Some(at) = self.user_frame(thread) else { return };
        match self.config.races {
            RaceMode::Full => {
                for other in self.races.access(thread, at, touch) {
                    self.report_race(thread, touch, (other.thread, other.at, other.write));
                }
            }
            _ => self.touch_cells(thread, at, touch),
        }
    }

    fn touch_cells(&mut self, thread: &Thread, at: (FuncId, Pc), touch: Touch) {
        let mut racing = Vec::new();
        let end = touch.address + touch.size;
        let mut address = touch.address;
        while address < end {
            let next = end.min((address / CELL_BYTES + 1) * CELL_BYTES);
            let stamp = Stamp {
                epoch: thread.clock.get(thread.id),
                site: self.codes.first_site(at.0) + at.1.0,
                thread: thread.id.0 as u16,
                bytes: bytes_in_cell(address, next - address).unwrap_or(u8::MAX),
                kind: AccessKind::new(touch.write, touch.atomic),
            };
            if let Some((cell, lists)) = self.memory.race_cell(address)
                && !cell.enter(stamp, &thread.clock, lists)
            {
                racing.extend(cell.enter_racing(stamp, &thread.clock, lists));
            }
            address = next;
        }
        for other in racing {
            let other_at = self.codes.instruction(other.site);
            if self.races.is_news(other_at, at) {
                self.report_race(thread, touch, (ThreadId(other.thread as u32), other_at, other.kind.is_write()));
            }
        }
    }

    /// See `Machine::stop_recording`.
    pub fn stop_recording(&mut self) {
        self.config.record = false;
        self.log = Vec::new();
        if self.config.races == RaceMode::Full {
            self.config.races = RaceMode::Last;
            // What was accessed before may still race with what comes.
            for (address, access) in self.races.take_accesses() {
                let site = self.codes.first_site(access.at.0) + access.at.1.0;
                if let Some((cell, lists)) = self.memory.race_cell(address) {
                    cell.keep(access.stamp(site), lists);
                }
            }
        }
    }

    /// `other` is the earlier access: by whom, where, and whether it writes.
    fn report_race(&mut self, thread: &Thread, touch: Touch, other: (ThreadId, (FuncId, Pc), bool)) {
        let (other_thread, other_at, wrote) = other;
        let access = |write| if write { "write" } else { "read" };
        let place = self.place(thread);
        let other_place = self.place_of(self.program.location(other_at.0, other_at.1));
        let message = format!(
            "{} of {} at {place} races with the {} at {other_place}",
            access(touch.write),
            self.describe(touch.address),
            access(wrote),
        );
        let other_name = self.names[other_thread.index()].clone();
        self.races.report(Failure {
            kind: FailureKind::Race,
            thread: thread.name.clone(),
            place,
            others: vec![(other_name, other_place)],
            message,
            stack: self.stack(thread),
        });
    }
}

fn load(
    world: &mut World<'_>,
    thread: &mut Thread,
    function: &Function,
    dst: Reg,
    addr: &Operand,
    size: u8,
    order: Option<Ordering>,
) -> Result<(), Stop> {
    let address = world.address(thread, addr, "the address of a read")?;
    let (value, undefined) =
        world.load(thread, address, size).map_err(|_| world.access_failure("read", address, size as u64))?;
    world.touch(thread, Touch { address, size: size as u64, write: false, atomic: order.is_some() });
    if let Some(order) = order
        && !thread.buffer.holds(address, size)
    {
        world.races.loaded(thread, address, order);
    }
    world.record(thread, || Action::Load { address, size, value, order });
    thread.set_result(function, dst, value, undefined);
    Ok(())
}

fn store(
    world: &mut World<'_>,
    thread: &mut Thread,
    value: &Operand,
    addr: &Operand,
    size: u8,
    order: Option<Ordering>,
) -> Result<(), Stop> {
    let address = world.address(thread, addr, "the address of a write")?;
    let (value, undefined) = thread.operand(thread.top().base, value);
    let value = value & mask(size * 8);
    world.check_write(address, size as u64)?;
    world.touch(thread, Touch { address, size: size as u64, write: true, atomic: order.is_some() });
    world.record(thread, || Action::Store { address, size, value, order });
    issue(world, thread, Written { address, size, value, undefined }, order);
    Ok(())
}

/// What a store writes where.
pub(crate) struct Written {
    pub address: u64,
    pub size: u8,
    pub value: u64,
    pub undefined: Undefined,
}

/// A store that has been checked goes to memory, or into the thread's buffer.
pub(crate) fn issue(world: &mut World<'_>, thread: &mut Thread, written: Written, order: Option<Ordering>) {
    let Written { address, size, value, undefined } = written;
    thread.arrivals.forget();
    let publishes = world.races.publish(thread, order);
    if world.config.memory == MemoryModel::Sc {
        if world.memory.store(address, size, value, undefined).is_ok() {
            world.note_change(thread);
            world.races.stored(address, size, publishes);
        }
        return;
    }
    let (function, pc) = (thread.top().function, thread.top().pc);
    let origin = Origin { function, pc, user: world.user_frame(thread).unwrap_or((function, pc)) };
    let after_all = order == Some(Ordering::Release);
    let store = BufferedStore { origin, address, size, value, undefined, publishes, after_all, fences: 0 };
    thread.buffer.push(store);
    if order == Some(Ordering::SeqCst) {
        drain(world, thread);
    }
}

impl World<'_> {
    /// Fails unless `size` bytes at `address` may be written.
    #[inline]
    pub fn check_write(&mut self, address: u64, size: u64) -> Result<(), Stop> {
        match self.memory.check(address, size) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.access_failure("write", address, size)),
        }
    }
}

/// The `nth` store in the buffer of `thread` reaches memory.
pub(crate) fn commit(world: &mut World<'_>, thread: &mut Thread, nth: usize) {
    let store = thread.buffer.take(nth);
    if world.config.record {
        let Origin { function, pc, user } = store.origin;
        let action = Action::Commit { address: store.address, size: store.size, value: store.value };
        let location = world.program.location(user.0, user.1);
        let (callers, points) = (Rc::default(), thread.points);
        world.log.push(Executed { thread: thread.id, function, pc, location, callers, action, points });
    }
    // The object may have died while the store was in the buffer; then nobody can see it any more.
    if world.memory.store(store.address, store.size, store.value, store.undefined).is_ok() {
        world.note_change(thread);
        world.races.stored(store.address, store.size, store.publishes);
    }
}

/// All buffered stores of `thread` reach memory, in order.
pub(crate) fn drain(world: &mut World<'_>, thread: &mut Thread) {
    while !thread.buffer.is_empty() {
        commit(world, thread, 0);
    }
}

#[derive(Clone, Copy)]
struct Update {
    op: RmwOp,
    dst: Reg,
    size: u8,
    order: Ordering,
}

fn read_modify_write(
    world: &mut World<'_>,
    thread: &mut Thread,
    function: &Function,
    update: Update,
    addr: &Operand,
    value: &Operand,
) -> Result<(), Stop> {
    let Update { op, dst, size, order } = update;
    let address = world.address(thread, addr, "the address of an atomic update")?;
    let (operand, operand_undefined) = thread.operand(thread.top().base, value);
    world.check_write(address, size as u64)?;
    drain(world, thread);
    let (old, old_undefined) = read_for_update(world, thread, address, size)?;
    let new = rmw(op, size * 8, old, operand);
    let undefined = match (op, old_undefined | operand_undefined) {
        (RmwOp::Xchg, _) => operand_undefined,
        (_, 0) => 0,
        _ => ALL_UNDEFINED,
    };
    world.touch(thread, Touch { address, size: size as u64, write: true, atomic: true });
    world.races.loaded(thread, address, order);
    world.races.updated(thread, address, size, order);
    finish_update(world, thread, address, size, new, undefined);
    world.record(thread, || Action::Rmw { address, size, old, new, order });
    thread.set_result(function, dst, old, old_undefined);
    Ok(())
}

fn read_for_update(world: &mut World<'_>, thread: &Thread, address: u64, size: u8) -> Result<(u64, Undefined), Stop> {
    world.load(thread, address, size).map_err(|_| world.access_failure("atomic update", address, size as u64))
}

/// Writes what an atomic update computed. One that leaves memory as it was is like a load to everybody, itself
/// included: a test-and-set of a lock that is taken only waits.
fn finish_update(world: &mut World<'_>, thread: &mut Thread, address: u64, size: u8, new: u64, undefined: Undefined) {
    if world.memory.store(address, size, new, undefined) == Ok(true) {
        world.note_change(thread);
        thread.arrivals.forget();
    }
}

fn rmw(op: RmwOp, width: Width, old: u64, operand: u64) -> u64 {
    let operand = operand & mask(width);
    let new = match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Nand => !(old & operand),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Max if signed(width, old) >= signed(width, operand) => old,
        RmwOp::Min if signed(width, old) <= signed(width, operand) => old,
        RmwOp::Max | RmwOp::Min => operand,
        RmwOp::UMax => old.max(operand),
        RmwOp::UMin => old.min(operand),
    };
    new & mask(width)
}

fn compare_exchange(world: &mut World<'_>, thread: &mut Thread, function: &Function, inst: &Inst) -> Result<(), Stop> {
    let Inst::CmpXchg { dst, ok, addr, expected, new, size, success, failure, .. } = inst else {
        unreachable!("called for compare-exchange only");
    };
    let size = *size;
    let address = world.address(thread, addr, "the address of a compare-exchange")?;
    let base = thread.top().base;
    let ((expected, expected_undefined), (new, new_undefined)) =
        (thread.operand(base, expected), thread.operand(base, new));
    world.check_write(address, size as u64)?;
    drain(world, thread);
    let (old, old_undefined) = read_for_update(world, thread, address, size)?;
    if expected_undefined | old_undefined != 0 {
        return Err(Stop::uninitialised("a value that decides a compare-exchange"));
    }
    let swapped = old == expected & mask(size * 8);
    let new = new & mask(size * 8);
    world.touch(thread, Touch { address, size: size as u64, write: swapped, atomic: true });
    world.races.loaded(thread, address, if swapped { *success } else { *failure });
    if swapped {
        world.races.updated(thread, address, size, *success);
        finish_update(world, thread, address, size, new, new_undefined);
    }
    world.record(thread, || Action::CmpXchg { address, size, old, new: swapped.then_some(new) });
    thread.set_result(function, *dst, old, 0);
    thread.set_result(function, *ok, swapped as u64, 0);
    Ok(())
}

fn fence(world: &mut World<'_>, thread: &mut Thread, order: Ordering) {
    match order {
        Ordering::SeqCst => drain(world, thread),
        Ordering::Release | Ordering::AcqRel => thread.buffer.fence(),
        Ordering::Relaxed | Ordering::Acquire => {}
    }
    world.races.fence(thread, order);
    world.record(thread, || Action::Fence(order));
}

fn divide(
    world: &mut World<'_>,
    thread: &mut Thread,
    op: BinOp,
    width: Width,
    dst: Reg,
    a: &Operand,
    b: &Operand,
) -> Result<(), Stop> {
    let base = thread.top().base;
    let ((dividend, dividend_undefined), (divisor, undefined)) = (thread.operand(base, a), thread.operand(base, b));
    if undefined != 0 {
        return Err(Stop::uninitialised("a divisor"));
    }
    let divisor = divisor & mask(width);
    if divisor == 0 {
        return Err(Stop::Failure(FailureKind::Division, "division by zero".to_owned()));
    }
    let smallest = 1 << (width - 1);
    let overflows = matches!(op, BinOp::SDiv | BinOp::SRem)
        && divisor == mask(width)
        && dividend & mask(width) == smallest
        && dividend_undefined == 0;
    if overflows {
        let message = "the quotient of the smallest integer and -1 does not fit".to_owned();
        return Err(Stop::Failure(FailureKind::Division, message));
    }
    local::binary(thread, base, op, width, dst, a, b);
    let value = thread.operand(base, &Operand::Reg(dst)).0;
    world.record(thread, || Action::Divide { value });
    Ok(())
}

/// What comes with the end of a thread: its stack is gone. Its last stores may still be on their way to memory; whoever
/// joins it sees them there.
pub(crate) fn end_thread(world: &mut World<'_>, thread: &mut Thread) {
    while !thread.frames.is_empty() {
        local::leave_frame(world, thread);
    }
    thread.arrivals.forget();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_wrap_and_compare_at_their_width() {
        assert_eq!(rmw(RmwOp::Add, 8, 0xff, 2), 1);
        assert_eq!(rmw(RmwOp::Sub, 32, 0, 1), 0xffff_ffff);
        assert_eq!(rmw(RmwOp::Max, 8, 0x80, 1), 1);
        assert_eq!(rmw(RmwOp::UMax, 8, 0x80, 1), 0x80);
        assert_eq!(rmw(RmwOp::Min, 8, 0x80, 1), 0x80);
        assert_eq!(rmw(RmwOp::Nand, 8, 0x0f, 0x3c), 0xf3);
    }
}
