//! Beginning in the middle of a run.
//!
//! Where executions are looked at from some moment on (`ordain_model::scene`), every thread that exists then has a tree of its own, which
//! begins with what is left of its past: the mutexes that it has and the condition that it waits for are events that have taken
//! place before everything else (`ordain_model::forest::Opening`). Its registers are constants, and so is what memory holds.

use crate::Unfolder;
use crate::state::{Frame, State};
use ordain_expr::Term;
use ordain_expr::op::{Width, mask};
use ordain_ir::program::{Callee, FuncId, Inst, Pc, Reg};
use ordain_model::event::{EventId, EventKind, Site, TreeKey};
use ordain_model::faults::{Fault, seeded};
use ordain_model::forest::{NodeEnd, NodeId, TreeId};
use ordain_model::memory::ObjectInfo;
use ordain_model::scene::{Register, Scene, Standing, StandingFrame};
use std::rc::Rc;

impl<'p> Unfolder<'p> {
    /// The trees of all threads that there are at the beginning.
    pub fn first_trees(&self) -> Vec<TreeId> {
        match self.scene {
            Some(_) => {
                let mut trees: Vec<TreeId> = self.forest.opening.trees.iter().copied().collect();
                trees.sort();
                trees
            }
            None => vec![self.main],
        }
    }

    /// Whether executions begin in the middle of a run.
    pub fn is_in_scene(&self) -> bool {
        self.scene.is_some()
    }

    /// Whether an object was gone before the beginning.
    pub(crate) fn is_long_gone(&self, object: &ObjectInfo) -> bool {
        self.scene.as_ref().is_some_and(|scene| scene.is_gone(object))
    }

    /// Makes the trees of all threads of the scene.
    pub(crate) fn enter_scene(&mut self, scene: &Rc<dyn Scene + 'p>) {
        let threads = scene.threads();
        // Whoever joins a thread looks for its tree.
        let trees: Vec<TreeId> = threads.iter().map(|standing| self.tree_of_standing(standing)).collect();
        for (standing, &tree) in threads.iter().zip(&trees) {
            let root = self.forest.tree(tree).root;
            match standing.frames.is_empty() {
                true => self.has_ended(standing, root),
                false => self.go_on_from(standing, &threads, root),
            }
        }
    }

    fn tree_of_standing(&mut self, standing: &Standing) -> TreeId {
        let entry = standing.frames.first().map_or(self.program.start, |frame| frame.function);
        let key = TreeKey { thread: standing.thread.clone(), entry, argument: Some(0), context: 0 };
        let tree = self.forest.add_tree(key);
        self.forest.opening.trees.insert(tree);
        tree
    }

    fn has_ended(&mut self, standing: &Standing, root: NodeId) {
        let function = self.program.start;
        let value = self.register(standing.returned, 64);
        let state = State::of(standing.thread.clone());
        self.happened(&state, root, Site { function, pc: Pc(0), user: (function, Pc(0)) }, EventKind::Exit { value });
        self.forest.node_mut(root).end = NodeEnd::Exit;
    }

    fn go_on_from(&mut self, standing: &Standing, threads: &[Standing], root: NodeId) {
        let mut state = State::of(standing.thread.clone());
        state.creates = standing.creates;
        state.inputs = standing.inputs;
        state.answers = standing.answers;
        state.allocations.extend(standing.allocations.iter().copied());
        state.parted.extend(threads.iter().filter(|other| other.parted).map(|other| other.thread.clone()));
        for frame in &standing.frames {
            let caller = state.frames.last();
            let (scripted, results) = match caller {
                Some(caller) => (Some(caller.scripted), self.results_of_call(caller.function, caller.pc)),
                None => (None, Box::default()),
            };
            let scripted = self.is_scripted(scripted, frame.function);
            let frame = self.frame(frame, results, scripted);
            state.frames.push(frame);
        }
        let site = state.site(self.program);
        for &mutex in standing.held.iter().filter(|_| !seeded(Fault::HeldBeforeForgotten)) {
            let lock = self.happened(&state, root, site, EventKind::Lock { mutex, waits: false });
            state.held.push((mutex, lock));
            state.steps += 1;
        }
        if let Some(waiting) = standing.waiting {
            let enqueue = self.happened(&state, root, site, EventKind::Enqueue { condition: waiting.condition });
            if waiting.woken && !seeded(Fault::WokenBeforeForgotten) {
                self.forest.opening.woken.insert(enqueue);
            }
            state.waiting = Some(enqueue);
            state.steps += 1;
        }
        self.emit(root, &state, site, EventKind::Start { argument: None });
        state.certain = state.steps;
        self.walk(state, root);
    }

    /// An event that has taken place before everything.
    fn happened(&mut self, state: &State, node: NodeId, site: Site, kind: EventKind) -> EventId {
        let event = self.emit(node, state, site, kind);
        self.forest.opening.events.insert(event);
        event
    }

    fn frame(&mut self, frame: &StandingFrame, results: Box<[Reg]>, scripted: bool) -> Frame {
        let widths = &self.program.function(frame.function).registers;
        let registers = frame.registers.iter().zip(widths).map(|(&register, &width)| self.register(register, width));
        Frame {
            function: frame.function,
            pc: frame.pc,
            registers: registers.collect(),
            results,
            objects: frame.objects.clone(),
            decisions: 0,
            scripted,
        }
    }

    /// Where the results of the call go that a frame waits for.
    fn results_of_call(&self, function: FuncId, pc: Pc) -> Box<[Reg]> {
        match &self.program.function(function).code[pc.index()] {
            Inst::Call { callee: Callee::Direct(_) | Callee::Indirect(_), dsts, .. } => dsts[..].into(),
            _ => Box::default(),
        }
    }

    fn register(&mut self, register: Register, width: Width) -> Term {
        if register.undefined == 0 {
            return self.forest.terms.constant(width, register.value & mask(width));
        }
        let byte = |this: &mut Self, i: u8| {
            let bits = 8.min(width - 8 * i);
            match register.undefined >> i & 1 {
                0 => this.forest.terms.constant(bits, register.value >> (8 * i) & mask(bits)),
                _ => this.forest.undefined(bits),
            }
        };
        let low = byte(self, 0);
        (1..width.div_ceil(8)).fold(low, |low, i| {
            let high = byte(self, i);
            self.forest.terms.concat(high, low)
        })
    }
}
