//! Live registers, and live variables in memory, by the usual backward data flow over bit sets.

use crate::program::{BlockId, Function, Inst, Operand, Pc, Reg};

#[derive(Clone, PartialEq, Debug)]
struct RegSet(Vec<u64>);

impl RegSet {
    fn new(registers: usize) -> Self {
        RegSet(vec![0; registers.div_ceil(64)])
    }

    fn insert(&mut self, r: Reg) {
        self.0[r.index() / 64] |= 1 << (r.index() % 64);
    }

    fn remove(&mut self, r: Reg) {
        self.0[r.index() / 64] &= !(1 << (r.index() % 64));
    }

    fn contains(&self, r: Reg) -> bool {
        self.0[r.index() / 64] >> (r.index() % 64) & 1 == 1
    }

    fn union(&mut self, other: &RegSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        let bits = |word: u64| (0..64).filter(move |i| word >> i & 1 == 1);
        self.0.iter().enumerate().flat_map(move |(w, &word)| bits(word).map(move |i| Reg(w as u32 * 64 + i)))
    }
}

/// A variable in memory: a stack slot that every call of the function has one of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Local {
    /// Holds the address.
    pub slot: Reg,
    pub bytes: u64,
    /// The address is used for something else than loads and stores there, so other instructions may read the variable too.
    pub roams: bool,
}

/// What may still be read, at one place of a function.
#[derive(Clone, Debug)]
pub struct Live {
    /// In ascending order.
    pub registers: Vec<Reg>,
    /// Variables that are not read any more before they are written.
    pub dead: Vec<Local>,
}

#[derive(Clone, Debug)]
pub(super) struct Liveness {
    locals: Vec<Local>,
    /// By block: registers, and after them variables, that are live where it starts.
    live_in: Vec<RegSet>,
}

impl Liveness {
    pub fn new(function: &Function, successors: &[Vec<BlockId>], predecessors: &[Vec<BlockId>]) -> Self {
        let locals = locals(function);
        let empty = RegSet::new(function.registers.len() + locals.len());
        let mut this = Liveness { locals, live_in: vec![empty; function.blocks.len()] };
        let mut work: Vec<usize> = (0..function.blocks.len()).collect();
        while let Some(block) = work.pop() {
            let start = function.blocks[block].start;
            let set = this.live_before(function, BlockId(block as u32), start, &successors[block]);
            if set != this.live_in[block] {
                this.live_in[block] = set;
                work.extend(predecessors[block].iter().map(|b| b.index()));
            }
        }
        this
    }

    pub fn registers_at_start(&self, function: &Function) -> Vec<Vec<Reg>> {
        let registers = |set: &RegSet| set.iter().filter(|r| r.index() < function.registers.len()).collect();
        self.live_in.iter().map(registers).collect()
    }

    /// What is live before an instruction of a block.
    pub fn at(&self, function: &Function, block: BlockId, pc: Pc, successors: &[BlockId]) -> Live {
        let set = self.live_before(function, block, pc, successors);
        let registers = set.iter().filter(|r| r.index() < function.registers.len()).collect();
        let dead = (0..self.locals.len()).filter(|&i| !set.contains(self.pseudo(function, i)));
        Live { registers, dead: dead.map(|i| self.locals[i]).collect() }
    }

    fn live_before(&self, function: &Function, block: BlockId, pc: Pc, successors: &[BlockId]) -> RegSet {
        let mut set = RegSet::new(function.registers.len() + self.locals.len());
        successors.iter().for_each(|to| set.union(&self.live_in[to.index()]));
        for inst in function.code[pc.index()..function.blocks[block.index()].end.index()].iter().rev() {
            inst.definitions().for_each(|r| set.remove(r));
            inst.for_each_use(|r| set.insert(r));
            for (i, local) in self.locals.iter().enumerate() {
                let variable = self.pseudo(function, i);
                match self.touch(inst, local) {
                    Touch::Overwrites => set.remove(variable),
                    Touch::MayRead => set.insert(variable),
                    Touch::Neither => {}
                }
            }
        }
        set
    }

    /// Variables are numbered after the registers.
    fn pseudo(&self, function: &Function, local: usize) -> Reg {
        Reg((function.registers.len() + local) as u32)
    }

    fn touch(&self, inst: &Inst, local: &Local) -> Touch {
        let is_slot = |addr: &Operand, slot: Reg| *addr == Operand::Reg(slot);
        // Through another variable's address, only that one is read.
        let elsewhere =
            |addr: &Operand| self.locals.iter().any(|other| other.slot != local.slot && is_slot(addr, other.slot));
        match inst {
            Inst::Store { addr, size, .. } if is_slot(addr, local.slot) && u64::from(*size) == local.bytes => {
                Touch::Overwrites
            }
            Inst::Load { addr, .. } | Inst::Rmw { addr, .. } | Inst::CmpXchg { addr, .. } => {
                match is_slot(addr, local.slot) || (local.roams && !elsewhere(addr)) {
                    true => Touch::MayRead,
                    false => Touch::Neither,
                }
            }
            Inst::Call { .. } if local.roams => Touch::MayRead,
            _ => Touch::Neither,
        }
    }
}

enum Touch {
    Overwrites,
    MayRead,
    Neither,
}

fn locals(function: &Function) -> Vec<Local> {
    let Some(entry) = function.blocks.first() else { return Vec::new() };
    let entry = &function.code[entry.start.index()..entry.end.index()];
    let slots = entry.iter().filter_map(|inst| match inst {
        Inst::Alloca { dst, size: Operand::Imm(bytes), .. } => Some((*dst, *bytes)),
        _ => None,
    });
    slots.map(|(slot, bytes)| Local { slot, bytes, roams: roams(function, slot) }).collect()
}

fn roams(function: &Function, slot: Reg) -> bool {
    let is_slot = |operand: &Operand| *operand == Operand::Reg(slot);
    function.code.iter().any(|inst| match inst {
        Inst::Load { .. } => false,
        Inst::Store { value, .. } => is_slot(value),
        _ => {
            let mut uses = false;
            inst.for_each_use(|r| uses |= r == slot);
            uses
        }
    })
}
