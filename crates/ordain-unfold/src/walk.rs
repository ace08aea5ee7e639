//! Following one path: instruction after instruction, until it forks or ends.

use crate::access::{Effects, Lane, Stop};
use crate::builtin::unsupported;
use crate::meet::Meets;
use crate::script::{ELSEWHERE, leaves};
use crate::state::{State, operand};
use crate::{Unfolder, wild_kind};
use ordain_expr::Term;
use ordain_expr::float::{self, wide};
use ordain_expr::op::{BinOp, Pred, Width, mask};
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Inst, Operand, Ordering, Pc, Reg, RmwOp};
use ordain_model::event::{EventId, EventKind, Return, Site};
use ordain_model::failure::FailureKind;
use ordain_model::forest::{Cut, Decision, NodeEnd, NodeId, Subject};
use ordain_model::memory::AllocationKind;

/// Instructions without any decision that a path may execute before we call it endless.
const SEGMENT_LIMIT: u64 = 5_000_000;
const EVENT_LIMIT: usize = 20_000;

impl Unfolder<'_> {
    /// Executes from `state` on, adding events to `node`, until the path forks or ends.
    pub(crate) fn walk(&mut self, mut state: State, mut node: NodeId) {
        let mut executed: u64 = 0;
        let end = loop {
            executed += 1;
            if executed > SEGMENT_LIMIT || self.forest.node(node).events.len() > EVENT_LIMIT {
                break self.cut_segment(&state, node);
            }
            if self.is_out_of_patience() {
                break NodeEnd::Cut(Cut::Bound("the search ended while a path was being followed".to_owned()));
            }
            let index = self.forest.node(node).events.len();
            let done = match self.look_ahead(&mut state, node) {
                Ok(false) if self.comes_to_a_point_elsewhere(&state) => Err(leaves(ELSEWHERE)),
                Ok(false) => self.instruction(&mut state, node),
                ahead => ahead.map(|_| ()),
            };
            if self.ends_beyond_script(&mut state, node, index) {
                break self.end_beyond_script(node, index);
            }
            match done {
                Ok(()) if state.at_junction && state.ahead.is_empty() && state.elsewhere.is_none() => {
                    state.at_junction = false;
                    match self.meet(&mut state, node) {
                        Meets::Nobody => {}
                        Meets::First(meeting) => node = meeting,
                        Meets::Another => return,
                    }
                }
                Ok(()) => {}
                Err(Stop::End(end)) => break end,
                Err(Stop::Decide(on)) => {
                    let elsewhere = state.elsewhere.is_some();
                    self.fork(state, node, on);
                    if elsewhere {
                        self.follow_all(node);
                    }
                    return;
                }
                Err(Stop::Part(condition)) => node = self.part(&mut state, node, condition),
                Err(Stop::NotSimple) => unreachable!("outside of merged regions everything is executed"),
            }
        };
        let end = state.end_there(end);
        if matches!(end, NodeEnd::Cut(_) | NodeEnd::Failure(_)) {
            let site = state.site(self.program);
            // Unless whoever has cut it knows better.
            self.end_sites.entry(node).or_insert(site);
        }
        self.forest.node_mut(node).end = end;
    }

    fn fork(&mut self, state: State, node: NodeId, on: Subject) {
        let decision = Decision { site: state.decision_site(self.program), on, children: Vec::new() };
        self.forest.node_mut(node).end = NodeEnd::Decision(decision);
        self.states.insert(node, state);
    }

    pub(crate) fn emit(&mut self, node: NodeId, state: &State, site: Site, kind: EventKind) -> EventId {
        let guard = self.forest.terms.bool(true);
        self.forest.add_event(node, ordain_model::event::Event { kind, guard, site, step: state.steps })
    }

    fn instruction(&mut self, state: &mut State, node: NodeId) -> Result<(), Stop> {
        let program = self.program;
        let frame = state.frame();
        let inst = &program.function(frame.function).code[frame.pc.index()];
        match inst {
            Inst::Br { to } => self.enter_block(state, node, *to),
            Inst::CondBr { cond, then, other } => self.branch(state, node, *cond, *then, *other),
            Inst::Switch { value, width, cases, default } => self.switch(state, node, *value, *width, cases, *default),
            Inst::Call { callee, args, dsts } => self.call(state, node, callee, args, dsts),
            Inst::Ret { values } => self.ret(state, node, values),
            Inst::Unreachable => Err(Stop::End(NodeEnd::Cut(Cut::Unsupported(
                "code that the compiler takes to be unreachable is reached".into(),
            )))),
            Inst::Alloca { dst, size, align, escapes, .. } => {
                let size = self.operand(state, *size, 64);
                let size = self.decided(state, node, size)?;
                let site = state.site(program);
                let base = self.allocate(state, site, size, *align as u64, AllocationKind::Stack);
                if *escapes {
                    state.frame_mut().objects.push(base);
                }
                let base = self.forest.terms.constant(64, base);
                state.set(*dst, base);
                self.next(state)
            }
            simple => {
                self.with_lane(state, node, |this, state, lane, effects| this.simple(state, lane, effects, simple))?;
                self.next(state)
            }
        }
    }

    pub(crate) fn next(&mut self, state: &mut State) -> Result<(), Stop> {
        state.frame_mut().pc.0 += 1;
        Ok(())
    }

    /// Runs something on the thread's registers and memory as a lane, and puts the events it makes into the node.
    pub(crate) fn with_lane<T>(
        &mut self,
        state: &mut State,
        node: NodeId,
        run: impl FnOnce(&mut Self, &mut State, &mut Lane, &mut Effects) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let registers = std::mem::take(&mut state.frame_mut().registers);
        let guard = self.forest.terms.bool(true);
        let mut lane = Lane { registers, memory: std::mem::take(&mut state.memory), guard };
        let mut effects = Effects { site: state.site(self.program), events: Vec::new() };
        let result = run(self, state, &mut lane, &mut effects);
        state.frame_mut().registers = lane.registers;
        state.memory = lane.memory;
        for event in effects.events {
            self.forest.add_event(node, event);
        }
        result
    }

    pub(crate) fn operand(&mut self, state: &State, o: Operand, width: Width) -> Term {
        operand(&mut self.forest, &state.frame().registers, o, width)
    }

    /// The one value that a term has on this path; forks if that is not decided yet.
    pub(crate) fn decided(&mut self, state: &mut State, node: NodeId, t: Term) -> Result<u64, Stop> {
        if let Some(value) = state.constant(&self.forest.terms, t) {
            return Ok(value);
        }
        self.with_lane(state, node, |this, state, lane, effects| {
            this.use_value(state, lane, effects, t);
            Err(Stop::Decide(Subject::Value(t)))
        })
    }

    fn branch(
        &mut self,
        state: &mut State,
        node: NodeId,
        cond: Operand,
        then: BlockId,
        other: BlockId,
    ) -> Result<(), Stop> {
        let cond = self.operand(state, cond, 1);
        if let Some(to) = self.scripted_way(state, node, cond)? {
            let condition = match (to == then, to == other) {
                (true, true) => self.forest.terms.bool(true),
                (true, false) => cond,
                _ => self.forest.terms.not(cond),
            };
            return self.go_as_scripted(state, node, condition, to);
        }
        match state.known(&self.forest.terms, cond) {
            Some(true) => return self.enter_block(state, node, then),
            Some(false) => return self.enter_block(state, node, other),
            None => {}
        }
        self.with_lane(state, node, |this, state, lane, effects| {
            this.use_value(state, lane, effects, cond);
            Ok(())
        })?;
        if self.options.merge && state.elsewhere.is_none() && self.merge(state, node, cond, then, other) {
            return Ok(());
        }
        Err(Stop::Decide(Subject::Condition(cond)))
    }

    fn switch(
        &mut self,
        state: &mut State,
        node: NodeId,
        value: Operand,
        width: Width,
        cases: &[(u64, BlockId)],
        default: BlockId,
    ) -> Result<(), Stop> {
        let value = self.operand(state, value, width);
        if let Some(to) = self.scripted_way(state, node, value)? {
            let condition = self.switch_condition(value, width, cases, default, to);
            return self.go_as_scripted(state, node, condition, to);
        }
        if let Some(v) = state.constant(&self.forest.terms, value) {
            let to = cases.iter().find(|(case, _)| *case == v).map_or(default, |(_, to)| *to);
            return self.enter_block(state, node, to);
        }
        let values: Vec<u64> = cases.iter().map(|(case, _)| *case).collect();
        if state.defaults.contains(&(value, values.clone())) {
            return self.enter_block(state, node, default);
        }
        self.with_lane(state, node, |this, state, lane, effects| {
            this.use_value(state, lane, effects, value);
            Ok(())
        })?;
        Err(Stop::Decide(Subject::Switch { value, cases: values }))
    }

    /// When a switch leads to this block.
    fn switch_condition(
        &mut self,
        value: Term,
        width: Width,
        cases: &[(u64, BlockId)],
        default: BlockId,
        to: BlockId,
    ) -> Term {
        let mut leads = self.forest.terms.bool(default == to);
        for &(case, target) in cases {
            let case = self.forest.terms.constant(width, case);
            let is_it = self.forest.terms.eq(value, case);
            let target = self.forest.terms.bool(target == to);
            leads = self.forest.terms.ite(is_it, target, leads);
        }
        leads
    }

    fn call(
        &mut self,
        state: &mut State,
        node: NodeId,
        callee: &Callee,
        args: &[Operand],
        dsts: &[Reg],
    ) -> Result<(), Stop> {
        match callee {
            Callee::Direct(f) => self.call_function(state, node, *f, args, dsts),
            Callee::Indirect(target) => {
                let target = self.operand(state, *target, 64);
                let target = self.decided(state, node, target)?;
                match self.program.function_at(target) {
                    Some(f) => self.call_function(state, node, f, args, dsts),
                    None => Err(Stop::failure(wild_kind(target))),
                }
            }
            Callee::Builtin(Builtin::Math(call)) => self.compute(state, args, dsts, |args| [call.evaluate(args), 0]),
            Callee::Builtin(Builtin::Wide(op)) => self.compute(state, args, dsts, |args| wide::evaluate(*op, args)),
            Callee::Builtin(b) => self.builtin(state, node, *b, args, dsts),
            Callee::Unknown(name) => {
                let name = &self.program.names[name.index()];
                // Names of functions are one word; anything else is a description.
                let reason = match name.contains(' ') {
                    true => name.clone(),
                    false => format!("{name} has no model (--model FILE takes yours)"),
                };
                Err(Stop::End(NodeEnd::Cut(Cut::Unsupported(reason))))
            }
        }
    }

    fn call_function(
        &mut self,
        state: &mut State,
        node: NodeId,
        f: FuncId,
        args: &[Operand],
        dsts: &[Reg],
    ) -> Result<(), Stop> {
        let callee = self.program.function(f);
        let widths: Vec<Width> = callee.params.iter().map(|p| callee.registers[p.index()]).collect();
        let mut arguments: Vec<Term> = args.iter().zip(widths).map(|(&a, w)| self.operand(state, a, w)).collect();
        if callee.code.is_empty() {
            let reason = format!("{} has no body", callee.name);
            return Err(Stop::End(NodeEnd::Cut(Cut::Unsupported(reason))));
        }
        self.check_recursion(state, node, f)?;
        self.scripted_arguments(state, node, &mut arguments)?;
        let scripted = self.is_scripted(Some(state.frame().scripted), f);
        state.push_frame(self.program, f, &arguments, dsts.into(), &mut self.forest.terms);
        state.frame_mut().scripted = scripted;
        Ok(())
    }

    fn ret(&mut self, state: &mut State, node: NodeId, values: &[Operand]) -> Result<(), Stop> {
        let site = state.site(self.program);
        let function = state.frame().function;
        for object in std::mem::take(&mut state.frame_mut().objects) {
            self.end_frame_object(state, node, site, object);
        }
        if state.frames.len() == 1 {
            let value = match values.first() {
                Some(&v) => self.operand(state, v, 64),
                None => self.forest.terms.constant(64, 0),
            };
            let value = self.resize(value, 64);
            return self.end_thread(state, node, site, value);
        }
        let frame = state.frames.pop().expect("more than one frame");
        let depth = state.frames.len();
        state.arrivals.retain(|a| a.depth <= depth);
        let widths: Vec<Width> = {
            let caller = self.program.function(state.frame().function);
            frame.results.iter().map(|r| caller.registers[r.index()]).collect()
        };
        debug_assert!(
            values.len() >= frame.results.len(),
            "{} returns too little",
            self.program.function(function).name
        );
        for ((&dst, &value), width) in frame.results.iter().zip(values).zip(widths) {
            let value = operand(&mut self.forest, &frame.registers, value, width);
            state.set(dst, value);
        }
        state.rejoin(None);
        state.at_junction = true;
        self.next(state)
    }

    fn end_frame_object(&mut self, state: &mut State, node: NodeId, site: Site, object: u64) {
        if self.end_of_life(state, object) {
            let returning = Some(Return { since: state.certain, unnoticed: state.unnoticed.clone() });
            self.emit(node, state, site, EventKind::Free { object, returning });
        }
    }

    pub(crate) fn end_thread(&mut self, state: &mut State, node: NodeId, site: Site, value: Term) -> Result<(), Stop> {
        if state.atomic.is_some() {
            return unsupported("a thread ends inside an atomic section");
        }
        let objects: Vec<u64> = state.frames.iter_mut().flat_map(|f| std::mem::take(&mut f.objects)).collect();
        for object in objects {
            self.end_frame_object(state, node, site, object);
        }
        self.emit(node, state, site, EventKind::Exit { value });
        Err(Stop::End(NodeEnd::Exit))
    }

    pub(crate) fn enter_block(&mut self, state: &mut State, node: NodeId, to: BlockId) -> Result<(), Stop> {
        let facts = self.facts.function(state.frame().function);
        if facts.is_loop_header(to) && state.elsewhere.is_none() {
            // May fork, and then the branch is executed again.
            self.arrive(state, node, to)?;
        }
        state.rejoin(Some(to));
        state.at_junction = facts.predecessors(to).len() > 1;
        let start = state.block_start(self.program, to);
        state.frame_mut().pc = start;
        Ok(())
    }

    /// Executes an instruction that stays inside a frame and does not touch control: it may as well be executed under a
    /// guard.
    pub(crate) fn simple(
        &mut self,
        state: &mut State,
        lane: &mut Lane,
        effects: &mut Effects,
        inst: &Inst,
    ) -> Result<(), Stop> {
        if !inst.is_point() {
            return self.execute_simple(state, lane, effects, inst);
        }
        let events = effects.events.len();
        state.step(effects.site);
        self.execute_simple(state, lane, effects, inst)?;
        match self.forest.terms.as_const(lane.guard) {
            Some(1) => state.note_certain_step(),
            _ if effects.events[events..].iter().all(|e| matches!(e.kind, EventKind::Use { .. })) => {
                state.unnoticed.push((state.steps, lane.guard));
            }
            _ => {}
        }
        Ok(())
    }

    fn execute_simple(
        &mut self,
        state: &mut State,
        lane: &mut Lane,
        effects: &mut Effects,
        inst: &Inst,
    ) -> Result<(), Stop> {
        let value = |this: &mut Self, lane: &Lane, o: Operand, w| operand(&mut this.forest, &lane.registers, o, w);
        let (dst, result) = match *inst {
            Inst::Bin { op, width, dst, a, b } => {
                let (a, b) = (value(self, lane, a, width), value(self, lane, b, width));
                self.note_layout(effects.site, inst, a, b);
                self.check_division(state, lane, effects, op, width, a, b)?;
                (dst, self.forest.terms.bin(op, a, b))
            }
            Inst::Cmp { pred, width, dst, a, b } => {
                let (a, b) = (value(self, lane, a, width), value(self, lane, b, width));
                self.note_layout(effects.site, inst, a, b);
                (dst, self.forest.terms.cmp(pred, a, b))
            }
            Inst::Cast { op, from, to, dst, a } => {
                let a = value(self, lane, a, from);
                self.note_layout(effects.site, inst, a, a);
                (dst, self.forest.terms.cast(op, to, a))
            }
            Inst::Select { dst, cond, then, other } => {
                let width = self.register_width(effects.site.function, dst);
                let cond = value(self, lane, cond, 1);
                let (a, b) = (value(self, lane, then, width), value(self, lane, other, width));
                (dst, self.forest.terms.ite(cond, a, b))
            }
            Inst::Copy { dst, src } => {
                let width = self.register_width(effects.site.function, dst);
                (dst, value(self, lane, src, width))
            }
            Inst::Freeze { dst, src } => {
                let width = self.register_width(effects.site.function, dst);
                let value = value(self, lane, src, width);
                (dst, self.frozen(value))
            }
            Inst::FloatBin { op, format, dst, a, b } => {
                let operands = [a, b].map(|o| value(self, lane, o, format.width()));
                let [a, b] = self.numbers(state, operands)?;
                (dst, self.forest.terms.constant(format.width(), float::bin(op, format, a, b)))
            }
            Inst::FloatCmp { pred, format, dst, a, b } => {
                let operands = [a, b].map(|o| value(self, lane, o, format.width()));
                let [a, b] = self.numbers(state, operands)?;
                (dst, self.forest.terms.bool(float::cmp(pred, format, a, b)))
            }
            Inst::FloatCast { cast, dst, a } => {
                let a = value(self, lane, a, cast.from());
                let [a] = self.numbers(state, [a])?;
                let width = self.register_width(effects.site.function, dst);
                (dst, self.forest.terms.constant(width, float::cast(cast, a)))
            }
            Inst::Load { dst, addr, size, order, .. } => {
                let width = self.register_width(effects.site.function, dst);
                let addr = value(self, lane, addr, 64);
                let address = self.resolve(state, lane, effects, addr, size as u64)?;
                let bits = self.load(state, lane, effects, address, size, order);
                let bits = self.as_scripted(state, lane, effects, bits);
                let bits = if order.is_none() { self.as_in_run(state, lane, effects, bits) } else { bits };
                (dst, self.resize(bits, width))
            }
            Inst::Store { value: stored, addr, size, order, .. } => {
                let addr = value(self, lane, addr, 64);
                let address = self.resolve(state, lane, effects, addr, size as u64)?;
                let stored = value(self, lane, stored, 8 * size);
                let stored = self.resize(stored, 8 * size);
                self.store(state, lane, effects, address, size, stored, order);
                return Ok(());
            }
            Inst::Rmw { op, dst, addr, value: v, size, order } => {
                let addr = value(self, lane, addr, 64);
                let address = self.resolve(state, lane, effects, addr, size as u64)?;
                let v = value(self, lane, v, 8 * size);
                let v = self.resize(v, 8 * size);
                let width = self.register_width(effects.site.function, dst);
                let old = self.modify(state, lane, effects, address, size, (order, order), |this, old| {
                    (this.rmw(op, old, v), this.forest.terms.bool(true))
                });
                let old = self.as_scripted(state, lane, effects, old);
                (dst, self.resize(old, width))
            }
            Inst::CmpXchg { dst, ok, addr, expected, new, size, success, failure, .. } => {
                let addr = value(self, lane, addr, 64);
                let address = self.resolve(state, lane, effects, addr, size as u64)?;
                let expected = value(self, lane, expected, 8 * size);
                let expected = self.resize(expected, 8 * size);
                let new = value(self, lane, new, 8 * size);
                let new = self.resize(new, 8 * size);
                let old = self.modify(state, lane, effects, address, size, (success, failure), |this, old| {
                    (new, this.forest.terms.eq(old, expected))
                });
                let old = self.as_scripted(state, lane, effects, old);
                lane.registers[ok.index()] = self.forest.terms.eq(old, expected);
                let width = self.register_width(effects.site.function, dst);
                (dst, self.resize(old, width))
            }
            Inst::Fence { order } => {
                effects.emit(state, lane.guard, EventKind::Fence { order });
                return Ok(());
            }
            _ => return Err(Stop::NotSimple),
        };
        lane.registers[dst.index()] = result;
        Ok(())
    }

    pub(crate) fn register_width(&self, function: FuncId, register: Reg) -> Width {
        self.program.function(function).registers[register.index()]
    }

    #[expect(clippy::too_many_arguments)]
    fn check_division(
        &mut self,
        state: &State,
        lane: &Lane,
        effects: &mut Effects,
        op: BinOp,
        width: Width,
        a: Term,
        b: Term,
    ) -> Result<(), Stop> {
        if !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            return Ok(());
        }
        self.use_value(state, lane, effects, b);
        let terms = &mut self.forest.terms;
        let zero = terms.constant(width, 0);
        let mut traps = terms.eq(b, zero);
        if matches!(op, BinOp::SDiv | BinOp::SRem) {
            let (least, minus_one) = (terms.constant(width, 1 << (width - 1)), terms.constant(width, mask(width)));
            let (overflows, by) = (terms.eq(a, least), terms.eq(b, minus_one));
            let overflows = terms.and(overflows, by);
            traps = terms.or(traps, overflows);
        }
        match state.known(&self.forest.terms, traps) {
            Some(false) => Ok(()),
            Some(true) => Err(Stop::failure(FailureKind::Division)),
            None => Err(Stop::Decide(Subject::Condition(traps))),
        }
    }

    /// An atomic read-modify-write; returns the old value.
    #[expect(clippy::too_many_arguments)]
    fn modify(
        &mut self,
        state: &mut State,
        lane: &mut Lane,
        effects: &mut Effects,
        address: ordain_model::event::Address,
        size: u8,
        (order, failure): (Ordering, Ordering),
        update: impl FnOnce(&mut Self, Term) -> (Term, Term),
    ) -> Term {
        let read_shared = self.note_access(state, address, size, false);
        let write_shared = self.note_access(state, address, size, true);
        let shared = read_shared || write_shared;
        let old = match shared {
            true => self.read_symbol(state, effects.site, 8 * size),
            false => self.private_bytes(lane, address, size),
        };
        let (new, writes) = update(self, old);
        if shared {
            effects.emit(state, lane.guard, EventKind::Rmw { address, size, old, new, writes, order, failure });
        } else {
            self.drain(state, lane, effects);
        }
        let kept = self.forest.terms.ite(writes, new, old);
        self.remember(state, lane, address, size, kept);
        old
    }

    fn rmw(&mut self, op: RmwOp, old: Term, v: Term) -> Term {
        let terms = &mut self.forest.terms;
        let pick = |terms: &mut ordain_expr::Terms, pred, keep_old| {
            let less = terms.cmp(pred, old, v);
            if keep_old { terms.ite(less, old, v) } else { terms.ite(less, v, old) }
        };
        match op {
            RmwOp::Xchg => v,
            RmwOp::Add => terms.bin(BinOp::Add, old, v),
            RmwOp::Sub => terms.bin(BinOp::Sub, old, v),
            RmwOp::And => terms.bin(BinOp::And, old, v),
            RmwOp::Or => terms.bin(BinOp::Or, old, v),
            RmwOp::Xor => terms.bin(BinOp::Xor, old, v),
            RmwOp::Nand => {
                let both = terms.bin(BinOp::And, old, v);
                let ones = terms.constant(terms.width(old), mask(terms.width(old)));
                terms.bin(BinOp::Xor, both, ones)
            }
            RmwOp::Min => pick(terms, Pred::Slt, true),
            RmwOp::Max => pick(terms, Pred::Slt, false),
            RmwOp::UMin => pick(terms, Pred::Ult, true),
            RmwOp::UMax => pick(terms, Pred::Ult, false),
        }
    }

    pub(crate) fn pc_in(&self, function: FuncId, block: BlockId) -> std::ops::Range<usize> {
        let b = &self.program.function(function).blocks[block.index()];
        let (Pc(start), Pc(end)) = (b.start, b.end);
        start as usize..end as usize
    }
}
