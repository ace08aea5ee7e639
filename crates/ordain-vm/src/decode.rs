//! A function in the form that the hot loop executes (see `fast`).
//!
//! One operation per instruction, under the same number, so that a program counter means the same here and in the
//! `Program`. Operands are slots of the frame: registers first, then the constants of the function. Widths are part of
//! the operation. Two instructions that often follow each other may be one operation, which then stands at the first; the
//! second still has its own. What has no fast form is left to the interpreter in `local`, and so is whatever goes wrong.

mod pairs;

use crate::bulk::{self, Bulk};
use crate::shadow::Site;
use ordain_expr::float::{FloatCast, FloatOp, FloatPred, Format};
use ordain_expr::op::{BinOp, CastOp, Pred, Width, mask};
use ordain_ir::facts::{Facts, FunctionFacts, loops};
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Function, Inst, LocId, Operand, Pc, Program, Reg};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Index of a value in a frame.
pub(crate) type Slot = u16;

/// Where a jump goes: the number of the first instruction, and whether it is the header of a loop (and which kind).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target(u32);

impl Target {
    const WATCHED: u32 = 1 << 31;
    const HEADER: u32 = 1 << 30;

    #[inline(always)]
    pub fn pc(self) -> usize {
        (self.0 & !(Self::WATCHED | Self::HEADER)) as usize
    }

    #[inline(always)]
    pub fn is_header(self) -> bool {
        self.0 >= Self::HEADER
    }

    /// A loop header at which a thread may turn out to be waiting.
    pub fn is_watched(self) -> bool {
        self.0 & Self::WATCHED != 0
    }
}

/// Three slots: where the result goes, and the operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abc {
    pub dst: Slot,
    pub a: Slot,
    pub b: Slot,
}

/// A result and an operand, or an address and a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ab {
    pub dst: Slot,
    pub a: Slot,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Jumps {
    pub then: Target,
    pub other: Target,
}

/// Names end with the width; `N` stands for any. Memory accesses end with the number of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Left to the interpreter in `local`.
    Local,
    /// A point that is left to `points`.
    Point,
    Add64(Abc),
    Add32(Abc),
    Sub64(Abc),
    Sub32(Abc),
    Mul64(Abc),
    Mul32(Abc),
    And(Abc),
    Or(Abc),
    Xor(Abc),
    Shl64(Abc),
    Shl32(Abc),
    LShr64(Abc),
    LShr32(Abc),
    AShr64(Abc),
    AShr32(Abc),
    BinN(Abc, BinOp, Width),
    /// A product, and the sum of that (second result) and another number: the address of an element.
    MulAdd64(Abc, Ab),
    /// A sum, and what is at that address.
    AddLoad1(Abc, Slot),
    AddLoad4(Abc, Slot),
    AddLoad8(Abc, Slot),
    AddPointLoad1(Abc, Slot),
    AddPointLoad4(Abc, Slot),
    AddPointLoad8(Abc, Slot),
    /// A sum, and what is written to that address.
    AddStore1(Abc, Slot),
    AddStore4(Abc, Slot),
    AddStore8(Abc, Slot),
    AddPointStore1(Abc, Slot),
    AddPointStore4(Abc, Slot),
    AddPointStore8(Abc, Slot),
    Divide(Abc, BinOp, Width),
    Eq(Abc),
    Ne(Abc),
    Ult(Abc),
    Ule(Abc),
    Slt64(Abc),
    Sle64(Abc),
    Slt32(Abc),
    Sle32(Abc),
    CmpN(Abc, Pred, Width),
    Copy(Ab),
    Copies(Ab, Ab),
    CopyJump(Ab, Target),
    Trunc32(Ab),
    TruncN(Ab, Width),
    SExt32(Ab),
    SExtN(Ab, Width, Width),
    Select(Abc, Slot),
    AddDouble(Abc),
    SubDouble(Abc),
    MulDouble(Abc),
    FloatBin(Abc, FloatOp, Format),
    FloatCmp(Abc, FloatPred, Format),
    FloatCast(Ab, FloatCast),
    DoubleFromI32(Ab),
    DoubleFromU32(Ab),
    Load1(Ab),
    Load2(Ab),
    Load4(Ab),
    Load8(Ab),
    Store1(Ab),
    Store2(Ab),
    Store4(Ab),
    Store8(Ab),
    PointLoad1(Ab),
    PointLoad2(Ab),
    PointLoad4(Ab),
    PointLoad8(Ab),
    PointStore1(Ab),
    PointStore2(Ab),
    PointStore4(Ab),
    PointStore8(Ab),
    Jump(Target),
    /// Back to the header of a loop of which many rounds can be done at once.
    BulkJump(Target, u32),
    Branch(Slot, Jumps),
    EqBranch(Abc, Jumps),
    NeBranch(Abc, Jumps),
    UltBranch(Abc, Jumps),
    UleBranch(Abc, Jumps),
    Slt64Branch(Abc, Jumps),
    Sle64Branch(Abc, Jumps),
    Slt32Branch(Abc, Jumps),
    Sle32Branch(Abc, Jumps),
    Switch(Slot, u32),
    /// Where the address goes, the size, the alignment.
    Alloca(Ab, u32),
    Malloc(Ab),
    Free(Slot),
    Call(u32),
    CallIndirect(Slot, u32),
    Return(u32),
}

/// Operations are read all the time.
const _: () = assert!(size_of::<Op>() == 16);

/// Where a switch goes: a table from its smallest case on, or pairs in order.
#[derive(Debug)]
pub(crate) struct SwitchTable {
    first: u64,
    table: Vec<Target>,
    cases: Vec<(u64, Target)>,
    default: Target,
}

impl SwitchTable {
    pub fn target(&self, value: u64) -> Target {
        if !self.table.is_empty() {
            return self.table.get(value.wrapping_sub(self.first) as usize).copied().unwrap_or(self.default);
        }
        let found = self.cases.binary_search_by_key(&value, |(case, _)| *case);
        found.map_or(self.default, |at| self.cases[at].1)
    }
}

#[derive(Debug)]
pub(crate) struct CallSite {
    /// Of a direct call.
    pub callee: Option<FuncId>,
    pub args: Box<[Slot]>,
    /// Where results go, and the bits they have there.
    pub dsts: Box<[(Slot, u64)]>,
}

#[derive(Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    /// What a fresh frame has: zeroed registers, constants.
    pub frame: Vec<u64>,
    /// Where parameters go, and the bits they have.
    pub params: Vec<(Slot, u64)>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<SwitchTable>,
    pub bulks: Vec<Bulk<Slot>>,
    pub returns: Vec<Box<[Slot]>>,
    /// The watched loop headers, by the number of their first instruction.
    pub headers: FxHashMap<u32, BlockId>,
    /// Whether instructions have a place in the user's code, by their number; empty if none has.
    pub located: Vec<bool>,
}

/// The functions of a program, each decoded when it is first called.
pub(crate) struct Codes<'p> {
    program: &'p Program,
    facts: &'p Facts,
    codes: Vec<OnceCell<Code>>,
    /// Of every function, how many instructions those before it have.
    first_sites: Vec<Site>,
}

impl<'p> Codes<'p> {
    pub fn new(program: &'p Program, facts: &'p Facts) -> Self {
        let codes = program.functions.iter().map(|_| OnceCell::new()).collect();
        let lengths = program.functions.iter().map(|f| f.code.len() as Site);
        let first_sites = lengths.scan(0, |sum, length| Some(std::mem::replace(sum, *sum + length))).collect();
        Codes { program, facts, codes, first_sites }
    }

    #[inline(always)]
    pub fn first_site(&self, id: FuncId) -> Site {
        self.first_sites[id.index()]
    }

    /// The instruction that a site is.
    pub fn instruction(&self, site: Site) -> (FuncId, Pc) {
        let function = self.first_sites.partition_point(|first| *first <= site) - 1;
        (FuncId(function as u32), Pc(site - self.first_sites[function]))
    }

    #[inline(always)]
    pub fn get(&self, id: FuncId) -> &Code {
        self.codes[id.index()].get_or_init(|| decode(self.program.function(id), self.facts.function(id)))
    }
}

/// A larger range of cases than this many times their number is searched, not indexed.
const SPARSE: u64 = 8;
/// Frames are indexed with 16 bits; larger functions are left to the interpreter.
const MOST_SLOTS: usize = Slot::MAX as usize;

pub(crate) fn decode(function: &Function, facts: &FunctionFacts) -> Code {
    let mut decoder = Decoder { function, facts, constants: FxHashMap::default(), code: Code::default() };
    decoder.code.frame = vec![0; function.registers.len()];
    if function.registers.len() < MOST_SLOTS {
        decoder.code.params = function.params.iter().map(|&r| decoder.destination(r)).collect();
        for (pc, inst) in function.code.iter().enumerate() {
            let next = function.code.get(pc + 1);
            let pair = next.and_then(|next| decoder.pair(pc, inst, next));
            let op = pair.or_else(|| decoder.bulk_jump(pc, inst)).or_else(|| decoder.single(inst));
            decoder.code.ops.push(op.unwrap_or_else(|| otherwise(inst)));
        }
    }
    if decoder.code.frame.len() > MOST_SLOTS || decoder.code.ops.is_empty() {
        decoder.code.frame.truncate(function.registers.len());
        decoder.code.ops = function.code.iter().map(otherwise).collect();
    }
    let located = |location: &LocId| !function.model && *location != LocId(0);
    decoder.code.located = function.locations.iter().map(located).collect();
    decoder.code
}

fn otherwise(inst: &Inst) -> Op {
    if inst.is_point() { Op::Point } else { Op::Local }
}

struct Decoder<'f> {
    function: &'f Function,
    facts: &'f FunctionFacts,
    constants: FxHashMap<u64, Slot>,
    code: Code,
}

impl Decoder<'_> {
    fn width(&self, register: Reg) -> Width {
        self.function.registers[register.index()]
    }

    fn destination(&self, register: Reg) -> (Slot, u64) {
        (register.0 as Slot, mask(self.width(register)))
    }

    fn constant(&mut self, value: u64) -> Slot {
        let frame = &mut self.code.frame;
        *self.constants.entry(value).or_insert_with(|| {
            frame.push(value);
            (frame.len() - 1) as Slot
        })
    }

    /// The slot of an operand whose bits beyond `width` are zero.
    fn slot(&mut self, operand: &Operand, width: Width) -> Option<Slot> {
        match *operand {
            Operand::Reg(r) => (self.width(r) <= width).then_some(r.0 as Slot),
            Operand::Imm(value) => Some(self.constant(value & mask(width))),
            Operand::Undefined => None,
        }
    }

    fn abc(&mut self, dst: Reg, a: &Operand, b: &Operand, width: Width) -> Option<Abc> {
        Some(Abc { dst: dst.0 as Slot, a: self.slot(a, width)?, b: self.slot(b, width)? })
    }

    fn target(&mut self, block: BlockId) -> Target {
        let start = self.function.blocks[block.index()].start.0;
        if !self.facts.is_loop_header(block) {
            return Target(start);
        }
        if !loops::may_await(self.function, self.facts, block) {
            return Target(start | Target::HEADER);
        }
        self.code.headers.insert(start, block);
        Target(start | Target::HEADER | Target::WATCHED)
    }

    fn jumps(&mut self, then: BlockId, other: BlockId) -> Jumps {
        Jumps { then: self.target(then), other: self.target(other) }
    }

    fn copy(&mut self, dst: Reg, src: &Operand) -> Option<Ab> {
        Some(Ab { dst: dst.0 as Slot, a: self.slot(src, self.width(dst))? })
    }

    /// The loop that ends with a jump at `pc`, if many of its rounds can be done at once.
    fn bulk(&mut self, pc: usize, inst: &Inst) -> Option<Bulk<Slot>> {
        let Inst::Br { to } = inst else { return None };
        let target = self.target(*to);
        if !target.is_header() || target.is_watched() {
            return None;
        }
        let latch = self.facts.block_of(Pc(pc as u32));
        bulk::recognise(self.function, self.facts, latch, *to)?.map(|value| self.slot(&value, 64))
    }

    fn bulk_jump(&mut self, pc: usize, inst: &Inst) -> Option<Op> {
        let (Inst::Br { to }, bulk) = (inst, self.bulk(pc, inst)?) else { return None };
        self.code.bulks.push(bulk);
        Some(Op::BulkJump(self.target(*to), self.code.bulks.len() as u32 - 1))
    }

    fn single(&mut self, inst: &Inst) -> Option<Op> {
        Some(match inst {
            Inst::Bin { op, width, dst, a, b } => {
                let abc = self.abc(*dst, a, b, *width)?;
                if inst.is_point() { Op::Divide(abc, *op, *width) } else { binary(*op, *width, abc) }
            }
            Inst::Cmp { pred, width, dst, a, b } => compare(*pred, *width, self.abc(*dst, a, b, *width)?),
            Inst::Cast { op, from, to, dst, a } => {
                let ab = Ab { dst: dst.0 as Slot, a: self.slot(a, *from)? };
                match (op, from, to) {
                    (CastOp::ZExt, ..) => Op::Copy(ab),
                    (CastOp::Trunc, _, 32) => Op::Trunc32(ab),
                    (CastOp::Trunc, ..) => Op::TruncN(ab, *to),
                    (CastOp::SExt, 32, 64) => Op::SExt32(ab),
                    (CastOp::SExt, ..) => Op::SExtN(ab, *from, *to),
                }
            }
            Inst::Select { dst, cond, then, other } => {
                let width = self.width(*dst);
                let cond = self.slot(cond, 1)?;
                Op::Select(self.abc(*dst, then, other, width)?, cond)
            }
            // All that the hot loop computes with is defined.
            Inst::Copy { dst, src } | Inst::Freeze { dst, src } => Op::Copy(self.copy(*dst, src)?),
            Inst::FloatBin { op, format, dst, a, b } => {
                let abc = self.abc(*dst, a, b, format.width())?;
                match (op, format) {
                    (FloatOp::Add, Format::Double) => Op::AddDouble(abc),
                    (FloatOp::Sub, Format::Double) => Op::SubDouble(abc),
                    (FloatOp::Mul, Format::Double) => Op::MulDouble(abc),
                    _ => Op::FloatBin(abc, *op, *format),
                }
            }
            Inst::FloatCmp { pred, format, dst, a, b } => {
                Op::FloatCmp(self.abc(*dst, a, b, format.width())?, *pred, *format)
            }
            Inst::FloatCast { cast, dst, a } => {
                let ab = Ab { dst: dst.0 as Slot, a: self.slot(a, cast.from())? };
                match *cast {
                    FloatCast::FromInt { from: 32, to: Format::Double, signed: true } => Op::DoubleFromI32(ab),
                    FloatCast::FromInt { from: 32, to: Format::Double, signed: false } => Op::DoubleFromU32(ab),
                    _ => Op::FloatCast(ab, *cast),
                }
            }
            Inst::Alloca { dst, size, align, .. } => {
                Op::Alloca(Ab { dst: dst.0 as Slot, a: self.slot(size, 64)? }, *align)
            }
            Inst::Load { dst, addr, size, order: None, point } if self.width(*dst) >= size * 8 => {
                load(*size, *point, Ab { dst: dst.0 as Slot, a: self.slot(addr, 64)? })?
            }
            Inst::Store { value, addr, size, order: None, point } => {
                store(*size, *point, Ab { dst: self.slot(addr, 64)?, a: self.slot(value, size * 8)? })?
            }
            Inst::Br { to } => Op::Jump(self.target(*to)),
            Inst::CondBr { cond, then, other } => Op::Branch(self.slot(cond, 1)?, self.jumps(*then, *other)),
            Inst::Switch { value, width, cases, default } => {
                let value = self.slot(value, *width)?;
                let cases = cases.iter().map(|(case, to)| (case & mask(*width), self.target(*to))).collect();
                let default = self.target(*default);
                self.code.switches.push(switch_table(cases, default));
                Op::Switch(value, self.code.switches.len() as u32 - 1)
            }
            Inst::Call { callee, args, dsts } => return self.call(callee, args, dsts),
            Inst::Ret { values } => {
                let slots: Option<Box<[Slot]>> = values.iter().map(|v| self.slot(v, 64)).collect();
                self.code.returns.push(slots?);
                Op::Return(self.code.returns.len() as u32 - 1)
            }
            _ => return None,
        })
    }

    fn call(&mut self, callee: &Callee, args: &[Operand], dsts: &[Reg]) -> Option<Op> {
        let direct = match callee {
            Callee::Direct(id) => Some(*id),
            Callee::Indirect(_) => None,
            Callee::Builtin(builtin) => return self.builtin(*builtin, args, dsts),
            Callee::Unknown(_) => return None,
        };
        let args: Option<Box<[Slot]>> = args.iter().map(|a| self.slot(a, 64)).collect();
        let dsts = dsts.iter().map(|&r| self.destination(r)).collect();
        self.code.calls.push(CallSite { callee: direct, args: args?, dsts });
        let site = self.code.calls.len() as u32 - 1;
        Some(match callee {
            Callee::Indirect(pointer) => Op::CallIndirect(self.slot(pointer, 64)?, site),
            _ => Op::Call(site),
        })
    }

    fn builtin(&mut self, builtin: Builtin, args: &[Operand], dsts: &[Reg]) -> Option<Op> {
        match (builtin, args, dsts) {
            (Builtin::Malloc, [size], [dst]) if self.width(*dst) == 64 => {
                Some(Op::Malloc(Ab { dst: dst.0 as Slot, a: self.slot(size, 64)? }))
            }
            (Builtin::Free, [pointer], []) => Some(Op::Free(self.slot(pointer, 64)?)),
            _ => None,
        }
    }
}

fn binary(op: BinOp, width: Width, abc: Abc) -> Op {
    match (op, width) {
        (BinOp::Add, 64) => Op::Add64(abc),
        (BinOp::Add, 32) => Op::Add32(abc),
        (BinOp::Sub, 64) => Op::Sub64(abc),
        (BinOp::Sub, 32) => Op::Sub32(abc),
        (BinOp::Mul, 64) => Op::Mul64(abc),
        (BinOp::Mul, 32) => Op::Mul32(abc),
        (BinOp::And, _) => Op::And(abc),
        (BinOp::Or, _) => Op::Or(abc),
        (BinOp::Xor, _) => Op::Xor(abc),
        (BinOp::Shl, 64) => Op::Shl64(abc),
        (BinOp::Shl, 32) => Op::Shl32(abc),
        (BinOp::LShr, 64) => Op::LShr64(abc),
        (BinOp::LShr, 32) => Op::LShr32(abc),
        (BinOp::AShr, 64) => Op::AShr64(abc),
        (BinOp::AShr, 32) => Op::AShr32(abc),
        _ => Op::BinN(abc, op, width),
    }
}

fn compare(pred: Pred, width: Width, abc: Abc) -> Op {
    match (pred, width) {
        (Pred::Eq, _) => Op::Eq(abc),
        (Pred::Ne, _) => Op::Ne(abc),
        (Pred::Ult, _) => Op::Ult(abc),
        (Pred::Ule, _) => Op::Ule(abc),
        (Pred::Slt, 64) => Op::Slt64(abc),
        (Pred::Sle, 64) => Op::Sle64(abc),
        (Pred::Slt, 32) => Op::Slt32(abc),
        (Pred::Sle, 32) => Op::Sle32(abc),
        _ => Op::CmpN(abc, pred, width),
    }
}

fn load(size: u8, point: bool, ab: Ab) -> Option<Op> {
    Some(match (size, point) {
        (1, false) => Op::Load1(ab),
        (2, false) => Op::Load2(ab),
        (4, false) => Op::Load4(ab),
        (8, false) => Op::Load8(ab),
        (1, true) => Op::PointLoad1(ab),
        (2, true) => Op::PointLoad2(ab),
        (4, true) => Op::PointLoad4(ab),
        (8, true) => Op::PointLoad8(ab),
        _ => return None,
    })
}

fn store(size: u8, point: bool, ab: Ab) -> Option<Op> {
    Some(match (size, point) {
        (1, false) => Op::Store1(ab),
        (2, false) => Op::Store2(ab),
        (4, false) => Op::Store4(ab),
        (8, false) => Op::Store8(ab),
        (1, true) => Op::PointStore1(ab),
        (2, true) => Op::PointStore2(ab),
        (4, true) => Op::PointStore4(ab),
        (8, true) => Op::PointStore8(ab),
        _ => return None,
    })
}

fn switch_table(mut cases: Vec<(u64, Target)>, default: Target) -> SwitchTable {
    // Of equal cases the first one counts, so the order among them stays.
    cases.sort_by_key(|(case, _)| *case);
    cases.dedup_by_key(|(case, _)| *case);
    let first = cases.first().map_or(0, |c| c.0);
    let range = cases.last().map_or(0, |c| c.0) - first;
    if range > SPARSE * cases.len() as u64 {
        return SwitchTable { first, table: Vec::new(), cases, default };
    }
    let mut table = vec![default; range as usize + 1];
    for (case, to) in &cases {
        table[(case - first) as usize] = *to;
    }
    SwitchTable { first, table, cases, default }
}
