//! The local state of a thread on one path: frames, private memory, what the path has taught so far.

use crate::ahead::Ahead;
use ordain_expr::{Term, Terms};
use ordain_ir::program::{BlockId, FuncId, Operand, Pc, Program, Reg};
use ordain_model::event::{EventId, Site, TreeKey};
use ordain_model::forest::{NodeId, Position};
use ordain_model::names::ThreadName;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::rc::Rc;

/// Maps and sets that are cheap to copy: a state is kept for every decision, and differs little from the one before.
type Map<K, V> = imbl::GenericHashMap<K, V, FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;
type Set<K> = imbl::GenericHashSet<K, FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;

/// Bytes that the thread wrote to memory which is private to it.
pub type Bytes = FxHashMap<u64, Term>;

#[derive(Clone)]
pub struct Frame {
    pub function: FuncId,
    pub pc: Pc,
    pub registers: Vec<Term>,
    /// Where the caller wants the results.
    pub results: Box<[Reg]>,
    /// Stack objects that die with the frame.
    pub objects: Vec<u64>,
    /// How many decisions the path had when the function was called.
    pub decisions: u32,
    /// Which way it goes is in the script.
    pub scripted: bool,
}

/// The last arrival at a loop header, to see whether an iteration changed anything.
#[derive(Clone)]
pub struct Arrival {
    pub depth: usize,
    pub block: BlockId,
    pub registers: Vec<Term>,
    pub memory: Rc<Bytes>,
    pub position: Position,
    /// The first point that was executed since.
    pub first_point: Option<Site>,
    pub inputs: u32,
    pub allocations: Map<(FuncId, Pc), u32>,
    pub dead: Set<u64>,
    pub atomic: Option<(EventId, u32)>,
    /// How often a decision led back here.
    pub decided: u32,
    pub decisions: u32,
    /// The iteration before was a failing one.
    pub failed: bool,
    /// Since then the path has met others, which need not have been here.
    pub blurred: bool,
}

#[derive(Clone)]
pub struct State {
    pub thread: ThreadName,
    pub frames: Vec<Frame>,
    pub memory: Rc<Bytes>,
    /// How often this thread allocated at each place.
    pub allocations: Map<(FuncId, Pc), u32>,
    /// How often it read at each place what others may have written, since the last meeting.
    pub reads: Map<(FuncId, Pc), u32>,
    /// How often it came by each plain load, where a script knows what was read there.
    pub loads: Map<(FuncId, Pc), u32>,
    pub creates: u32,
    pub inputs: u32,
    /// How many of its system calls have been answered.
    pub answers: u32,
    pub steps: u64,
    /// The step of the last point that took place for sure, and what came after it on sides of branches that were joined, without
    /// anybody noticing: steps, and when they take place.
    pub certain: u64,
    pub unnoticed: Vec<(u64, Term)>,
    pub decisions: u32,
    /// How many steps of the script lie behind.
    pub scripted: usize,
    /// The script is over, and what has been done since follows: how many events more it may be.
    pub events_beyond: Option<usize>,
    /// The thread has left the way of the script, and how many decisions more are followed at once.
    pub elsewhere: Option<u32>,
    /// Where the path has last met others, and how many decisions there were before.
    pub since: Option<NodeId>,
    pub met_after: u32,
    /// Several ways lead to where the thread is.
    pub at_junction: bool,
    /// Decisions whose ways have not come together again: in which frame, and at which block they will, or else where the
    /// function returns.
    pub forks: Vec<(usize, Option<BlockId>)>,
    /// Some have, since the path has last been compared with others.
    pub rejoins: bool,
    /// Mutexes this thread holds, with the events that took them.
    pub held: Vec<(u64, EventId)>,
    /// The event by which the thread began to wait for a condition, while it does.
    pub waiting: Option<EventId>,
    /// Objects this thread has freed, or whose frames it has left.
    pub dead: Set<u64>,
    /// Threads that this one has joined or detached.
    pub parted: Set<ThreadName>,
    /// The section between `__VERIFIER_atomic_begin` and `_end`, and how many have begun in each other.
    pub atomic: Option<(EventId, u32)>,
    pub arrivals: Vec<Arrival>,
    /// What the decisions of the path say about terms.
    pub conditions: Map<Term, bool>,
    pub values: Map<Term, u64>,
    /// Switches that went to their default: the value, and the cases it is none of.
    pub defaults: Set<(Term, Vec<u64>)>,
    pub pointers: Map<(Term, u64), u64>,
    /// The outcome of the trylock that the thread is about to execute.
    pub try_lock: Option<bool>,
    /// What comes before the next instruction, the first of it last.
    pub ahead: Vec<Ahead>,
}

impl State {
    /// Of a thread that is in no function yet.
    pub fn of(thread: ThreadName) -> State {
        State {
            thread,
            frames: Vec::new(),
            memory: Rc::default(),
            allocations: Map::default(),
            reads: Map::default(),
            loads: Map::default(),
            creates: 0,
            inputs: 0,
            answers: 0,
            steps: 0,
            certain: 0,
            unnoticed: Vec::new(),
            decisions: 0,
            scripted: 0,
            events_beyond: None,
            elsewhere: None,
            since: None,
            met_after: 0,
            at_junction: false,
            forks: Vec::new(),
            rejoins: false,
            held: Vec::new(),
            waiting: None,
            dead: Set::default(),
            parted: Set::default(),
            atomic: None,
            arrivals: Vec::new(),
            conditions: Map::default(),
            values: Map::default(),
            defaults: Set::default(),
            pointers: Map::default(),
            try_lock: None,
            ahead: Vec::new(),
        }
    }

    pub fn start(program: &Program, key: &TreeKey, argument: Term, terms: &mut Terms) -> State {
        let mut state = State::of(key.thread.clone());
        let arguments = [argument, terms.constant(64, key.context)];
        let given = &arguments[..program.function(key.entry).params.len().min(2)];
        state.push_frame(program, key.entry, given, Box::default(), terms);
        state
    }

    pub fn push_frame(
        &mut self,
        program: &Program,
        function: FuncId,
        arguments: &[Term],
        results: Box<[Reg]>,
        terms: &mut Terms,
    ) {
        let f = program.function(function);
        // Every register is written before it is read, so what it holds until then does not matter.
        let unset = terms.constant(64, 0);
        let mut registers = vec![unset; f.registers.len()];
        for (param, &argument) in f.params.iter().zip(arguments) {
            registers[param.index()] = argument;
        }
        let (pc, decisions) = (f.blocks[0].start, self.decisions);
        let objects = Vec::new();
        self.frames.push(Frame { function, pc, registers, results, objects, decisions, scripted: false });
    }

    pub fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub fn frame_mut(&mut self) -> &mut Frame {
        let top = self.frames.len() - 1;
        &mut self.frames[top]
    }

    pub fn set(&mut self, register: Reg, value: Term) {
        self.frame_mut().registers[register.index()] = value;
    }

    /// Where the thread is, and the user's line that it is on.
    pub fn site(&self, program: &Program) -> Site {
        let top = self.frame();
        let user = self.frames.iter().rev().find(|f| !program.function(f.function).model).unwrap_or(top);
        Site { function: top.function, pc: top.pc, user: (user.function, user.pc) }
    }

    /// A point is executed.
    pub fn step(&mut self, site: Site) {
        self.steps += 1;
        for arrival in self.arrivals.iter_mut().rev().take_while(|a| a.first_point.is_none()) {
            arrival.first_point = Some(site);
        }
    }

    /// What was executed last took place for sure.
    pub fn note_certain_step(&mut self) {
        self.certain = self.steps;
        self.unnoticed.clear();
    }

    /// A decision is taken, whose ways come together at this block of the topmost frame, or where its function returns.
    pub fn fork(&mut self, until: Option<BlockId>) {
        let fork = (self.frames.len(), until);
        if !self.forks.contains(&fork) {
            self.forks.push(fork);
        }
    }

    /// The thread comes to a block of the topmost frame, or (`None`) back to it.
    pub fn rejoin(&mut self, at: Option<BlockId>) {
        let (depth, forks) = (self.frames.len(), self.forks.len());
        self.forks.retain(|&(frame, until)| frame < depth || (frame == depth && (at.is_none() || until != at)));
        self.rejoins |= self.forks.len() < forks;
    }

    /// The path has decided that `condition` is `truth`.
    pub fn know(&mut self, terms: &mut Terms, condition: Term, truth: bool) {
        self.conditions.insert(condition, truth);
        let negation = terms.not(condition);
        self.conditions.insert(negation, !truth);
    }

    /// Whether the path has decided this condition already.
    pub fn known(&self, terms: &Terms, condition: Term) -> Option<bool> {
        terms.as_const(condition).map(|c| c != 0).or_else(|| self.conditions.get(&condition).copied())
    }

    /// The value of a term, if it is a constant or the path has decided it.
    pub fn constant(&self, terms: &Terms, t: Term) -> Option<u64> {
        terms.as_const(t).or_else(|| self.values.get(&t).copied())
    }

    pub fn block_start(&self, program: &Program, block: BlockId) -> Pc {
        program.function(self.frame().function).blocks[block.index()].start
    }
}

/// The value of an operand in a set of registers.
pub fn operand(
    forest: &mut ordain_model::forest::Forest,
    registers: &[Term],
    operand: Operand,
    width: ordain_expr::op::Width,
) -> Term {
    match operand {
        Operand::Reg(r) => registers[r.index()],
        Operand::Imm(bits) => forest.terms.constant(width, bits & ordain_expr::op::mask(width)),
        Operand::Undefined => forest.undefined(width),
    }
}
