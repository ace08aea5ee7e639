//! Joining branches again.
//!
//! A tree is exponential in the number of decisions that follow each other. Where the two sides of a branch meet again
//! (at the postdominator), and nothing happens in between but arithmetic and memory accesses, no decision is needed:
//! both sides are executed under guards, their accesses become guarded events, and the values that differ become
//! if-then-else terms.

use crate::Unfolder;
use crate::access::{Effects, Lane, Stop};
use crate::state::State;
use ordain_expr::Term;
use ordain_ir::program::{BlockId, FuncId, Inst, Operand, Ordering};
use ordain_model::forest::NodeId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Larger regions are left to decisions: their terms would not be small.
const REGION_BLOCKS: usize = 64;

impl Unfolder<'_> {
    /// Tries to execute both sides of a branch up to where they meet; leaves everything as it was if that cannot be done.
    pub(crate) fn merge(&mut self, state: &mut State, node: NodeId, cond: Term, then: BlockId, other: BlockId) -> bool {
        let function = state.frame().function;
        let branch = self.facts.function(function).block_of(state.frame().pc);
        let Some(join) = self.facts.function(function).immediate_postdominator(branch) else { return false };
        let Some(order) = self.region(function, [then, other], join) else { return false };
        let mut trial = state.clone();
        let Ok((lane, effects)) = self.run_region(&mut trial, function, cond, [then, other], join, &order) else {
            return false;
        };
        *state = trial;
        state.frame_mut().registers = lane.registers;
        state.memory = lane.memory;
        for event in effects.events {
            self.forest.add_event(node, event);
        }
        let start = state.block_start(self.program, join);
        state.frame_mut().pc = start;
        true
    }

    /// The blocks between a branch and `join`, each after its predecessors; none if there is a loop, or something that
    /// must not be executed under a guard.
    fn region(&self, function: FuncId, entries: [BlockId; 2], join: BlockId) -> Option<Vec<BlockId>> {
        let facts = self.facts.function(function);
        if facts.is_loop_header(join) {
            return None;
        }
        let mut postorder = Vec::new();
        let mut seen = Vec::new();
        let mut stack: Vec<(BlockId, bool)> = entries.iter().map(|&b| (b, false)).collect();
        while let Some((block, left)) = stack.pop() {
            if left {
                postorder.push(block);
                continue;
            }
            if block == join || seen.contains(&block) {
                continue;
            }
            if seen.len() == REGION_BLOCKS || facts.is_loop_header(block) || !self.only_simple(function, block) {
                return None;
            }
            seen.push(block);
            stack.push((block, true));
            stack.extend(facts.successors(block).iter().map(|&s| (s, false)));
        }
        postorder.reverse();
        Some(postorder)
    }

    fn only_simple(&self, function: FuncId, block: BlockId) -> bool {
        let fits = |inst: &Inst| match inst {
            Inst::Rmw { .. } | Inst::CmpXchg { .. } => !self.options.weak,
            Inst::Store { order: Some(Ordering::SeqCst), .. } => !self.options.weak,
            Inst::Call { .. }
            | Inst::Ret { .. }
            | Inst::Unreachable
            | Inst::Alloca { .. }
            | Inst::Switch { .. }
            | Inst::Fence { .. } => false,
            _ => true,
        };
        self.program.function(function).code[self.pc_in(function, block)].iter().all(fits)
    }

    fn run_region(
        &mut self,
        state: &mut State,
        function: FuncId,
        cond: Term,
        [then, other]: [BlockId; 2],
        join: BlockId,
        order: &[BlockId],
    ) -> Result<(Lane, Effects), Stop> {
        let registers = state.frame().registers.clone();
        let negated = self.forest.terms.not(cond);
        let lane = |guard| Lane { registers: registers.clone(), memory: Rc::clone(&state.memory), guard };
        let mut arriving: FxHashMap<BlockId, Vec<Lane>> = FxHashMap::default();
        arriving.entry(then).or_default().push(lane(cond));
        arriving.entry(other).or_default().push(lane(negated));
        let mut effects = Effects { site: state.site(self.program), events: Vec::new() };
        for &block in order {
            let lanes = arriving.remove(&block).expect("every block of a region is entered");
            let mut lane = self.join_lanes(lanes);
            for (to, lane) in self.run_block(state, function, block, &mut lane, &mut effects)? {
                arriving.entry(to).or_default().push(lane);
            }
        }
        let lanes = arriving.remove(&join).expect("the sides of a branch meet at its postdominator");
        Ok((self.join_lanes(lanes), effects))
    }

    fn run_block(
        &mut self,
        state: &mut State,
        function: FuncId,
        block: BlockId,
        lane: &mut Lane,
        effects: &mut Effects,
    ) -> Result<Vec<(BlockId, Lane)>, Stop> {
        let program = self.program;
        for pc in self.pc_in(function, block) {
            state.frame_mut().pc = ordain_ir::program::Pc(pc as u32);
            effects.site = state.site(program);
            match &program.function(function).code[pc] {
                Inst::Br { to } => return Ok(vec![(*to, lane.clone())]),
                Inst::CondBr { cond, then, other } => {
                    return Ok(self.split(state, lane, effects, *cond, *then, *other));
                }
                simple => self.simple(state, lane, effects, simple)?,
            }
        }
        unreachable!("blocks end in terminators")
    }

    fn split(
        &mut self,
        state: &State,
        lane: &Lane,
        effects: &mut Effects,
        cond: Operand,
        then: BlockId,
        other: BlockId,
    ) -> Vec<(BlockId, Lane)> {
        let cond = crate::state::operand(&mut self.forest, &lane.registers, cond, 1);
        match state.known(&self.forest.terms, cond) {
            Some(true) => vec![(then, lane.clone()), (other, self.dead_lane(lane))],
            Some(false) => vec![(then, self.dead_lane(lane)), (other, lane.clone())],
            None => {
                self.use_value(state, lane, effects, cond);
                let negated = self.forest.terms.not(cond);
                let side = |this: &mut Self, c| Lane { guard: this.forest.terms.and(lane.guard, c), ..lane.clone() };
                vec![(then, side(self, cond)), (other, side(self, negated))]
            }
        }
    }

    /// A side that is never taken; its blocks are executed all the same, to no effect.
    fn dead_lane(&mut self, lane: &Lane) -> Lane {
        Lane { guard: self.forest.terms.bool(false), ..lane.clone() }
    }

    fn join_lanes(&mut self, lanes: Vec<Lane>) -> Lane {
        let mut lanes = lanes.into_iter();
        let first = lanes.next().expect("at least one way leads here");
        lanes.fold(first, |joined, lane| self.join_two(joined, lane))
    }

    /// Where `b` came from, its values hold; else those of `a`.
    fn join_two(&mut self, a: Lane, b: Lane) -> Lane {
        let terms = &mut self.forest.terms;
        let registers = a.registers.iter().zip(&b.registers).map(|(&x, &y)| {
            // A register that is not set on both sides is dead here: any value will do.
            if x == y || terms.width(x) != terms.width(y) { x } else { terms.ite(b.guard, y, x) }
        });
        let registers: Vec<Term> = registers.collect();
        let memory = if Rc::ptr_eq(&a.memory, &b.memory) { a.memory } else { self.join_memory(&a, &b) };
        let guard = self.forest.terms.or(a.guard, b.guard);
        Lane { registers, memory, guard }
    }

    fn join_memory(&mut self, a: &Lane, b: &Lane) -> Rc<crate::state::Bytes> {
        let mut joined = (*a.memory).clone();
        for address in a.memory.keys().chain(b.memory.keys()) {
            let (x, y) = (a.memory.get(address).copied(), b.memory.get(address).copied());
            if x == y {
                continue;
            }
            let object = self.book.borrow().find(*address).map(|o| o.base).expect("private bytes are in objects");
            let x = x.unwrap_or_else(|| self.untouched_byte(object, *address));
            let y = y.unwrap_or_else(|| self.untouched_byte(object, *address));
            joined.insert(*address, self.forest.terms.ite(b.guard, y, x));
        }
        Rc::new(joined)
    }
}
