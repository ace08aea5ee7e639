//! Joining branches again.
//!
//! A tree is exponential in the number of decisions that follow each other. Where the two sides of a branch meet again
//! (at the postdominator), and nothing happens in between but arithmetic, memory accesses and calls of functions that do no
//! more than that, no decision is needed: both sides are executed under guards, their accesses become guarded events, and the
//! values that differ become if-then-else terms.
//!
//! A side may fail on the way, by an assertion or a pointer to nowhere. Then it has no part in what comes after: whether the
//! thread has failed is decided where the sides meet (`ahead`), and everything that a failing side would have gone on to do
//! has a guard that is false there.

use crate::Unfolder;
use crate::access::{Effects, Lane, Stop};
use crate::ahead::Ahead;
use crate::state::{State, operand};
use ordain_expr::Term;
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Inst, Operand, Ordering, Reg};
use ordain_model::failure::FailureKind;
use ordain_model::forest::{NodeEnd, NodeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Larger regions are left to decisions: their terms would not be small.
const REGION_BLOCKS: usize = 64;
/// The same, with the blocks of functions that are called.
const EXECUTED_BLOCKS: usize = 512;

/// A part of a function without loops: its blocks, each after its predecessors.
struct Region {
    function: FuncId,
    blocks: Rc<[BlockId]>,
}

/// What executing a region does, besides changing lanes.
struct Doings {
    effects: Effects,
    /// Failures on the way.
    failures: Vec<Ahead>,
    blocks: usize,
}

/// Where the lanes of a region are.
#[derive(Default)]
struct Lanes {
    arriving: FxHashMap<BlockId, Vec<Lane>>,
    /// At the end of the function, with what it returns.
    returning: Vec<(Lane, Vec<Operand>)>,
}

impl Unfolder<'_> {
    /// Tries to execute both sides of a branch up to where they meet; leaves everything as it was if that cannot be done.
    pub(crate) fn merge(&mut self, state: &mut State, node: NodeId, cond: Term, then: BlockId, other: BlockId) -> bool {
        let function = state.frame().function;
        let branch = self.facts.function(function).block_of(state.frame().pc);
        let Some(join) = self.facts.function(function).immediate_postdominator(branch) else { return false };
        let Some(blocks) = self.blocks_between(function, &[then, other], Some(join)) else { return false };
        let region = Region { function, blocks };
        let registers = state.frame().registers.clone();
        let negated = self.forest.terms.not(cond);
        let lane = |guard| Lane { registers: registers.clone(), memory: Rc::clone(&state.memory), guard };
        let mut lanes = Lanes::default();
        lanes.arriving.entry(then).or_default().push(lane(cond));
        lanes.arriving.entry(other).or_default().push(lane(negated));
        let mut trial = state.clone();
        let effects = Effects { site: state.site(self.program), events: Vec::new() };
        let mut doings = Doings { effects, failures: Vec::new(), blocks: 0 };
        if self.run_region(&mut trial, &region, &mut lanes, &mut doings).is_err() {
            return false;
        }
        let Some(lanes) = lanes.arriving.remove(&join) else { return false };
        if lanes.len() == 1 && doings.effects.events.is_empty() {
            // A check, and nothing to be joined.
            return false;
        }
        let lane = self.join_lanes(lanes);
        let pc = state.frame().pc;
        *state = trial;
        state.frame_mut().pc = pc;
        state.frame_mut().registers = lane.registers;
        state.memory = lane.memory;
        for event in doings.effects.events {
            self.forest.add_event(node, event);
        }
        state.ahead.push(Ahead::Enter(join));
        state.ahead.extend(doings.failures.into_iter().rev());
        true
    }

    /// The blocks from `entries` to `join`, or else to the end of the function, each after its predecessors; none if there is a loop, or something that must
    /// not be executed under a guard.
    fn blocks_between(
        &mut self,
        function: FuncId,
        entries: &[BlockId],
        join: Option<BlockId>,
    ) -> Option<Rc<[BlockId]>> {
        let facts = self.facts;
        let mut postorder = Vec::new();
        let mut seen = Vec::new();
        let mut stack: Vec<(BlockId, bool)> = entries.iter().map(|&b| (b, false)).collect();
        while let Some((block, left)) = stack.pop() {
            if left {
                postorder.push(block);
                continue;
            }
            if Some(block) == join || seen.contains(&block) {
                continue;
            }
            let facts = facts.function(function);
            if seen.len() == REGION_BLOCKS || facts.is_loop_header(block) || !self.only_simple(function, block) {
                return None;
            }
            seen.push(block);
            stack.push((block, true));
            stack.extend(facts.successors(block).iter().map(|&s| (s, false)));
        }
        postorder.reverse();
        Some(postorder.into())
    }

    fn only_simple(&mut self, function: FuncId, block: BlockId) -> bool {
        let program = self.program;
        program.function(function).code[self.pc_in(function, block)].iter().all(|inst| match inst {
            Inst::Rmw { .. } | Inst::CmpXchg { .. } => !self.options.weak,
            Inst::Store { order: Some(Ordering::SeqCst), .. } => !self.options.weak,
            Inst::Call { callee: Callee::Builtin(builtin), .. } => failure_of(*builtin).is_some(),
            Inst::Call { callee: Callee::Direct(f), .. } => self.whole_function(*f).is_some(),
            Inst::Call { .. } | Inst::Alloca { .. } | Inst::Switch { .. } | Inst::Fence { .. } => false,
            _ => true,
        })
    }

    /// The blocks of a function that can be executed under a guard from its beginning to its end.
    fn whole_function(&mut self, f: FuncId) -> Option<Rc<[BlockId]>> {
        if let Some(known) = self.whole_functions.get(&f) {
            return known.clone();
        }
        // Whoever calls it while it is being looked at is part of a recursion.
        self.whole_functions.insert(f, None);
        let has_body = !self.program.function(f).code.is_empty();
        let blocks = if has_body { self.blocks_between(f, &[BlockId(0)], None) } else { None };
        self.whole_functions.insert(f, blocks.clone());
        blocks
    }

    /// Executes the blocks of a region, each for all lanes that come to it.
    fn run_region(
        &mut self,
        state: &mut State,
        region: &Region,
        lanes: &mut Lanes,
        doings: &mut Doings,
    ) -> Result<(), Stop> {
        for &block in region.blocks.iter() {
            // Nobody may come: a condition on the way was known.
            let Some(arriving) = lanes.arriving.remove(&block) else { continue };
            doings.blocks += 1;
            if doings.blocks > EXECUTED_BLOCKS {
                return Err(Stop::NotSimple);
            }
            let mut lane = self.join_lanes(arriving);
            match self.run_block(state, region.function, block, &mut lane, lanes, doings) {
                Err(Stop::End(NodeEnd::Failure(kind))) => {
                    doings.failures.push(Ahead::Fail { when: lane.guard, kind, site: doings.effects.site });
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Executes one block for one lane, and says where it goes from there.
    fn run_block(
        &mut self,
        state: &mut State,
        function: FuncId,
        block: BlockId,
        lane: &mut Lane,
        lanes: &mut Lanes,
        doings: &mut Doings,
    ) -> Result<(), Stop> {
        let program = self.program;
        for pc in self.pc_in(function, block) {
            state.frame_mut().pc = ordain_ir::program::Pc(pc as u32);
            doings.effects.site = state.site(program);
            match &program.function(function).code[pc] {
                Inst::Br { to } => {
                    lanes.arriving.entry(*to).or_default().push(lane.clone());
                    return Ok(());
                }
                Inst::CondBr { cond, then, other } => {
                    for (to, lane) in self.split(state, lane, &mut doings.effects, *cond, *then, *other) {
                        lanes.arriving.entry(to).or_default().push(lane);
                    }
                    return Ok(());
                }
                Inst::Ret { values } => {
                    lanes.returning.push((lane.clone(), values.to_vec()));
                    return Ok(());
                }
                Inst::Call { callee: Callee::Direct(f), args, dsts } => {
                    if !self.run_call(state, lane, *f, args, dsts, doings)? {
                        return Ok(());
                    }
                }
                Inst::Call { callee: Callee::Builtin(builtin), .. } => {
                    return Err(failure_of(*builtin).map_or(Stop::NotSimple, Stop::failure));
                }
                simple => self.simple(state, lane, &mut doings.effects, simple)?,
            }
        }
        unreachable!("blocks end in terminators")
    }

    /// Executes a function for one lane; false if it does not come back.
    fn run_call(
        &mut self,
        state: &mut State,
        lane: &mut Lane,
        f: FuncId,
        args: &[Operand],
        dsts: &[Reg],
        doings: &mut Doings,
    ) -> Result<bool, Stop> {
        let callee = self.program.function(f);
        if state.frames.iter().any(|frame| frame.function == f) {
            return Err(Stop::NotSimple);
        }
        let caller = doings.effects.site.function;
        let arguments = args.iter().zip(&callee.params).map(|(&a, p)| {
            let width = callee.registers[p.index()];
            operand(&mut self.forest, &lane.registers, a, width)
        });
        let arguments: Vec<Term> = arguments.collect();
        state.push_frame(self.program, f, &arguments, dsts.into(), &mut self.forest.terms);
        let blocks = self.whole_function(f).ok_or(Stop::NotSimple)?;
        let region = Region { function: f, blocks };
        let entering = Lane { registers: state.frame().registers.clone(), ..lane.clone() };
        let mut lanes = Lanes::default();
        lanes.arriving.entry(BlockId(0)).or_default().push(entering);
        let failures = doings.failures.len();
        self.run_region(state, &region, &mut lanes, doings)?;
        state.frames.pop();
        let mut back = Vec::new();
        for (returned, values) in lanes.returning {
            let mut registers = lane.registers.clone();
            for (&dst, &value) in dsts.iter().zip(&values) {
                let width = self.register_width(caller, dst);
                registers[dst.index()] = operand(&mut self.forest, &returned.registers, value, width);
            }
            back.push(Lane { registers, ..returned });
        }
        if back.is_empty() {
            return Ok(false);
        }
        let guard = lane.guard;
        *lane = self.join_lanes(back);
        if doings.failures.len() == failures {
            // All ways lead back.
            lane.guard = guard;
        }
        Ok(true)
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
        let cond = operand(&mut self.forest, &lane.registers, cond, 1);
        match state.known(&self.forest.terms, cond) {
            Some(true) => vec![(then, lane.clone())],
            Some(false) => vec![(other, lane.clone())],
            None => {
                self.use_value(state, lane, effects, cond);
                let negated = self.forest.terms.not(cond);
                let side = |this: &mut Self, c| Lane { guard: this.forest.terms.and(lane.guard, c), ..lane.clone() };
                vec![(then, side(self, cond)), (other, side(self, negated))]
            }
        }
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

/// How the thread fails that calls this.
pub(crate) fn failure_of(builtin: Builtin) -> Option<FailureKind> {
    match builtin {
        Builtin::Abort => Some(FailureKind::Abort),
        Builtin::AssertFail | Builtin::ReachError => Some(FailureKind::Assertion),
        Builtin::Misuse => Some(FailureKind::LockMisuse),
        _ => None,
    }
}
