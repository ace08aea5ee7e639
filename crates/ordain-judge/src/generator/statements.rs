//! Makes the statements of one function of a generated program.
//!
//! A `Maker` has a budget of points (what other threads can interleave with), and stops when it is used up: the judges
//! enumerate all interleavings, so programs have to stay small.

use super::profile::{Kind, Profile};
use super::rng::Rng;
use super::syntax::{Declaration, Stmt};

/// The variables that the functions of one program share.
pub(super) struct Shared {
    pub plain: &'static [&'static str],
    pub atomic: &'static [&'static str],
    /// `int arr[array_length]`.
    pub array_length: u32,
    /// Global integers that hold inputs, each with the number of values it can have.
    pub inputs: Vec<(String, u32)>,
    /// The variables that the await loops of this program wait for, and that are therefore stored to more often.
    pub flags: &'static [&'static str],
    /// What kinds of statements there are, with weights.
    pub palette: Vec<(Kind, u32)>,
}

pub(super) struct Maker<'a> {
    pub rng: &'a mut Rng,
    pub profile: Profile,
    pub shared: &'a Shared,
    /// Inputs that this function reads for itself, as registers.
    pub own_inputs: Vec<(String, u32)>,
    /// Main must not leave early all too often.
    pub is_main: bool,
    /// How many points it may still spend.
    pub budget: i32,
    depth: u32,
    loops: u32,
    /// How many registers were given a shared value.
    reads: usize,
}

const REGISTERS: [&str; 3] = ["r0", "r1", "r2"];

/// The locals that statements may mention.
pub(super) fn locals(is_main: bool) -> Vec<Declaration> {
    let mut locals: Vec<_> = REGISTERS.iter().map(|r| Declaration::new(*r, format!("int {r} = 0;"))).collect();
    locals.push(Declaration::new("e", "int e = 0;"));
    locals.push(Declaration::new("loc", "int loc[2];"));
    // What main gives to its threads is a local of its own.
    locals.push(Declaration::new("cell", "int cell = 0;"));
    locals.push(Declaration::new("q", if is_main { "int *q = 0;" } else { "int *q = arg;" }));
    locals
}

impl<'a> Maker<'a> {
    pub fn new(rng: &'a mut Rng, profile: Profile, shared: &'a Shared, budget: i32, is_main: bool) -> Self {
        Maker { rng, profile, shared, own_inputs: Vec::new(), is_main, budget, depth: 0, loops: 0, reads: 0 }
    }

    /// Statements until the budget is used up.
    pub fn statements(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        while self.budget > 0 {
            stmts.extend(self.next());
        }
        stmts
    }

    /// Statements that spend about `points`.
    pub(super) fn some(&mut self, points: i32) -> Vec<Stmt> {
        let points = points.min(self.budget).max(1);
        let kept = self.budget - points;
        self.budget = points;
        self.depth += 1;
        let stmts = self.statements();
        self.depth -= 1;
        self.budget += kept;
        stmts
    }

    fn next(&mut self) -> Vec<Stmt> {
        let kind = self.rng.weighted(&self.shared.palette);
        let nests = matches!(kind, Kind::Branch | Kind::Switch | Kind::Loop | Kind::Lock | Kind::TryLock);
        if nests && self.depth > 1 {
            return self.plain();
        }
        match kind {
            Kind::Plain => self.plain(),
            Kind::Atomic => self.atomic(),
            Kind::Fence => self.fence(),
            Kind::Array => self.array(),
            Kind::Pointer => self.pointer(),
            Kind::Heap => self.heap(),
            Kind::Bytes => self.bytes(),
            Kind::Lock => self.lock(),
            Kind::TryLock => self.try_lock(),
            Kind::Condition => self.condition_variable(),
            Kind::Semaphore => self.semaphore(),
            Kind::ReadWrite => self.read_write(),
            Kind::Spin => self.spin(),
            Kind::Barrier => self.barrier(),
            Kind::Once => self.spend("pthread_once(&once, initialise);", 3),
            Kind::Await => self.wait(),
            Kind::Divide => self.divide(),
            Kind::Uninitialised => self.uninitialised(),
            Kind::Helper => self.helper(),
            Kind::Branch => self.branch(),
            Kind::Detour => self.detour(),
            Kind::Switch => self.switch(),
            Kind::Loop => self.repeat(),
            Kind::Assert => {
                let condition = self.claim();
                vec![Stmt::line(format!("assert({condition});"))]
            }
            Kind::Leave => self.leave(),
            Kind::Print => {
                let (r, cost) = (self.register(), 1);
                self.spend(format!("printf(\"%d\\n\", {r});"), cost)
            }
        }
    }

    pub(super) fn spend(&mut self, text: impl Into<String>, points: i32) -> Vec<Stmt> {
        self.budget -= points;
        vec![Stmt::line(text)]
    }

    /// A register that something was read into, if there is one.
    fn register(&mut self) -> &'static str {
        let used = self.reads.clamp(1, REGISTERS.len());
        self.rng.pick(&REGISTERS[..used])
    }

    /// A register to read something into: each in turn, so that what was read is still there to be looked at.
    pub(super) fn target(&mut self) -> &'static str {
        self.reads += 1;
        REGISTERS[(self.reads - 1) % REGISTERS.len()]
    }

    pub(super) fn variable(&mut self) -> &'static str {
        self.rng.pick(self.shared.plain)
    }

    fn atomic_variable(&mut self) -> &'static str {
        self.rng.pick(self.shared.atomic)
    }

    /// A value that costs no point.
    pub(super) fn value(&mut self) -> String {
        if self.reads > 0 && self.rng.chance(20) {
            return self.register().into();
        }
        let values: &[u32] = if self.profile == Profile::Litmus { &[1, 1, 2] } else { &[0, 1, 1, 2, 2, 3] };
        self.rng.pick(values).to_string()
    }

    fn load_order(&mut self) -> &'static str {
        self.rng.pick(&["memory_order_relaxed", "memory_order_acquire", "memory_order_seq_cst"])
    }

    fn store_order(&mut self) -> &'static str {
        self.rng.pick(&["memory_order_relaxed", "memory_order_release", "memory_order_seq_cst"])
    }

    fn any_order(&mut self) -> &'static str {
        self.rng.pick(&[
            "memory_order_relaxed",
            "memory_order_acquire",
            "memory_order_release",
            "memory_order_acq_rel",
            "memory_order_seq_cst",
        ])
    }

    /// An input, if this function has any to look at: an expression, the number of its values, its cost in points.
    fn input(&mut self) -> Option<(String, u32, i32)> {
        let own = self.own_inputs.iter().map(|(name, values)| (name.clone(), *values, 0));
        let global = self.shared.inputs.iter().map(|(name, values)| (name.clone(), *values, 1));
        let all: Vec<_> = own.chain(global).collect();
        (!all.is_empty()).then(|| all[self.rng.below(all.len() as u32) as usize].clone())
    }

    fn plain(&mut self) -> Vec<Stmt> {
        let (x, y, v) = (self.variable(), self.variable(), self.value());
        match self.rng.below(if self.profile == Profile::Litmus { 6 } else { 9 }) {
            0..3 => self.spend(format!("{x} = {v};"), 1),
            3..6 => {
                let r = self.target();
                self.spend(format!("{r} = {x};"), 1)
            }
            6 => self.spend(format!("{x} = {x} + 1;"), 2),
            7 => self.spend(format!("{x} = {y} + {v};"), 2),
            _ => {
                let r = self.target();
                self.spend(format!("{r} = {x} - {y};"), 2)
            }
        }
    }

    fn atomic(&mut self) -> Vec<Stmt> {
        let (a, v) = (self.atomic_variable(), self.value());
        let (load, store, any) = (self.load_order(), self.store_order(), self.any_order());
        let choices = if self.profile == Profile::Litmus && self.rng.chance(85) { 8 } else { 13 };
        match self.rng.below(choices) {
            0..4 => self.spend(format!("atomic_store_explicit(&{a}, {v}, {store});"), 1),
            4..8 => {
                let r = self.target();
                self.spend(format!("{r} = atomic_load_explicit(&{a}, {load});"), 1)
            }
            8 => {
                let r = self.target();
                self.spend(format!("{r} = atomic_fetch_add_explicit(&{a}, {v}, {any});"), 1)
            }
            9 => self.spend(format!("atomic_fetch_or_explicit(&{a}, {v}, {any});"), 1),
            10 => {
                let r = self.target();
                self.spend(format!("{r} = atomic_exchange_explicit(&{a}, {v}, {any});"), 1)
            }
            _ => {
                let r = self.target();
                let mut stmts = vec![Stmt::line(format!("e = {};", self.rng.below(3)))];
                // A failure order may not be stronger than what the success order has of it.
                let failure = if any == "memory_order_seq_cst" { load } else { "memory_order_relaxed" };
                let cas = "atomic_compare_exchange_strong_explicit";
                stmts.extend(self.spend(format!("{r} = {cas}(&{a}, &e, {v}, {any}, {failure});"), 1));
                stmts
            }
        }
    }

    fn fence(&mut self) -> Vec<Stmt> {
        let order = if self.rng.chance(60) { "memory_order_seq_cst" } else { self.any_order() };
        self.spend(format!("atomic_thread_fence({order});"), 1)
    }

    /// An index into an array of `length`, mostly inside, and its cost in points.
    fn index(&mut self, length: u32) -> (String, i32) {
        let mask = if length > 2 { 3 } else { 1 };
        match self.rng.below(8) {
            0..5 => match self.input() {
                Some((input, values, cost)) if values > length || self.rng.chance(90) => (input, cost),
                Some((input, _, cost)) => (format!("{input} + 1"), cost),
                None => (self.rng.below(length).to_string(), 0),
            },
            5 => {
                let x = self.variable();
                (format!("{x} & {mask}"), 1)
            }
            6 => (format!("{} & {mask}", self.register()), 0),
            _ => (self.rng.below(length).to_string(), 0),
        }
    }

    fn array(&mut self) -> Vec<Stmt> {
        let (index, cost) = self.index(self.shared.array_length);
        let (r, v) = (self.target(), self.value());
        match self.rng.below(5) {
            0..2 => self.spend(format!("arr[{index}] = {v};"), cost + 1),
            2..4 => self.spend(format!("{r} = arr[{index}];"), cost + 1),
            _ => self.spend(format!("arr[{index}] += 1;"), cost + 2),
        }
    }

    fn pointer(&mut self) -> Vec<Stmt> {
        let (x, r, v) = (self.variable(), self.target(), self.value());
        match self.rng.below(15) {
            0..3 => self.spend(format!("p = &{x};"), 1),
            3..6 => self.spend(format!("*p = {v};"), 2),
            6..9 => self.spend(format!("{r} = *p;"), 2),
            9 => self.spend("*p = *p + 1;", 4),
            10 => {
                let (index, cost) = self.index(self.shared.array_length);
                self.spend(format!("p = &arr[{index}];"), cost + 1)
            }
            11 => {
                let mut stmts = self.spend("q = p;", 1);
                let inner = self.spend(format!("*q = {v};"), 1);
                stmts.push(Stmt::block("if (q)", inner));
                stmts
            }
            12..14 if self.is_main => {
                let text = if self.rng.chance(50) { format!("{r} = cell;") } else { format!("cell = {v};") };
                self.spend(text, 1)
            }
            12 => {
                let inner = self.spend(format!("*q = *q + {v};"), 2);
                vec![Stmt::block("if (q)", inner)]
            }
            13 => {
                // The address of a stack object that dies with the thread.
                let mut stmts = self.spend("loc[0] = 1;", 1);
                stmts.extend(self.spend("p = &loc[0];", 1));
                stmts
            }
            _ => self.spend("p = 0;", 1),
        }
    }

    fn heap(&mut self) -> Vec<Stmt> {
        let (r, v) = (self.target(), self.value());
        match self.rng.below(10) {
            0..2 => self.spend(format!("h[0] = {v};"), 2),
            2..4 => self.spend(format!("{r} = h[0];"), 2),
            4 => self.spend(format!("{r} = h[1];"), 2),
            5 => {
                let mut stmts = self.spend("q = malloc(sizeof(int));", 1);
                if self.rng.chance(70) {
                    stmts.extend(self.spend(format!("*q = {v};"), 1));
                }
                stmts.extend(self.spend("h = q;", 1));
                stmts
            }
            6..8 => self.spend("free(h);", 2),
            8 => {
                let mut stmts = self.spend("q = h;", 1);
                let mut inner = self.spend("free(q);", 1);
                inner.extend(self.spend("h = 0;", 1));
                stmts.push(Stmt::block("if (q)", inner));
                stmts
            }
            _ => {
                let mut stmts = self.spend("q = h;", 1);
                let inner = self.spend(format!("{r} = *q;"), 1);
                stmts.push(Stmt::block("if (q)", inner));
                stmts
            }
        }
    }

    fn bytes(&mut self) -> Vec<Stmt> {
        let (x, r, v) = (self.variable(), self.target(), self.value());
        match self.rng.below(10) {
            0 => self.spend(format!("u.word = {v};"), 1),
            1 => self.spend(format!("{r} = u.word;"), 1),
            2 => {
                let byte = self.rng.below(4);
                self.spend(format!("u.byte[{byte}] = {v};"), 1)
            }
            3 => self.spend(format!("{r} = u.byte[1];"), 1),
            4 => self.spend(format!("u.half[1] = {v};"), 1),
            5 => self.spend(format!("{r} = u.half[0];"), 1),
            6 => self.spend(format!("((unsigned char *)&{x})[1] = {v};"), 1),
            7 => self.spend(format!("{r} = ((short *)&{x})[0];"), 1),
            8 => self.spend(format!("wide = wide + {v};"), 2),
            _ => self.spend(format!("small = small + {v};"), 2),
        }
    }

    fn lock(&mut self) -> Vec<Stmt> {
        let (m, n) = self.rng.pick(&[("m1", "m2"), ("m2", "m1"), ("m1", "m2")]);
        let lock = |maker: &mut Self, m: &str| maker.spend(format!("pthread_mutex_lock(&{m});"), 1);
        let unlock = |maker: &mut Self, m: &str| maker.spend(format!("pthread_mutex_unlock(&{m});"), 1);
        let mut stmts = lock(self, m);
        match self.rng.below(20) {
            0..5 if self.depth == 0 => {
                stmts.extend(lock(self, n));
                stmts.extend(self.some(1));
                stmts.extend(unlock(self, n));
                stmts.extend(unlock(self, m));
            }
            5 => {
                stmts.extend(self.some(1));
                let condition = self.condition();
                let inner = unlock(self, m);
                stmts.push(Stmt::block(format!("if ({condition})"), inner));
            }
            6 => {
                stmts.extend(unlock(self, m));
                let condition = self.condition();
                let inner = unlock(self, m);
                stmts.push(Stmt::block(format!("if ({condition})"), inner));
            }
            _ => {
                stmts.extend(self.some(2));
                stmts.extend(unlock(self, m));
            }
        }
        stmts
    }

    fn try_lock(&mut self) -> Vec<Stmt> {
        // Loops that wait for a condition have no end where somebody can notice every round.
        let mutexes: &[&str] = if self.profile == Profile::Conditions { &["m2"] } else { &["m1", "m2"] };
        let m = self.rng.pick(mutexes);
        self.budget -= 2;
        let mut body = self.some(2);
        body.push(Stmt::line(format!("pthread_mutex_unlock(&{m});")));
        let other = if self.rng.chance(30) { self.some(1) } else { Vec::new() };
        vec![Stmt::Block { head: format!("if (pthread_mutex_trylock(&{m}) == 0)"), body, other }]
    }

    /// Awaits a flag, or sets one: programs in which everybody waits are dull.
    fn wait(&mut self) -> Vec<Stmt> {
        let f = self.rng.pick(self.shared.flags);
        let (a, x) = (self.atomic_variable(), self.variable());
        let (load, store) = (self.load_order(), self.store_order());
        match self.rng.below(12) {
            0..3 => self.spend(format!("while (!atomic_load_explicit(&{f}, {load}));"), 2),
            3..8 => self.spend(format!("atomic_store_explicit(&{f}, 1, {store});"), 1),
            8 => {
                let mut stmts = self.spend("spin_lock();", 2);
                stmts.extend(self.some(2));
                stmts.extend(self.spend("atomic_store(&spin, 0);", 1));
                stmts
            }
            9 => {
                let value = self.rng.below(3);
                let body = vec![Stmt::line("sched_yield();")];
                self.budget -= 2;
                vec![Stmt::block(format!("while (atomic_load_explicit(&{a}, {load}) != {value})"), body)]
            }
            10 if self.has(Kind::Plain) => {
                self.spend(format!("while ({x} == 0 && atomic_load_explicit(&{f}, {load}) == 0);"), 3)
            }
            11 if self.has(Kind::Plain) => self.spend(format!("while ({x} == 0);"), 2),
            _ => self.spend(format!("atomic_fetch_add_explicit(&{f}, 1, {store});"), 1),
        }
    }

    fn divide(&mut self) -> Vec<Stmt> {
        let (x, r) = (self.variable(), self.target());
        let offset = self.rng.below(3);
        let operator = self.rng.pick(&["/", "%"]);
        self.spend(format!("{r} = 6 {operator} ({x} - {offset});"), 2)
    }

    fn uninitialised(&mut self) -> Vec<Stmt> {
        let r = self.target();
        let (index, cost) = self.index(2);
        let mut stmts = vec![Stmt::line("loc[0] = 1;")];
        if self.rng.chance(30) {
            stmts.push(Stmt::line("loc[1] = 2;"));
        }
        stmts.extend(self.spend(format!("{r} = loc[{index}];"), cost + 1));
        let body = self.some(1);
        stmts.push(Stmt::block(format!("if ({r} == 1)"), body));
        stmts
    }

    fn helper(&mut self) -> Vec<Stmt> {
        let (x, r) = (self.variable(), self.target());
        match self.rng.below(5) {
            0 => self.spend(format!("{r} = twice({x});"), 1),
            1 => self.spend(format!("bump(&{x});"), 2),
            2 => self.spend(format!("{r} = attempt(1);"), 2),
            3 => self.spend(format!("{r} = checked({x});"), 3),
            _ => self.spend(format!("{r} = larger({x}, {r});"), 1),
        }
    }

    /// A condition to branch on.
    pub(super) fn condition(&mut self) -> String {
        let (operator, value) =
            self.rng.pick(&[("==", 0), ("==", 1), ("==", 2), ("!=", 0), ("!=", 1), ("<", 1), ("<", 2)]);
        match self.rng.below(10) {
            0..4 => match self.input() {
                Some((input, values, cost)) => {
                    self.budget -= cost;
                    format!("{input} == {}", self.rng.below(values))
                }
                None => self.shared_condition(operator, value),
            },
            4..6 if self.reads > 0 => format!("{} {operator} {value}", self.register()),
            _ => self.shared_condition(operator, value),
        }
    }

    fn has(&self, kind: Kind) -> bool {
        self.shared.palette.iter().any(|&(other, _)| other == kind)
    }

    fn shared_condition(&mut self, operator: &str, value: u32) -> String {
        self.budget -= 1;
        if self.has(Kind::Atomic) && (!self.has(Kind::Plain) || self.rng.chance(50)) {
            format!("atomic_load(&{}) {operator} {value}", self.atomic_variable())
        } else {
            format!("{} {operator} {value}", self.variable())
        }
    }

    /// A condition to assert: wrong now and then.
    fn claim(&mut self) -> String {
        let value = self.rng.pick(&[0, 1, 1, 2, 2, 3]);
        let (x, y, a, r, other) =
            (self.variable(), self.variable(), self.atomic_variable(), self.register(), self.register());
        if self.reads > 0 && self.rng.chance(40) {
            return format!("!({r} == {value} && {other} == {})", self.rng.pick(&[0, 1, 2]));
        }
        self.budget -= 1;
        match self.rng.below(6) {
            0..2 => format!("{x} != {value}"),
            2 => format!("{x} + {y} != {value}"),
            3 => format!("{x} <= {y} + {value}"),
            _ => format!("atomic_load(&{a}) != {value}"),
        }
    }

    fn branch(&mut self) -> Vec<Stmt> {
        let condition = self.condition();
        let body = self.some(2);
        let other = if self.rng.chance(40) { self.some(1) } else { Vec::new() };
        vec![Stmt::Block { head: format!("if ({condition})"), body, other }]
    }

    /// Something that orders or waits, on one side of a branch, and maybe another look at what was read before.
    fn detour(&mut self) -> Vec<Stmt> {
        let reads = self.reads;
        let condition = self.condition();
        let (a, m) = (self.atomic_variable(), self.rng.pick(&["m1", "m2"]));
        let mut body = match self.rng.below(8) {
            0..3 => self.spend("atomic_thread_fence(memory_order_seq_cst);", 1),
            3 => self.fence(),
            4 => self.spend(format!("atomic_fetch_add(&{a}, 1);"), 1),
            _ => {
                let mut stmts = self.spend(format!("pthread_mutex_lock(&{m});"), 1);
                if self.rng.chance(30) {
                    stmts.extend(self.plain());
                }
                stmts.push(Stmt::line(format!("pthread_mutex_unlock(&{m});")));
                stmts
            }
        };
        if reads > 0 && self.rng.chance(40) {
            let (r, order) = (self.register(), self.load_order());
            body.extend(self.spend(format!("{r} = atomic_load_explicit(&{a}, {order});"), 1));
        }
        let other = if self.rng.chance(20) { self.fence() } else { Vec::new() };
        vec![Stmt::Block { head: format!("if ({condition})"), body, other }]
    }

    fn switch(&mut self) -> Vec<Stmt> {
        let value = match self.input() {
            Some((input, _, cost)) if self.rng.chance(60) => {
                self.budget -= cost;
                input
            }
            _ => {
                self.budget -= 1;
                self.variable().into()
            }
        };
        let mut body = vec![Stmt::line("case 0:")];
        body.extend(self.some(1));
        if self.rng.chance(70) {
            body.push(Stmt::line("break;"));
        }
        body.push(Stmt::line("case 2:"));
        body.extend(self.some(1));
        body.push(Stmt::line("break;"));
        body.push(Stmt::line("default:"));
        body.extend(self.some(1));
        vec![Stmt::block(format!("switch ({value})"), body)]
    }

    fn repeat(&mut self) -> Vec<Stmt> {
        self.loops += 1;
        let k = format!("k{}", self.loops);
        let bound = match self.input() {
            Some((input, values, 0)) if values <= 4 && self.rng.chance(50) => input,
            _ => "2".into(),
        };
        let body = self.some(1);
        // The body runs more than once.
        self.budget -= 1;
        vec![Stmt::block(format!("for (int {k} = 0; {k} < {bound}; {k}++)"), body)]
    }

    fn leave(&mut self) -> Vec<Stmt> {
        let condition = self.condition();
        let text = match self.rng.below(if self.is_main { 2 } else { 4 }) {
            0 => "exit(3);",
            1 => "exit(0);",
            2 => "return (void *)1;",
            _ => "pthread_exit((void *)2);",
        };
        vec![Stmt::block(format!("if ({condition})"), vec![Stmt::line(text)])]
    }
}
