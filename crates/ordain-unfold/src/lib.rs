//! Unfolding: what one thread can do, whatever the others do.
//!
//! A thread-local symbolic executor. It follows one thread along one path; every value that another thread can influence
//! is a fresh symbol, so what it finds (the events along the path) depends on the path alone and can be put into the
//! forest once and for all. It stops at a decision and keeps the state there, to go on from it when an outcome turns out
//! to be reachable.
//!
//! Which memory others can influence is an assumption, kept in `Sharing`: a location that only one thread was ever seen
//! to touch is private to it. When that turns out wrong, the generation of `Sharing` moves on, and what was unfolded
//! before must be unfolded again.

mod access;
mod ahead;
mod await_loop;
mod bounds;
mod builtin;
mod condition;
mod elsewhere;
mod layout;
mod meet;
mod merge;
mod numbers;
mod places;
mod printing;
mod scene;
pub mod script;
mod sharing;
mod state;
mod system;
mod walk;

pub use script::Script;
pub use sharing::Sharing;

use access::ReadName;
use meet::Standing;
use ordain_expr::Term;
use ordain_expr::op::Width;
use ordain_ir::facts::Facts;
use ordain_ir::facts::quiet::Quiet;
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Inst, Pc, Program};
use ordain_model::encode::Waits;
use ordain_model::event::{EventKind, Site, TreeKey};
use ordain_model::failure::FailureKind;
use ordain_model::forest::{Forest, NodeEnd, NodeId, Outcome, Subject, Tree, TreeId, main_tree};
use ordain_model::memory::{AddressBook, NULL_PAGE_BYTES};
use ordain_model::scene::Scene;
use rustc_hash::FxHashMap;
use state::State;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Options {
    /// Join branches again at their postdominator where that is possible; otherwise every branch is a decision.
    pub merge: bool,
    /// Memory is weaker than SC: what drains store buffers must not be executed under a guard.
    pub weak: bool,
    /// Waits for a condition may end without a signal.
    pub spurious: bool,
    /// How many rounds of a loop, and how many calls of a function inside each other, depend on decisions before the path is cut.
    pub unroll: Option<u32>,
    /// Which way threads went, if only that is of interest.
    pub script: Option<Arc<Script>>,
}

pub struct Unfolder<'p> {
    program: &'p Program,
    facts: &'p Facts,
    quiet: Quiet<'p>,
    options: Options,
    book: Rc<RefCell<AddressBook>>,
    pub sharing: Sharing,
    pub forest: Forest,
    /// The state at every decision, before it is taken.
    states: FxHashMap<NodeId, State>,
    read_symbols: FxHashMap<ReadName, Term>,
    /// Where paths may meet, by what they have to have in common. There are several of one kind where a loop leads from one
    /// to the next.
    met: FxHashMap<Standing, Vec<NodeId>>,
    /// What stands for symbols where states are compared, by number, width, and whether they are undefined.
    place_holders: FxHashMap<(usize, Width, bool), Term>,
    /// Trees that a create event refers to, and nobody has unfolded yet.
    unborn: Vec<TreeId>,
    main: TreeId,
    /// By the nodes that end with a failing iteration.
    awaits: FxHashMap<NodeId, Await>,
    /// Where paths end that do not just end: by a failure, or because they are not followed any further.
    end_sites: FxHashMap<NodeId, Site>,
    /// Where the program looks at the layout of memory, if it does.
    pub layout: Option<Site>,
    /// Of `sharing`, when unfolding began.
    generation: u64,
    /// Functions that can be executed under a guard, by what `merge` has found out about them.
    whole_functions: FxHashMap<FuncId, Option<Rc<[BlockId]>>>,
    patience: Patience,
    /// What has been done since it was last asked for, in instructions.
    effort: u64,
    /// Where threads may have to wait, if there is a script.
    waits: Waits,
    /// What memory holds when the main thread creates its first, if there is a script.
    settled: Rc<state::Bytes>,
    /// Where executions begin, if not at the start of the program.
    scene: Option<Rc<dyn Scene + 'p>>,
}

/// A failing iteration.
struct Await {
    /// Its first point.
    site: Site,
    /// The loop: function and header.
    header: (FuncId, BlockId),
    /// It has allocated memory.
    allocates: bool,
}

/// Instructions between two looks at whether anybody still wants to know, and bytes that are looked at in the time of one.
const LOOK_AROUND: u64 = 1 << 12;
const BYTES_PER_INSTRUCTION: u64 = 8;

/// Says, when asked, that nobody wants to wait any longer. Paths end where they are then.
pub type Patience = Rc<dyn Fn() -> bool>;

impl<'p> Unfolder<'p> {
    pub fn new(
        program: &'p Program,
        facts: &'p Facts,
        options: Options,
        book: Rc<RefCell<AddressBook>>,
        sharing: Sharing,
        patience: Patience,
        scene: Option<Rc<dyn Scene + 'p>>,
    ) -> Self {
        let mut forest = Forest::default();
        // In a scene, the main thread is one of many.
        let main = if scene.is_none() { forest.add_tree(main_tree(program.start)) } else { TreeId(0) };
        let generation = sharing.generation();
        let mut this = Unfolder {
            program,
            facts,
            quiet: Quiet::new(program),
            options,
            book,
            sharing,
            forest,
            states: FxHashMap::default(),
            read_symbols: FxHashMap::default(),
            met: FxHashMap::default(),
            place_holders: FxHashMap::default(),
            unborn: if scene.is_none() { vec![main] } else { Vec::new() },
            main,
            awaits: FxHashMap::default(),
            end_sites: FxHashMap::default(),
            layout: None,
            generation,
            whole_functions: FxHashMap::default(),
            patience,
            effort: 0,
            waits: Waits::default(),
            settled: Rc::default(),
            scene: scene.clone(),
        };
        if let Some(scene) = scene {
            this.enter_scene(&scene);
        }
        this.unfold_unborn();
        this
    }

    /// Counts an instruction; says, now and then, whether nobody wants to wait any longer.
    fn is_out_of_patience(&mut self) -> bool {
        self.effort += 1;
        if self.effort < LOOK_AROUND {
            return false;
        }
        let is_over = (self.patience)();
        // Then it is so for whatever comes next, too.
        self.effort = if is_over { LOOK_AROUND } else { 0 };
        is_over
    }

    /// All private memory of a thread is looked at.
    fn look_through(&mut self, state: &State) {
        self.effort += state.memory.len() as u64 / BYTES_PER_INSTRUCTION;
    }

    /// Whether memory turned out to be shared that parts of the forest take to be private.
    pub fn is_stale(&self) -> bool {
        self.sharing.generation() != self.generation
    }

    /// Whether stores may be delayed, so that emptying a store buffer is something others can notice.
    pub fn is_weak(&self) -> bool {
        self.options.weak
    }

    /// Follows an outcome of the decision at the end of `node`; returns the node that it leads to.
    pub fn extend(&mut self, node: NodeId, outcome: Outcome) -> NodeId {
        let child = self.follow(node, outcome);
        self.unfold_unborn();
        child
    }

    fn follow(&mut self, node: NodeId, outcome: Outcome) -> NodeId {
        if let Some(child) = self.forest.child(node, outcome) {
            return child;
        }
        let NodeEnd::Decision(decision) = &self.forest.node(node).end else {
            unreachable!("only decisions can be extended")
        };
        let on = decision.on.clone();
        let mut state = self.states[&node].clone();
        let child = self.forest.add_child(node, outcome);
        match self.learn(&mut state, &on, outcome) {
            Ok(()) => self.walk(state, child),
            Err(end) => {
                self.end_sites.insert(child, state.site(self.program));
                self.forest.node_mut(child).end = state.end_there(end);
            }
        }
        child
    }

    /// What the thread knows after an outcome, or how the path ends with it.
    fn learn(&mut self, state: &mut State, on: &Subject, outcome: Outcome) -> Result<(), NodeEnd> {
        match (on, outcome) {
            (Subject::Condition(c), Outcome::Yes | Outcome::No) => {
                state.know(&mut self.forest.terms, *c, outcome == Outcome::Yes);
            }
            (Subject::Switch { value, .. }, Outcome::Case(v)) | (Subject::Value(value), Outcome::Value(v)) => {
                state.values.insert(*value, v);
            }
            (Subject::Switch { value, cases }, Outcome::Default) => {
                state.defaults.insert((*value, cases.clone()));
            }
            (Subject::Pointer { address, bytes }, Outcome::Object { base, .. }) => {
                state.pointers.insert((*address, *bytes), base);
            }
            (Subject::Pointer { .. }, Outcome::Nowhere { low, .. }) => {
                return Err(NodeEnd::Failure(wild_kind(low)));
            }
            (Subject::TryLock { .. }, Outcome::Yes | Outcome::No) => state.try_lock = Some(outcome == Outcome::Yes),
            (on, outcome) => unreachable!("{outcome:?} is no outcome of {on:?}"),
        }
        state.decisions += 1;
        let facts = self.facts.function(state.frame().function);
        state.fork(facts.immediate_postdominator(facts.block_of(state.frame().pc)));
        Ok(())
    }

    /// The outcome of a decision, given what its subject evaluates to.
    pub fn outcome_of(&mut self, on: &Subject, value: &mut dyn FnMut(Term) -> u64) -> Option<Outcome> {
        Some(match on {
            Subject::Condition(c) if value(*c) != 0 => Outcome::Yes,
            Subject::Condition(_) => Outcome::No,
            Subject::Switch { value: v, cases } => {
                let v = value(*v);
                if cases.contains(&v) { Outcome::Case(v) } else { Outcome::Default }
            }
            Subject::Value(v) => Outcome::Value(value(*v)),
            Subject::Pointer { address, bytes } => {
                let (address, mut book) = (value(*address), self.book.borrow_mut());
                match book.find(address) {
                    Some(o) if o.contains(address, *bytes) => Outcome::Object { base: o.base, size: o.size },
                    _ => {
                        let (low, high) = book.nowhere(address, *bytes);
                        Outcome::Nowhere { low, high }
                    }
                }
            }
            Subject::TryLock { .. } => return None,
        })
    }

    /// Where a thread waits whose failing iteration ends this node: at the first point of the iteration.
    pub fn await_site(&self, node: NodeId) -> Site {
        self.awaits[&node].site
    }

    /// Whether the failing iteration that ends this node has allocated memory: after it, objects lie elsewhere than they
    /// would without it.
    pub fn allocates_in_vain(&self, node: NodeId) -> bool {
        self.awaits[&node].allocates
    }

    /// The loop whose failing iteration ends this node.
    pub fn await_header(&self, node: NodeId) -> (FuncId, BlockId) {
        self.awaits[&node].header
    }

    /// Where a path ends that fails, or is not followed any further.
    pub fn end_site(&self, node: NodeId) -> Option<Site> {
        self.end_sites.get(&node).copied()
    }

    fn unfold_unborn(&mut self) {
        while let Some(tree) = self.unborn.pop() {
            let Tree { key, root } = self.forest.tree(tree).clone();
            let symbolic = key.argument.is_none();
            let argument = match key.argument {
                Some(value) => self.forest.terms.constant(64, value),
                None => self.forest.terms.symbol(64),
            };
            let mut state = State::start(self.program, &key, argument, &mut self.forest.terms);
            state.frame_mut().scripted = self.is_scripted(None, key.entry);
            let function = key.entry;
            let site = Site { function, pc: Pc(0), user: (function, Pc(0)) };
            let start = EventKind::Start { argument: symbolic.then_some(argument) };
            self.emit(root, &state, site, start);
            self.walk(state, root);
        }
    }

    /// The tree of a thread that a create event starts.
    fn tree_for(&mut self, key: TreeKey) {
        if !self.forest.by_key.contains_key(&key) {
            let tree = self.forest.add_tree(key);
            self.unborn.push(tree);
        }
    }
}

/// Whether a builtin is called anywhere.
pub fn calls(program: &Program, builtin: Builtin) -> bool {
    let is_it = |inst: &Inst| matches!(inst, Inst::Call { callee: Callee::Builtin(b), .. } if *b == builtin);
    program.functions.iter().any(|f| f.code.iter().any(is_it))
}

/// What it means to access memory at an address where nothing is.
fn wild_kind(address: u64) -> FailureKind {
    if address < NULL_PAGE_BYTES { FailureKind::Null } else { FailureKind::Bounds }
}
