//! What a program does to addresses, as a graph for the solver.
//!
//! Registers are numbers, so every operation but a comparison may make an address from an address: nothing is asked about
//! types. Only a number that was too small a part of an address to find its object by (`a & 7`) is none.

use crate::library::{self, Effect};
use crate::object::{Kind, OUTSIDE, ObjectId, Objects, Offset, Target};
use crate::solve::{Along, Node, Solver, Use};
use ordain_expr::op::BinOp;
use ordain_ir::program::{Builtin, Callee, FuncId, Function, Inst, Operand, Pc, Program, Reg};
use rustc_hash::FxHashSet;

/// So many of the lowest bits do not say which object an address is in.
const LOW_BITS: u64 = 0xfff;
const WORD: u32 = 8;

/// An instruction, or a library function on its behalf, touches what the node points to.
pub(crate) struct Access {
    pub function: FuncId,
    pub pc: Pc,
    pub address: Node,
}

/// A call whose callees are found out on the way.
struct Call {
    by: Caller,
    arguments: Vec<Node>,
    results: Vec<Node>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Caller {
    Function(FuncId),
    /// The callees run in a thread of their own.
    Creation,
    /// Functions without a model call what they were given, in any thread.
    Outside,
}

/// More arguments than functions take that are called from outside.
const MOST_ARGUMENTS: usize = 16;

pub(crate) struct Constraints<'p> {
    program: &'p Program,
    pub objects: Objects,
    pub solver: Solver,
    /// The first register of each function, and what it returns.
    registers: Vec<u32>,
    returned: Vec<Vec<Node>>,
    calls: Vec<Call>,
    pub accesses: Vec<Access>,
    /// Which functions call which.
    pub callees: FxHashSet<(FuncId, FuncId)>,
    /// Functions that threads begin with.
    pub entries: FxHashSet<FuncId>,
    /// What is handed from thread to thread: arguments of threads, and what they return.
    pub handed_over: Node,
}

impl<'p> Constraints<'p> {
    /// Of all functions, solved.
    pub fn new(program: &'p Program) -> Constraints<'p> {
        let mut solver = Solver::default();
        let handed_over = solver.node();
        let mut registers = Vec::new();
        let mut returned = Vec::new();
        for function in &program.functions {
            registers.push(solver.node().0);
            (1..function.registers.len()).for_each(|_| {
                solver.node();
            });
            let most = function.code.iter().map(|inst| match inst {
                Inst::Ret { values } => values.len(),
                _ => 0,
            });
            returned.push((0..most.max().unwrap_or(0)).map(|_| solver.node()).collect());
        }
        let mut constraints = Constraints {
            program,
            objects: Objects::new(program),
            solver,
            registers,
            returned,
            calls: Vec::new(),
            accesses: Vec::new(),
            callees: FxHashSet::default(),
            entries: FxHashSet::default(),
            handed_over,
        };
        constraints.begin_outside();
        constraints.initial_values();
        for id in (0..program.functions.len() as u32).map(FuncId) {
            constraints.function(id);
        }
        constraints.solve();
        constraints
    }

    /// What is outside points to what is outside, and whatever it points to has escaped.
    fn begin_outside(&mut self) {
        let outside = self.solver.any(OUTSIDE);
        self.solver.add(outside, Target { object: OUTSIDE, offset: Offset::ANY });
        self.solver.use_as(outside, Use::Escape);
        let (arguments, results) = (vec![outside; MOST_ARGUMENTS], vec![outside; MOST_ARGUMENTS]);
        self.call_through(Call { by: Caller::Outside, arguments, results }, outside);
    }

    fn solve(&mut self) {
        let mut done = FxHashSet::default();
        loop {
            let called = self.solver.run();
            if called.is_empty() {
                return;
            }
            for (call, target) in called {
                if done.insert((call, target.object)) {
                    self.connect(call as usize, target);
                }
            }
        }
    }

    pub fn register(&self, function: FuncId, register: Reg) -> Node {
        Node(self.registers[function.index()] + register.0)
    }

    /// What an operand may point to, as a node.
    fn operand(&mut self, function: FuncId, operand: Operand) -> Option<Node> {
        match operand {
            Operand::Reg(register) => Some(self.register(function, register)),
            Operand::Undefined => None,
            Operand::Imm(value) => {
                let targets = self.objects.targets(value);
                let node = (!targets.is_empty()).then(|| self.solver.node())?;
                targets.into_iter().for_each(|target| self.solver.add(node, target));
                Some(node)
            }
        }
    }

    fn initial_values(&mut self) {
        let program = self.program;
        let short = self.objects.short();
        for global in &program.globals {
            let own = self.objects.id(Kind::Global(global.address));
            // Threads find this in their copies, if there are any.
            let copy = self.objects.id(Kind::ThreadLocal(global.address));
            for at in 0..global.init.len() {
                let number = |bytes: usize| -> Option<u64> {
                    let bytes = global.init.get(at..at + bytes)?;
                    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
                };
                let part = number(4).filter(|part| short.contains(part));
                for value in number(8).filter(|&value| value != 0).into_iter().chain(part) {
                    for target in self.objects.targets(value) {
                        for object in [own, copy] {
                            self.initial_value(object, at as i64, target);
                        }
                    }
                }
            }
        }
    }

    fn initial_value(&mut self, object: ObjectId, at: i64, target: Target) {
        match Offset::at(at).bytes() {
            Some(first) if first.is_multiple_of(WORD) => {
                let node = self.solver.word(object, first / WORD);
                self.solver.add(node, target);
            }
            _ => {
                let node = self.solver.any(object);
                self.solver.add(node, Target { offset: Offset::ANY, ..target });
            }
        }
    }

    fn function(&mut self, id: FuncId) {
        let function: &'p Function = self.program.function(id);
        for (pc, inst) in (0..).map(Pc).zip(&function.code) {
            self.instruction(id, pc, inst);
        }
    }

    fn flow(&mut self, id: FuncId, from: Operand, to: Reg, along: Along) {
        if let Some(from) = self.operand(id, from) {
            let to = self.register(id, to);
            self.solver.edge(from, to, along);
        }
    }

    fn instruction(&mut self, id: FuncId, pc: Pc, inst: &Inst) {
        match *inst {
            Inst::Bin { op, dst, a, b, .. } => self.arithmetic(id, op, dst, a, b),
            Inst::FloatBin { dst, a, b, .. } => [a, b].into_iter().for_each(|o| self.flow(id, o, dst, Along::Any)),
            Inst::Cmp { .. } | Inst::FloatCmp { .. } => {}
            Inst::Cast { from, to, dst, a, .. } => {
                self.flow(id, a, dst, if from.min(to) < 64 { Along::Any } else { Along::Same });
            }
            Inst::FloatCast { dst, a, .. } => self.flow(id, a, dst, Along::Any),
            Inst::Select { dst, then, other, .. } => {
                [then, other].into_iter().for_each(|o| self.flow(id, o, dst, Along::Same));
            }
            Inst::Copy { dst, src } | Inst::Freeze { dst, src } => self.flow(id, src, dst, Along::Same),
            Inst::Load { dst, addr, size, .. } => self.load(id, pc, addr, dst, size),
            Inst::Store { value, addr, size, .. } => self.store(id, pc, addr, value, size),
            Inst::Rmw { dst, addr, value, size, .. } => {
                self.load(id, pc, addr, dst, size);
                self.modify(id, addr, [Operand::Reg(dst), value], size);
            }
            Inst::CmpXchg { dst, addr, new, size, .. } => {
                self.load(id, pc, addr, dst, size);
                self.store(id, pc, addr, new, size);
            }
            Inst::Alloca { dst, .. } => self.allocate(id, pc, dst),
            Inst::Call { ref callee, ref args, ref dsts } => self.call(id, pc, callee, args, dsts),
            Inst::Ret { ref values } => {
                for (nth, &value) in values.iter().enumerate() {
                    let to = self.returned[id.index()][nth];
                    if let Some(from) = self.operand(id, value) {
                        self.solver.edge(from, to, Along::Same);
                    }
                }
            }
            Inst::Fence { .. } | Inst::Br { .. } | Inst::CondBr { .. } | Inst::Switch { .. } | Inst::Unreachable => {}
        }
    }

    fn arithmetic(&mut self, id: FuncId, op: BinOp, dst: Reg, a: Operand, b: Operand) {
        let is_low = |o: Operand| matches!(o, Operand::Imm(0..=LOW_BITS));
        match (op, a, b) {
            (BinOp::And, a, b) if is_low(a) || is_low(b) => {}
            (BinOp::URem, _, b) if is_low(b) => {}
            // A number that is an address itself is no distance.
            (BinOp::Add, from, Operand::Imm(bytes)) | (BinOp::Add, Operand::Imm(bytes), from)
                if self.objects.targets(bytes).is_empty() =>
            {
                self.flow(id, from, dst, Along::Plus(bytes as i64));
            }
            _ => [a, b].into_iter().for_each(|o| self.flow(id, o, dst, Along::Any)),
        }
    }

    fn access(&mut self, function: FuncId, pc: Pc, address: Node) {
        self.accesses.push(Access { function, pc, address });
    }

    fn load(&mut self, id: FuncId, pc: Pc, address: Operand, dst: Reg, size: u8) {
        let Some(address) = self.operand(id, address) else { return };
        let to = self.register(id, dst);
        self.access(id, pc, address);
        self.solver.use_as(address, Use::Load { to, bytes: size.into() });
    }

    fn store(&mut self, id: FuncId, pc: Pc, address: Operand, value: Operand, size: u8) {
        let Some(address) = self.operand(id, address) else { return };
        self.access(id, pc, address);
        if let Some(from) = self.operand(id, value) {
            self.solver.use_as(address, Use::Store { from, bytes: size.into() });
        }
    }

    /// Something is written that is computed from these.
    fn modify(&mut self, id: FuncId, address: Operand, from: [Operand; 2], size: u8) {
        let result = self.solver.node();
        for from in from {
            if let Some(from) = self.operand(id, from) {
                self.solver.edge(from, result, Along::Any);
            }
        }
        if let Some(address) = self.operand(id, address) {
            self.solver.use_as(address, Use::Store { from: result, bytes: size.into() });
        }
    }

    fn allocate(&mut self, id: FuncId, pc: Pc, dst: Reg) {
        let (object, to) = (self.objects.id(Kind::Allocated(id, pc)), self.register(id, dst));
        self.solver.add(to, Target { object, offset: Offset::at(0) });
    }

    /// The operands of a call. What is no address is a node that stays empty.
    fn nodes(&mut self, id: FuncId, operands: &[Operand]) -> Vec<Node> {
        let nodes = operands.iter().map(|&o| self.operand(id, o)).collect::<Vec<_>>();
        nodes.into_iter().map(|node| node.unwrap_or_else(|| self.solver.node())).collect()
    }

    fn call(&mut self, id: FuncId, pc: Pc, callee: &Callee, args: &[Operand], dsts: &[Reg]) {
        let arguments = self.nodes(id, args);
        let results: Vec<Node> = dsts.iter().map(|&dst| self.register(id, dst)).collect();
        match *callee {
            Callee::Direct(called) => {
                let body = self.program.function(called);
                match library::effect(&body.name).filter(|_| body.model) {
                    Some(effect) => self.library(id, pc, effect, &arguments, &results),
                    None => self.enter(id, called, &arguments, &results),
                }
            }
            Callee::Indirect(target) => {
                if let Some(target) = self.operand(id, target) {
                    self.call_through(Call { by: Caller::Function(id), arguments, results }, target);
                }
            }
            Callee::Builtin(builtin) => self.builtin(id, pc, builtin, &arguments, &results, dsts),
            Callee::Unknown(_) => self.leave(&arguments, &results),
        }
    }

    fn call_through(&mut self, call: Call, target: Node) {
        self.calls.push(call);
        self.solver.use_as(target, Use::Call(self.calls.len() as u32 - 1));
    }

    fn enter(&mut self, caller: FuncId, called: FuncId, arguments: &[Node], results: &[Node]) {
        self.callees.insert((caller, called));
        self.pass(called, arguments, results);
    }

    fn pass(&mut self, called: FuncId, arguments: &[Node], results: &[Node]) {
        let parameters = &self.program.function(called).params;
        for (&from, &parameter) in arguments.iter().zip(parameters) {
            let to = self.register(called, parameter);
            self.solver.edge(from, to, Along::Same);
        }
        for (from, &to) in self.returned[called.index()].clone().into_iter().zip(results) {
            self.solver.edge(from, to, Along::Same);
        }
    }

    /// A call, or the creation of a thread, may lead to this target.
    fn connect(&mut self, call: usize, target: Target) {
        let Call { by, .. } = self.calls[call];
        let (arguments, results) = (self.calls[call].arguments.clone(), self.calls[call].results.clone());
        match (self.objects.kind(target.object), by) {
            (Kind::Function(called), Caller::Function(caller)) => self.enter(caller, called, &arguments, &results),
            (Kind::Function(called), Caller::Outside) => {
                self.entries.insert(called);
                self.pass(called, &arguments, &results);
            }
            (Kind::Function(called), Caller::Creation) => {
                self.entries.insert(called);
                let results = vec![self.handed_over; self.returned[called.index()].len()];
                self.pass(called, &arguments, &results);
            }
            // Functions that have escaped are called from outside.
            (Kind::Outside, Caller::Function(_) | Caller::Creation) => self.leave(&arguments, &results),
            // What is no function cannot be called.
            _ => {}
        }
    }

    /// Nobody knows what becomes of this, nor where the results are from.
    fn leave(&mut self, arguments: &[Node], results: &[Node]) {
        let outside = self.solver.any(OUTSIDE);
        arguments.iter().for_each(|&from| self.solver.edge(from, outside, Along::Any));
        results.iter().for_each(|&to| self.solver.edge(outside, to, Along::Any));
    }

    fn library(&mut self, id: FuncId, pc: Pc, effect: Effect, arguments: &[Node], results: &[Node]) {
        arguments.iter().for_each(|&address| self.access(id, pc, address));
        if let (Effect::Copy, [to, from, ..]) = (effect, arguments) {
            self.copy(*from, *to);
        }
        if let (Effect::Copy | Effect::PointInto, [first, ..], [result, ..]) = (effect, arguments, results) {
            self.solver.edge(*first, *result, Along::Any);
        }
    }

    /// From what one points to, to what the other does.
    fn copy(&mut self, from: Node, to: Node) {
        let between = self.solver.node();
        self.solver.use_as(from, Use::LoadAll { to: between });
        self.solver.use_as(to, Use::StoreAll { from: between });
    }

    fn builtin(&mut self, id: FuncId, pc: Pc, builtin: Builtin, args: &[Node], results: &[Node], dsts: &[Reg]) {
        use Builtin::*;
        // Some do no more than compute with what they are given; that is an access too many, and does no harm.
        args.iter().for_each(|&address| self.access(id, pc, address));
        match builtin {
            ThreadCreate => self.create(args),
            ThreadExit => args.iter().for_each(|&from| self.solver.edge(from, self.handed_over, Along::Same)),
            ThreadJoin => {
                if let Some(&to) = args.get(1) {
                    self.solver.use_as(to, Use::Store { from: self.handed_over, bytes: WORD });
                }
            }
            Malloc | Calloc | AlignedAlloc => dsts.iter().for_each(|&dst| self.allocate(id, pc, dst)),
            Realloc => {
                dsts.iter().for_each(|&dst| self.allocate(id, pc, dst));
                if let ([from, ..], [to, ..]) = (args, results) {
                    self.copy(*from, *to);
                }
            }
            ThreadLocal => self.thread_local(id, pc, results),
            // What is written to a file or a pipe may be read again.
            System(_) => {
                let outside = self.solver.any(OUTSIDE);
                for &buffer in args {
                    self.solver.use_as(buffer, Use::LoadAll { to: outside });
                    self.solver.use_as(buffer, Use::StoreAll { from: outside });
                }
            }
            Math(_) | Wide(_) => {
                for (&from, &to) in args.iter().flat_map(|from| results.iter().map(move |to| (from, to))) {
                    self.solver.edge(from, to, Along::Any);
                }
            }
            // They give out numbers, and keep no addresses but those of mutexes and conditions.
            ThreadSelf | ThreadEqual | ThreadDetach | MutexInit | MutexDestroy | MutexLock | MutexTryLock
            | MutexUnlock | CondEnqueue | CondSleep | CondWoken | CondLeave | CondSignal | CondBroadcast
            | CondWaiters | Expired | Spurious | Misuse | Free | Exit | ExitNow | Abort | AssertFail | ReachError
            | InputBytes | InputValue | Assume | AtomicBegin | AtomicEnd | RegionBegin | RegionEnd | SetJump
            | LongJump | Yield | Sleep | UsableSize | Format(_) | Puts | Putchar => {}
        }
    }

    fn create(&mut self, args: &[Node]) {
        let &[_, _, entry, argument, ref context @ ..] = args else { return };
        let mut arguments = vec![argument];
        arguments.extend(context);
        arguments.iter().for_each(|&from| self.solver.edge(from, self.handed_over, Along::Same));
        self.call_through(Call { by: Caller::Creation, arguments, results: Vec::new() }, entry);
    }

    /// The thread's own copy of a variable, which is a constant of the call.
    fn thread_local(&mut self, id: FuncId, pc: Pc, results: &[Node]) {
        let Inst::Call { args, .. } = &self.program.function(id).code[pc.index()] else { return };
        let variables = match args.first() {
            Some(Operand::Imm(address)) => self.objects.targets(*address),
            _ => Vec::new(),
        };
        for variable in variables {
            if let Kind::Global(address) = self.objects.kind(variable.object) {
                let object = self.objects.id(Kind::ThreadLocal(address));
                let target = Target { object, offset: variable.offset };
                results.iter().for_each(|&result| self.solver.add(result, target));
            }
        }
    }
}
