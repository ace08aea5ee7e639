//! Live registers at block starts, by the usual backward data flow over bit sets.

use crate::program::{BlockId, Function, Reg};

#[derive(Clone, PartialEq)]
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

    fn union(&mut self, other: &RegSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        let bits = |word: u64| (0..64).filter(move |i| word >> i & 1 == 1);
        self.0.iter().enumerate().flat_map(move |(w, &word)| bits(word).map(move |i| Reg(w as u32 * 64 + i)))
    }
}

pub(super) fn live_in(
    function: &Function,
    successors: &[Vec<BlockId>],
    predecessors: &[Vec<BlockId>],
) -> Vec<Vec<Reg>> {
    let empty = RegSet::new(function.registers.len());
    let mut live = vec![empty.clone(); function.blocks.len()];
    let mut work: Vec<usize> = (0..function.blocks.len()).collect();
    while let Some(block) = work.pop() {
        let mut set = empty.clone();
        successors[block].iter().for_each(|to| set.union(&live[to.index()]));
        let range = &function.blocks[block];
        for inst in function.code[range.start.index()..range.end.index()].iter().rev() {
            inst.definitions().for_each(|r| set.remove(r));
            inst.for_each_use(|r| set.insert(r));
        }
        if set != live[block] {
            live[block] = set;
            work.extend(predecessors[block].iter().map(|b| b.index()));
        }
    }
    live.iter().map(|set| set.iter().collect()).collect()
}
