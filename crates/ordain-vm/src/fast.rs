//! The hot loop: executes decoded code while all goes well and all values are defined.
//!
//! Frames in which some register is undefined, instructions without a fast form, and everything that fails are left to
//! the interpreter in `local`, at the same instruction and with nothing done, so there is one place that says what goes
//! wrong. Plain loads and stores, `malloc` and `free`, though points, are executed here as well while the turn has points left.
//! What a step has to settle for others (who waits, who may go on) does not change in between: nothing here unblocks anybody, and the machine
//! grants no points while somebody waits for memory to change.

mod rounds;

use crate::awaits;
use crate::builtins::MALLOC_ALIGN_BYTES;
use crate::decode::{Ab, Code, Codes, Op, Target};
use crate::lines::Line;
use crate::local::{self, MOST_FRAMES};
use crate::memory::{Memory, ObjectKind};
use crate::shadow::{AccessKind, Site, Stamp, bytes_in_cell};
use crate::thread::{Frame, Thread};
use crate::world::World;
use ordain_expr::float::{self, FloatOp, Format};
use ordain_expr::op;
use ordain_ir::program::{FuncId, Pc};
use ordain_model::memory::AllocationKind;

/// Why the hot loop was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// The thread stands at a point: one that is not for this loop, or for which the turn has no points left.
    Point,
    /// The thread stands at an instruction that is not for this loop.
    Local,
    /// The thread has come round a loop for ever.
    Endless,
}

/// How far a thread may go.
pub(crate) struct Leave {
    /// Points it may execute, at most.
    pub points: u32,
    /// Rounds of loops without points.
    pub rounds: u64,
}

/// What the loop keeps of the top frame.
struct Top<'c> {
    code: &'c Code,
    function: FuncId,
    /// Of the function's first instruction.
    first_site: Site,
    registers: *mut u64,
}

/// Executes instructions of `thread` until one is not for this loop. The top frame has no undefined registers.
pub(crate) fn run(world: &mut World<'_>, thread: &mut Thread, leave: &mut Leave) -> Exit {
    let codes = world.codes.clone();
    let epoch = thread.clock.get(thread.id);
    let mut runner = Runner { world, thread, codes: &codes, granted: leave.points, stores: 0, epoch, user_site: None };
    let racy = runner.world.looks_for_races();
    let exit = if racy { runner.run::<true>(leave) } else { runner.run::<false>(leave) };
    runner.count(leave.points);
    exit
}

struct Runner<'a, 'p> {
    world: &'a mut World<'p>,
    thread: &'a mut Thread,
    codes: &'a Codes<'p>,
    /// Points that were left when the thread was last told how many it has executed.
    granted: u32,
    /// Stores at points since then.
    stores: u64,
    /// The thread's own; nothing here starts a new one.
    epoch: u32,
    /// Where in the user's code the callers of the top frame are, once somebody has asked.
    user_site: Option<Site>,
}

impl<'a> Runner<'a, '_> {
    /// Tells thread and world what was executed, given the points that are left.
    fn count(&mut self, left: u32) {
        self.thread.points += (self.granted - left) as u64;
        self.granted = left;
        self.world.changes += self.stores;
        self.thread.own_changes += self.stores;
        self.stores = 0;
    }

    /// The top frame as the loop needs it; its constants are put in place if it was entered elsewhere.
    fn top(&mut self) -> (Top<'a>, usize) {
        let Frame { function, pc, base, .. } = *self.thread.top();
        let code = self.codes.get(function);
        let present = self.thread.registers.len() - base as usize;
        if present < code.frame.len() {
            self.thread.grow(&code.frame[present..]);
        }
        // SAFETY: `base` is where the frame's registers start in the thread's.
        let registers = unsafe { self.thread.registers.as_mut_ptr().add(base as usize) };
        (Top { code, function, first_site: self.codes.first_site(function), registers }, pc.index())
    }

    /// Enters the function that is called at `pc`, if that can be done here.
    fn call(&mut self, top: &Top<'_>, pc: usize, pointer: Option<u64>, site: u32) -> Option<Top<'a>> {
        let site = &top.code.calls[site as usize];
        let pointed_to = || self.world.functions.get(&pointer?).copied();
        let function = site.callee.or_else(pointed_to)?;
        let code = self.codes.get(function);
        if self.thread.frames.len() >= MOST_FRAMES || site.args.len() < code.params.len() {
            return None;
        }
        let caller = self.thread.top_mut();
        caller.pc = Pc(pc as u32);
        let (caller_base, base) = (caller.base as usize, self.thread.registers.len());
        self.thread.enter_with(function, &code.frame);
        let (callers, registers) = self.thread.registers.split_at_mut(base);
        for (&(parameter, bits), &argument) in code.params.iter().zip(&site.args) {
            registers[parameter as usize] = callers[caller_base + argument as usize] & bits;
        }
        self.user_site = None;
        let registers = registers.as_mut_ptr();
        Some(Top { code, function, first_site: self.codes.first_site(function), registers })
    }

    /// Returns to the caller; says whether that could be done here.
    fn return_values(&mut self, top: &Top<'_>, values: u32) -> bool {
        let [.., caller, callee] = self.thread.frames[..] else { return false };
        let code = self.codes.get(caller.function);
        let (Op::Call(site) | Op::CallIndirect(_, site)) = code.ops[caller.pc.index()] else { return false };
        let Thread { registers, undefined, .. } = &mut *self.thread;
        for (&(dst, bits), &value) in code.calls[site as usize].dsts.iter().zip(&top.code.returns[values as usize]) {
            let dst = caller.base as usize + dst as usize;
            registers[dst] = registers[callee.base as usize + value as usize] & bits;
            undefined[dst] = 0;
        }
        local::leave_frame(self.world, self.thread);
        self.thread.top_mut().pc.0 += 1;
        self.user_site = None;
        true
    }

    /// What an `alloca` at `pc` makes, if that can be done.
    fn new_stack_object(&mut self, pc: usize, size: u64, align: u32) -> Option<u64> {
        self.thread.top_mut().pc = Pc(pc as u32);
        let base = self.world.allocate(self.thread, size, align as u64, AllocationKind::Stack).ok()?;
        self.thread.stack_objects.push(base);
        Some(base)
    }

    /// What a `malloc` at `pc` makes, if that can be done. It is a point that nobody waits for.
    fn allocate(&mut self, pc: usize, size: u64) -> Option<u64> {
        self.thread.top_mut().pc = Pc(pc as u32);
        let base = self.world.allocate(self.thread, size, MALLOC_ALIGN_BYTES, AllocationKind::Heap).ok()?;
        self.thread.arrivals.forget();
        Some(base)
    }

    /// Frees an object, if that can be done.
    fn free(&mut self, address: u64) -> bool {
        let memory = &mut self.world.memory;
        if address != 0 {
            if memory.object(address).is_none_or(|o| o.kind != ObjectKind::Heap) {
                return false;
            }
            memory.remove(address);
            self.stores += 1;
        }
        self.thread.arrivals.forget();
        true
    }

    /// The thread arrives at a loop header where it may turn out to wait; returns whether it waits for nobody.
    fn arrive(&mut self, top: &Top<'_>, pc: usize) -> bool {
        let header = top.code.headers[&(pc as u32)];
        let changes = self.world.changes_by_others(self.thread);
        awaits::arrive(self.thread, self.world.facts.function(top.function), header, changes)
    }

    fn is_waiting(&self) -> bool {
        self.thread.arrivals.is_awaiting(self.world.changes_by_others(self.thread))
    }

    /// Looks for races of an access to `size` bytes at `address`. Returns false if that is more than a matter of one cell.
    #[inline(always)]
    fn touch<const WRITE: bool>(&mut self, line: Line, address: u64, size: u64, top: &Top<'_>, pc: usize) -> bool {
        let Some(bytes) = bytes_in_cell(address, size) else { return false };
        let kind = if WRITE { AccessKind::Write } else { AccessKind::Read };
        let stamp = self.stamp(kind, bytes, top, pc);
        line.touch(address, stamp, &self.thread.clock, self.world.memory.race_lists())
    }

    /// An access by the instruction at `pc`, as a race cell keeps it.
    #[inline(always)]
    fn stamp(&mut self, kind: AccessKind, bytes: u8, top: &Top<'_>, pc: usize) -> Stamp {
        let site = match top.code.located[pc] {
            true => top.first_site + pc as Site,
            false => match self.user_site {
                Some(site) => site,
                None => self.find_user_site(pc),
            },
        };
        Stamp { epoch: self.epoch, site, thread: self.thread.id.0 as u16, bytes, kind }
    }

    #[cold]
    fn find_user_site(&mut self, pc: usize) -> Site {
        self.thread.top_mut().pc = Pc(pc as u32);
        let site = self.world.user_site(self.thread);
        self.user_site = Some(site);
        site
    }

    fn run<const RACY: bool>(&mut self, leave: &mut Leave) -> Exit {
        let (mut top, mut pc) = self.top();
        let mut left = leave.points;
        // Instructions so far, if the ones of this block before `pc` are added.
        let mut executed = 0u64.wrapping_sub(pc as u64);

        // SAFETY (all of `slot!` and `op!`): slots are below the length of the decoded frame, which `registers` points to the
        // start of; `top` is taken anew whenever the thread's registers may have moved. Blocks end with instructions
        // that jump, return or leave this loop, so `pc` stays below the number of operations.
        macro_rules! slot {
            ($slot:expr) => {
                *unsafe { &mut *top.registers.add($slot as usize) }
            };
        }
        macro_rules! leave {
            ($exit:expr) => {{
                self.thread.top_mut().pc = Pc(pc as u32);
                self.world.instructions += executed.wrapping_add(pc as u64);
                leave.points = left;
                return $exit;
            }};
        }
        macro_rules! jump {
            ($target:expr) => {{
                let target: Target = $target;
                executed = executed.wrapping_add(1 + pc as u64).wrapping_sub(target.pc() as u64);
                if target.is_header() {
                    if leave.rounds == 0 {
                        if left == leave.points {
                            leave!(Exit::Endless);
                        }
                        // Points were executed, so there was no end of them yet.
                        (leave.points, leave.rounds) = (left, self.world.config.local_limit);
                    }
                    leave.rounds -= 1;
                    if target.is_watched() {
                        pc = target.pc();
                        self.count(left);
                        if self.arrive(&top, pc) {
                            leave!(Exit::Endless);
                        }
                        if self.is_waiting() {
                            // Its next point is not for this turn.
                            (left, leave.points, self.granted) = (0, 0, 0);
                        }
                        continue;
                    }
                }
                pc = target.pc();
                continue;
            }};
        }
        macro_rules! load {
            ($ab:expr, $size:literal, $point:literal) => {{
                let Ab { dst, a } = $ab;
                let address = slot!(a);
                if $point && left == 0 {
                    leave!(Exit::Point);
                }
                let found = readable::<$size>(&mut self.world.memory, address, RACY && $point);
                let Some((line, value)) = found else { leave!(if $point { Exit::Point } else { Exit::Local }) };
                if RACY && $point && !self.touch::<false>(line, address, $size, &top, pc) {
                    leave!(Exit::Point);
                }
                slot!(dst) = value;
                if $size == 8 {
                    self.world.memory.expect_access(value);
                }
                if $point {
                    left -= 1;
                }
            }};
        }
        macro_rules! store {
            ($ab:expr, $size:literal, $point:literal) => {{
                let Ab { dst, a } = $ab;
                let (address, value) = (slot!(dst), slot!(a));
                if $point && left == 0 {
                    leave!(Exit::Point);
                }
                let found = writable::<$size>(&mut self.world.memory, address, RACY && $point);
                let Some(line) = found else { leave!(if $point { Exit::Point } else { Exit::Local }) };
                if RACY && $point && !self.touch::<true>(line, address, $size, &top, pc) {
                    leave!(Exit::Point);
                }
                if $point {
                    left -= 1;
                    self.stores += 1;
                    self.thread.arrivals.forget();
                } else if line.load::<$size>(address) != Some(value & op::mask($size * 8)) {
                    self.thread.arrivals.forget();
                }
                line.store::<$size>(address, value);
            }};
        }
        macro_rules! compute {
            ($abc:expr, |$a:ident, $b:ident| $result:expr) => {{
                let abc = $abc;
                let ($a, $b) = (slot!(abc.a), slot!(abc.b));
                slot!(abc.dst) = $result;
            }};
        }
        macro_rules! add_load {
            ($sum:expr, $loaded:expr, $size:literal, $point:literal) => {{
                let sum = $sum;
                compute!(sum, |a, b| a.wrapping_add(b));
                pc += 1;
                load!(Ab { dst: $loaded, a: sum.dst }, $size, $point)
            }};
        }
        macro_rules! add_store {
            ($sum:expr, $value:expr, $size:literal, $point:literal) => {{
                let sum = $sum;
                compute!(sum, |a, b| a.wrapping_add(b));
                pc += 1;
                store!(Ab { dst: sum.dst, a: $value }, $size, $point)
            }};
        }
        macro_rules! branch {
            ($abc:expr, $jumps:expr, |$a:ident, $b:ident| $result:expr) => {{
                let (abc, jumps) = ($abc, $jumps);
                let ($a, $b) = (slot!(abc.a), slot!(abc.b));
                let result: bool = $result;
                slot!(abc.dst) = result as u64;
                pc += 1;
                jump!(if result { jumps.then } else { jumps.other })
            }};
        }

        loop {
            match *unsafe { top.code.ops.get_unchecked(pc) } {
                Op::Local => leave!(Exit::Local),
                Op::Point => leave!(Exit::Point),
                Op::Add64(abc) => compute!(abc, |a, b| a.wrapping_add(b)),
                Op::Add32(abc) => compute!(abc, |a, b| (a as u32).wrapping_add(b as u32) as u64),
                Op::Sub64(abc) => compute!(abc, |a, b| a.wrapping_sub(b)),
                Op::Sub32(abc) => compute!(abc, |a, b| (a as u32).wrapping_sub(b as u32) as u64),
                Op::Mul64(abc) => compute!(abc, |a, b| a.wrapping_mul(b)),
                Op::Mul32(abc) => compute!(abc, |a, b| (a as u32).wrapping_mul(b as u32) as u64),
                Op::And(abc) => compute!(abc, |a, b| a & b),
                Op::Or(abc) => compute!(abc, |a, b| a | b),
                Op::Xor(abc) => compute!(abc, |a, b| a ^ b),
                Op::Shl64(abc) => compute!(abc, |a, b| if b < 64 { a << b } else { 0 }),
                Op::Shl32(abc) => compute!(abc, |a, b| if b < 32 { (a << b) as u32 as u64 } else { 0 }),
                Op::LShr64(abc) => compute!(abc, |a, b| if b < 64 { a >> b } else { 0 }),
                Op::LShr32(abc) => compute!(abc, |a, b| if b < 32 { a >> b } else { 0 }),
                Op::AShr64(abc) => compute!(abc, |a, b| (a as i64 >> b.min(63)) as u64),
                Op::AShr32(abc) => compute!(abc, |a, b| (a as i32 >> b.min(31)) as u32 as u64),
                Op::BinN(abc, op, width) => compute!(abc, |a, b| op::bin(op, width, a, b)),
                Op::Divide(abc, op, width) => {
                    let (a, b) = (slot!(abc.a), slot!(abc.b));
                    if left == 0 || b == 0 || b == op::mask(width) {
                        leave!(Exit::Point);
                    }
                    slot!(abc.dst) = op::bin(op, width, a, b);
                    left -= 1;
                }
                Op::Eq(abc) => compute!(abc, |a, b| (a == b) as u64),
                Op::Ne(abc) => compute!(abc, |a, b| (a != b) as u64),
                Op::Ult(abc) => compute!(abc, |a, b| (a < b) as u64),
                Op::Ule(abc) => compute!(abc, |a, b| (a <= b) as u64),
                Op::Slt64(abc) => compute!(abc, |a, b| ((a as i64) < b as i64) as u64),
                Op::Sle64(abc) => compute!(abc, |a, b| (a as i64 <= b as i64) as u64),
                Op::Slt32(abc) => compute!(abc, |a, b| ((a as i32) < b as i32) as u64),
                Op::Sle32(abc) => compute!(abc, |a, b| (a as i32 <= b as i32) as u64),
                Op::CmpN(abc, pred, width) => compute!(abc, |a, b| op::cmp(pred, width, a, b) as u64),
                Op::MulAdd64(product, sum) => {
                    compute!(product, |a, b| a.wrapping_mul(b));
                    slot!(sum.dst) = slot!(sum.a).wrapping_add(slot!(product.dst));
                    pc += 1;
                }
                Op::AddLoad1(sum, loaded) => add_load!(sum, loaded, 1, false),
                Op::AddLoad4(sum, loaded) => add_load!(sum, loaded, 4, false),
                Op::AddLoad8(sum, loaded) => add_load!(sum, loaded, 8, false),
                Op::AddPointLoad1(sum, loaded) => add_load!(sum, loaded, 1, true),
                Op::AddPointLoad4(sum, loaded) => add_load!(sum, loaded, 4, true),
                Op::AddPointLoad8(sum, loaded) => add_load!(sum, loaded, 8, true),
                Op::AddStore1(sum, value) => add_store!(sum, value, 1, false),
                Op::AddStore4(sum, value) => add_store!(sum, value, 4, false),
                Op::AddStore8(sum, value) => add_store!(sum, value, 8, false),
                Op::AddPointStore1(sum, value) => add_store!(sum, value, 1, true),
                Op::AddPointStore4(sum, value) => add_store!(sum, value, 4, true),
                Op::AddPointStore8(sum, value) => add_store!(sum, value, 8, true),
                Op::Copies(first, second) => {
                    slot!(first.dst) = slot!(first.a);
                    slot!(second.dst) = slot!(second.a);
                    pc += 1;
                }
                Op::CopyJump(ab, target) => {
                    slot!(ab.dst) = slot!(ab.a);
                    pc += 1;
                    jump!(target)
                }
                Op::Copy(ab) => slot!(ab.dst) = slot!(ab.a),
                Op::Trunc32(ab) => slot!(ab.dst) = slot!(ab.a) as u32 as u64,
                Op::TruncN(ab, width) => slot!(ab.dst) = slot!(ab.a) & op::mask(width),
                Op::SExt32(ab) => slot!(ab.dst) = slot!(ab.a) as i32 as i64 as u64,
                Op::SExtN(ab, from, to) => slot!(ab.dst) = op::signed(from, slot!(ab.a)) as u64 & op::mask(to),
                Op::Select(abc, cond) => {
                    slot!(abc.dst) = if slot!(cond) != 0 { slot!(abc.a) } else { slot!(abc.b) };
                }
                Op::AddDouble(abc) => compute!(abc, |a, b| float::bin(FloatOp::Add, Format::Double, a, b)),
                Op::SubDouble(abc) => compute!(abc, |a, b| float::bin(FloatOp::Sub, Format::Double, a, b)),
                Op::MulDouble(abc) => compute!(abc, |a, b| float::bin(FloatOp::Mul, Format::Double, a, b)),
                Op::FloatBin(abc, op, format) => compute!(abc, |a, b| float::bin(op, format, a, b)),
                Op::FloatCmp(abc, pred, format) => compute!(abc, |a, b| float::cmp(pred, format, a, b) as u64),
                Op::DoubleFromI32(ab) => slot!(ab.dst) = (slot!(ab.a) as i32 as f64).to_bits(),
                Op::DoubleFromU32(ab) => slot!(ab.dst) = (slot!(ab.a) as u32 as f64).to_bits(),
                Op::FloatCast(ab, cast) => slot!(ab.dst) = float::cast(cast, slot!(ab.a)),
                Op::Load1(ab) => load!(ab, 1, false),
                Op::Load2(ab) => load!(ab, 2, false),
                Op::Load4(ab) => load!(ab, 4, false),
                Op::Load8(ab) => load!(ab, 8, false),
                Op::PointLoad1(ab) => load!(ab, 1, true),
                Op::PointLoad2(ab) => load!(ab, 2, true),
                Op::PointLoad4(ab) => load!(ab, 4, true),
                Op::PointLoad8(ab) => load!(ab, 8, true),
                Op::Store1(ab) => store!(ab, 1, false),
                Op::Store2(ab) => store!(ab, 2, false),
                Op::Store4(ab) => store!(ab, 4, false),
                Op::Store8(ab) => store!(ab, 8, false),
                Op::PointStore1(ab) => store!(ab, 1, true),
                Op::PointStore2(ab) => store!(ab, 2, true),
                Op::PointStore4(ab) => store!(ab, 4, true),
                Op::PointStore8(ab) => store!(ab, 8, true),
                Op::Jump(target) => jump!(target),
                Op::BulkJump(target, bulk) => {
                    let bulk = &top.code.bulks[bulk as usize];
                    let rounds = self.rounds::<RACY>(&top, bulk, left);
                    executed = executed.wrapping_add(rounds as u64 * bulk.instructions as u64);
                    left -= rounds * bulk.points();
                    jump!(target)
                }
                Op::Branch(cond, jumps) => jump!(if slot!(cond) != 0 { jumps.then } else { jumps.other }),
                Op::EqBranch(abc, jumps) => branch!(abc, jumps, |a, b| a == b),
                Op::NeBranch(abc, jumps) => branch!(abc, jumps, |a, b| a != b),
                Op::UltBranch(abc, jumps) => branch!(abc, jumps, |a, b| a < b),
                Op::UleBranch(abc, jumps) => branch!(abc, jumps, |a, b| a <= b),
                Op::Slt64Branch(abc, jumps) => branch!(abc, jumps, |a, b| (a as i64) < b as i64),
                Op::Sle64Branch(abc, jumps) => branch!(abc, jumps, |a, b| a as i64 <= b as i64),
                Op::Slt32Branch(abc, jumps) => branch!(abc, jumps, |a, b| (a as i32) < b as i32),
                Op::Sle32Branch(abc, jumps) => branch!(abc, jumps, |a, b| a as i32 <= b as i32),
                Op::Switch(value, table) => jump!(top.code.switches[table as usize].target(slot!(value))),
                Op::Alloca(Ab { dst, a }, align) => match self.new_stack_object(pc, slot!(a), align) {
                    Some(address) => slot!(dst) = address,
                    None => leave!(Exit::Local),
                },
                Op::Malloc(Ab { dst, a }) => {
                    if left == 0 {
                        leave!(Exit::Point);
                    }
                    match self.allocate(pc, slot!(a)) {
                        Some(address) => slot!(dst) = address,
                        None => leave!(Exit::Point),
                    }
                    left -= 1;
                }
                Op::Free(pointer) => {
                    if left == 0 || !self.free(slot!(pointer)) {
                        leave!(Exit::Point);
                    }
                    left -= 1;
                }
                Op::Call(site) => {
                    let Some(callee) = self.call(&top, pc, None, site) else { leave!(Exit::Local) };
                    executed = executed.wrapping_add(1 + pc as u64);
                    (top, pc) = (callee, 0);
                    continue;
                }
                Op::CallIndirect(pointer, site) => {
                    let pointer = slot!(pointer);
                    let Some(callee) = self.call(&top, pc, Some(pointer), site) else { leave!(Exit::Local) };
                    executed = executed.wrapping_add(1 + pc as u64);
                    (top, pc) = (callee, 0);
                    continue;
                }
                Op::Return(values) => {
                    if !self.return_values(&top, values) {
                        leave!(Exit::Local);
                    }
                    executed = executed.wrapping_add(1 + pc as u64);
                    (top, pc) = self.top();
                    executed = executed.wrapping_sub(pc as u64);
                    if self.thread.top().undefined {
                        leave!(Exit::Local);
                    }
                    continue;
                }
            }
            pc = pc.wrapping_add(1);
        }
    }
}

/// The bytes at `address` and where they were found, if they are all there and defined. `races` says whether races are
/// looked for.
#[inline(always)]
fn readable<const SIZE: usize>(memory: &mut Memory, address: u64, races: bool) -> Option<(Line, u64)> {
    let load = |line: &Line| line.load::<SIZE>(address).map(|value| (*line, value));
    match memory.line(address).filter(|line| !races || line.has_cells()).and_then(load) {
        Some(found) => Some(found),
        None => memory.look_up(address, false, races).and_then(load),
    }
}

/// Where the bytes at `address` are, if they are all there and may be written.
#[inline(always)]
fn writable<const SIZE: usize>(memory: &mut Memory, address: u64, races: bool) -> Option<Line> {
    let may_store = |line: &&Line| line.may_store(address, SIZE as u64) && (!races || line.has_cells());
    match memory.line(address).filter(may_store) {
        Some(line) => Some(*line),
        None => memory.look_up(address, true, races).filter(may_store).copied(),
    }
}
