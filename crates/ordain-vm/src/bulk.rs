//! Loops that copy, fill or compare memory, and how many of their rounds can be done at once.
//!
//! `memcpy` and its kin are models in C: a dozen instructions for every byte or word. Here such loops are recognised by
//! what a round of them does, whoever wrote them: one register counts, and from that the addresses follow. At the end of
//! a round the hot loop (`fast`) does as many of the next ones as differ in nothing but the counter and the bytes, all but
//! the last: that one is executed as usual, so that it leaves all other registers as they have to be.

use ordain_expr::op::{BinOp, CastOp, Pred, Width};
use ordain_ir::facts::FunctionFacts;
use ordain_ir::program::{BlockId, Function, Inst, Operand, Pc, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rounds with more instructions are not worth a look.
const MOST_INSTRUCTIONS: usize = 32;

/// A loop, with values of type `V`: operands of instructions, or slots of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bulk<V> {
    /// The register that counts bytes.
    pub index: V,
    /// Bytes per round.
    pub step: u64,
    pub bound: Bound,
    pub limit: V,
    pub work: Work<V>,
    /// Instructions of a round.
    pub instructions: u32,
}

/// What lets a loop go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// `index < limit`
    Below,
    /// `index + step <= limit`
    Within,
}

/// What a round does with the bytes at some address plus the counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Work<V> {
    Copy {
        from: Place<V>,
        to: Place<V>,
    },
    Fill {
        to: Place<V>,
        value: V,
    },
    /// The loop ends when they differ.
    Compare(Place<V>, Place<V>),
}

/// Where an access starts, and which instruction makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place<V> {
    pub base: V,
    pub at: Pc,
}

impl<V> Place<V> {
    fn map<W>(self, f: &mut impl FnMut(V) -> Option<W>) -> Option<Place<W>> {
        Some(Place { base: f(self.base)?, at: self.at })
    }
}

impl<V> Bulk<V> {
    /// Points of a round.
    pub fn points(&self) -> u32 {
        if matches!(self.work, Work::Fill { .. }) { 1 } else { 2 }
    }

    /// How many rounds there are until the counter ends the loop.
    pub fn rounds(&self, index: u64, limit: u64) -> u64 {
        let bytes = limit.saturating_sub(index);
        match self.bound {
            Bound::Below => bytes.div_ceil(self.step),
            Bound::Within => bytes / self.step,
        }
    }

    pub fn map<W>(self, mut f: impl FnMut(V) -> Option<W>) -> Option<Bulk<W>> {
        let Bulk { index, step, bound, limit, work, instructions } = self;
        let work = match work {
            Work::Copy { from, to } => Work::Copy { from: from.map(&mut f)?, to: to.map(&mut f)? },
            Work::Fill { to, value } => Work::Fill { to: to.map(&mut f)?, value: f(value)? },
            Work::Compare(a, b) => Work::Compare(a.map(&mut f)?, b.map(&mut f)?),
        };
        Some(Bulk { index: f(index)?, step, bound, limit: f(limit)?, work, instructions })
    }
}

/// The loop that goes back to `header` at the end of the block `latch`, if it is one of these.
pub(crate) fn recognise(
    function: &Function,
    facts: &FunctionFacts,
    latch: BlockId,
    header: BlockId,
) -> Option<Bulk<Operand>> {
    let path = path(function, facts, latch, header)?;
    let mut round = Round {
        function,
        index: counter(&path)?,
        assigned: path.iter().flat_map(|(_, inst)| inst.definitions()).collect(),
        values: FxHashMap::default(),
        loads: Vec::new(),
        stores: Vec::new(),
        step: None,
        bound: None,
        ends_if_different: false,
    };
    for (nth, &(pc, inst)) in path.iter().enumerate() {
        let mut carried = false;
        inst.for_each_use(|register| carried |= round.is_carried(register));
        if carried {
            return None;
        }
        match inst {
            Inst::CondBr { cond, then, other } => {
                // A branch is never the last instruction of a round.
                let (next, _) = path.get(nth + 1)?;
                let start = |block: &BlockId| function.blocks[block.index()].start;
                round.branch(cond, start(then) == *next, start(other) == *next)?;
            }
            _ => round.follow(pc, inst)?,
        }
    }
    round.result(path.len() as u32)
}

type Step<'f> = (Pc, &'f Inst);

/// The instructions of a round, from the header on. Blocks of it have no other ways in, so whoever is at its end has come
/// this way.
fn path<'f>(function: &'f Function, facts: &FunctionFacts, latch: BlockId, header: BlockId) -> Option<Vec<Step<'f>>> {
    let mut blocks = vec![latch];
    while let Some(&block) = blocks.last()
        && block != header
    {
        let [before] = *facts.predecessors(block) else { return None };
        if blocks.contains(&before) {
            return None;
        }
        blocks.push(before);
    }
    let mut path = Vec::new();
    for block in blocks.into_iter().rev() {
        let block = &function.blocks[block.index()];
        path.extend((block.start.0..block.end.0).map(|pc| (Pc(pc), &function.code[pc as usize])));
        if path.len() > MOST_INSTRUCTIONS {
            return None;
        }
    }
    Some(path)
}

/// The register to which a constant is added.
fn counter(path: &[Step<'_>]) -> Option<Reg> {
    let is_sum = |inst: &Inst, sum: Reg, of: Reg| match inst {
        Inst::Bin { op: BinOp::Add, width: 64, dst, a: Operand::Reg(a), b: Operand::Imm(_) } => (*dst, *a) == (sum, of),
        _ => false,
    };
    path.iter().find_map(|(_, inst)| match inst {
        Inst::Copy { dst, src: Operand::Reg(sum) } if path.iter().any(|(_, i)| is_sum(i, *sum, *dst)) => Some(*dst),
        _ => None,
    })
}

/// What is known about a value in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// The same in all rounds.
    Fixed,
    Index,
    IndexPlus(u64),
    /// The counter plus something that is the same in all rounds.
    Address(Operand),
    /// What the nth load has read.
    Loaded(usize),
    /// Whether the counter, to which so much was added, is still within a limit.
    GoesOn(Bound, Operand, u64),
    /// Whether the two that were loaded differ.
    Differ,
    Unknown,
}

struct Access {
    place: Place<Operand>,
    size: u8,
}

/// One round, as far as it has been followed.
struct Round<'f> {
    function: &'f Function,
    index: Reg,
    /// All registers that the round assigns.
    assigned: FxHashSet<Reg>,
    /// Those that it has assigned so far.
    values: FxHashMap<Reg, Value>,
    loads: Vec<Access>,
    stores: Vec<(Access, Operand, Value)>,
    step: Option<u64>,
    /// What ends the loop: how the counter is compared with what, after how much was added to it.
    bound: Option<(Bound, Operand, u64)>,
    ends_if_different: bool,
}

impl Round<'_> {
    fn value(&self, operand: &Operand) -> Value {
        match operand {
            Operand::Imm(_) => Value::Fixed,
            Operand::Undefined => Value::Unknown,
            Operand::Reg(r) => match self.values.get(r) {
                Some(value) => *value,
                None if *r == self.index => Value::Index,
                None => Value::Fixed,
            },
        }
    }

    /// Whether a register other than the counter has its value from the round before: then rounds are not independent.
    fn is_carried(&self, register: Reg) -> bool {
        register != self.index && self.assigned.contains(&register) && !self.values.contains_key(&register)
    }

    /// Takes in one instruction; `None` if it does not fit.
    fn follow(&mut self, at: Pc, inst: &Inst) -> Option<()> {
        match inst {
            Inst::Load { dst, addr, size, order: None, point: true } if self.width(*dst) >= size * 8 => {
                self.loads.push(self.access(addr, *size, at)?);
                self.values.insert(*dst, Value::Loaded(self.loads.len() - 1));
            }
            Inst::Store { value, addr, size, order: None, point: true } => {
                let stored = (self.access(addr, *size, at)?, *value, self.value(value));
                self.stores.push(stored);
            }
            Inst::Copy { dst, src } if *dst == self.index => {
                let Value::IndexPlus(step) = self.value(src) else { return None };
                self.step = Some(step);
                self.values.insert(*dst, Value::Unknown);
            }
            Inst::Copy { dst, src } => {
                let whole = matches!(src, Operand::Reg(r) if self.width(*r) <= self.width(*dst));
                self.values.insert(*dst, if whole { self.value(src) } else { Value::Unknown });
            }
            Inst::Bin { dst, .. } | Inst::Cmp { dst, .. } | Inst::Cast { dst, .. } if !inst.is_point() => {
                let value = self.compute(inst);
                self.values.insert(*dst, value);
            }
            Inst::Br { .. } => {}
            _ => return None,
        }
        Some(())
    }

    /// Takes in a branch, given whether the round goes on where it leads if it is taken, or else if it is not. The counter
    /// decides before anything is done; then only what was compared may end the loop.
    fn branch(&mut self, cond: &Operand, taken: bool, not_taken: bool) -> Option<()> {
        match self.value(cond) {
            Value::GoesOn(bound, limit, added)
                if taken && !not_taken && self.loads.is_empty() && self.stores.is_empty() && self.bound.is_none() =>
            {
                self.bound = Some((bound, limit, added));
            }
            Value::Differ if not_taken && !taken => self.ends_if_different = true,
            _ => return None,
        }
        Some(())
    }

    fn width(&self, register: Reg) -> Width {
        self.function.registers[register.index()]
    }

    fn access(&self, address: &Operand, size: u8, at: Pc) -> Option<Access> {
        match self.value(address) {
            Value::Address(base) => Some(Access { place: Place { base, at }, size }),
            _ => None,
        }
    }

    fn compute(&self, inst: &Inst) -> Value {
        match inst {
            Inst::Bin { op, width, a, b, .. } => match (op, width, self.value(a), self.value(b)) {
                (_, _, Value::Fixed, Value::Fixed) => Value::Fixed,
                (BinOp::Add, 64, Value::Index, Value::Fixed) => match *b {
                    Operand::Imm(bytes) => Value::IndexPlus(bytes),
                    base => Value::Address(base),
                },
                (BinOp::Add, 64, Value::Fixed, Value::Index) => Value::Address(*a),
                _ => Value::Unknown,
            },
            Inst::Cast { op, a, .. } => match (op, self.value(a)) {
                (_, Value::Fixed) => Value::Fixed,
                (CastOp::ZExt, Value::Loaded(nth)) => Value::Loaded(nth),
                _ => Value::Unknown,
            },
            Inst::Cmp { pred, width, a, b, .. } => match (pred, width, self.value(a), self.value(b)) {
                (_, _, Value::Fixed, Value::Fixed) => Value::Fixed,
                (Pred::Ult, 64, Value::Index, Value::Fixed) => Value::GoesOn(Bound::Below, *b, 0),
                (Pred::Ule, 64, Value::IndexPlus(n), Value::Fixed) => Value::GoesOn(Bound::Within, *b, n),
                (Pred::Ne, _, Value::Loaded(0), Value::Loaded(1)) => Value::Differ,
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    fn result(self, instructions: u32) -> Option<Bulk<Operand>> {
        let (bound, limit, added) = self.bound?;
        let step = self.step?;
        let as_expected = match bound {
            Bound::Below => added == 0,
            Bound::Within => added == step,
        };
        let whole = |access: &Access| access.size as u64 == step;
        let accesses = self.loads.iter().chain(self.stores.iter().map(|(store, ..)| store));
        if !as_expected || !accesses.into_iter().all(whole) {
            return None;
        }
        let work = match (&self.loads[..], &self.stores[..], self.ends_if_different) {
            ([from], [(to, _, Value::Loaded(0))], false) => Work::Copy { from: from.place, to: to.place },
            ([], [(to, value, Value::Fixed)], false) => Work::Fill { to: to.place, value: *value },
            ([a, b], [], true) => Work::Compare(a.place, b.place),
            _ => return None,
        };
        Some(Bulk { index: Operand::Reg(self.index), step, bound, limit, work, instructions })
    }
}
