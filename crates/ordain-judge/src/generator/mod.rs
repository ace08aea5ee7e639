//! Small threaded C programs, made from a seed.
//!
//! They are there to be judged: everything that can happen in one of them can be enumerated by brute force (`brute`,
//! `buffers`), so that what `ordain explore` says about it can be checked. An input's name ends with the number of its
//! values that matter (`"key0/4"`: 0 to 3; the program looks only at the low bits), which is what the judges enumerate.
//! Programs of another kind, larger and without races, are there to be compared with what they do natively (`race_free`).

mod profile;
mod race_free;
mod rng;
mod statements;
mod synchronise;
pub mod syntax;

pub use profile::Profile;
pub use race_free::generate_race_free;
pub use rng::Rng;

use profile::palette;
use statements::{Maker, Shared, locals};
use syntax::{Body, Declaration, Group, Source, Stmt, Worker};

/// The program of a seed.
pub fn generate(seed: u64, profile: Profile) -> Source {
    // Different profiles are to have different programs for the same seed, not variations.
    let mut rng = Rng::new(seed.wrapping_mul(31).wrapping_add(profile as u64));
    let shape = Shape::new(&mut rng, profile);
    let workers: Vec<_> = (1..=shape.workers).map(|nth| worker(&mut rng, profile, &shape, nth)).collect();
    let mut main = main_body(&mut rng, profile, &shape, &workers);
    let mut stmts = prologue(&mut rng, &shape, &workers, &mut main);
    stmts.append(&mut main.stmts);
    main.stmts = stmts;
    let title = format!("ordain-judge generate {seed} {profile}");
    Source { title, declarations: declarations(&shape), workers, main }
}

/// What a program looks like from afar.
struct Shape {
    shared: Shared,
    workers: u32,
    /// Points of each worker, and of main between its creates and joins.
    worker_points: i32,
    main_points: i32,
}

impl Shape {
    fn new(rng: &mut Rng, profile: Profile) -> Self {
        let litmus = profile == Profile::Litmus;
        let library = Profile::LIBRARY.contains(&profile);
        let (workers, worker_points, main_points) = match rng.below(10) {
            _ if library && rng.chance(50) => (1, 7, 6),
            _ if library => (2, 5, rng.below(2) as i32),
            0..4 if !litmus => (1, 6, 5),
            4..7 => (2, 4, 0),
            7..9 if !litmus => (2, 4, 2),
            9 => (3, 2, 0),
            _ => (2, 3, 0),
        };
        let inputs = match (profile, rng.below(10)) {
            (Profile::Litmus, _) => 0,
            _ if library => 0,
            (Profile::Inputs, 0..4) => 2,
            (Profile::Inputs, _) => 1,
            (_, 0..3) => 1,
            _ => 0,
        };
        let inputs = (0..inputs).map(|i| (format!("in{i}"), rng.pick(&[2, 4]))).collect();
        let shared = Shared {
            plain: rng.pick(&[&["x"] as &[_], &["x", "y"], &["x", "y"]]),
            atomic: if litmus { &["a", "b"] } else { rng.pick(&[&["a"] as &[_], &["a", "b"]]) },
            array_length: rng.pick(&[2, 3, 4]),
            inputs,
            flags: rng.pick(&[&["f"] as &[_], &["f"], &["f", "a"]]),
            palette: palette(rng, profile),
        };
        Shape { shared, workers, worker_points, main_points }
    }
}

/// Everything a statement may mention; what is not mentioned is not printed.
fn declarations(shape: &Shape) -> Vec<Declaration> {
    let mut all = vec![
        Declaration::new("x", "static int x = 0;"),
        Declaration::new("y", "static int y = 0;"),
        Declaration::new("a", "static _Atomic int a = 0;"),
        Declaration::new("b", "static _Atomic int b = 0;"),
        Declaration::new("f", "static _Atomic int f = 0;"),
        Declaration::new("spin", "static _Atomic int spin = 0;"),
        Declaration::new("arr", format!("static int arr[{}] = {{1}};", shape.shared.array_length)),
        Declaration::new("p", "static int *p = &x;"),
        Declaration::new("h", "static int *h = 0;"),
        Declaration::new("u", "static union {\n    int word;\n    unsigned char byte[4];\n    short half[2];\n} u;"),
        Declaration::new("wide", "static long wide = 0;"),
        Declaration::new("small", "static signed char small = 0;"),
        Declaration::new("m1", "static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;"),
        Declaration::new("m2", "static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;"),
        Declaration::new("c", "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;"),
        Declaration::new("s", "static sem_t s;"),
        Declaration::new("rw", "static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;"),
        Declaration::new("lock", "static pthread_spinlock_t lock;"),
        Declaration::new("together", "static pthread_barrier_t together;"),
        Declaration::new("once", "static pthread_once_t once = PTHREAD_ONCE_INIT;"),
        Declaration::new("when", "static const struct timespec when = {1, 0};"),
        Declaration::new("initialise", "static void initialise(void) {\n    x = x + 1;\n}"),
        Declaration::new("twice", "static int twice(int v) {\n    return v + v;\n}"),
        Declaration::new("bump", "static void bump(int *place) {\n    *place = *place + 1;\n}"),
        Declaration::new(
            "larger",
            "static int larger(int v, int w) {\n    if (v > w) {\n        return v;\n    }\n    return w;\n}",
        ),
        Declaration::new(
            "attempt",
            "static int attempt(int amount) {\n    if (atomic_fetch_sub(&a, amount) > 0) {\n        return 1;\n    }\n    \
             atomic_fetch_add(&a, amount);\n    return 0;\n}",
        ),
        Declaration::new(
            "checked",
            "static int checked(int v) {\n    if (v > 1) {\n        x = v;\n        assert(y != 2);\n    }\n    return v + 1;\n}",
        ),
        Declaration::new(
            "spin_lock",
            "static void spin_lock(void) {\n    int seen = 0;\n    while (!atomic_compare_exchange_strong(&spin, &seen, 1)) {\n        \
             seen = 0;\n    }\n}",
        ),
    ];
    for (name, _) in &shape.shared.inputs {
        all.push(Declaration::new(name.clone(), format!("static int {name};")));
    }
    all
}

/// Reads an input of `values` values into the integer `name`.
fn read_input(name: &str, values: u32) -> (Declaration, [Stmt; 2]) {
    let key = format!("{name}_key");
    let stmts = [
        Stmt::line(format!("ordain_input(&{key}, 1, \"{name}/{values}\");")),
        Stmt::line(format!("{name} = {key} & {};", values - 1)),
    ];
    (Declaration::new(key.clone(), format!("unsigned char {key} = 0;")), stmts)
}

fn worker(rng: &mut Rng, profile: Profile, shape: &Shape, nth: u32) -> Worker {
    let mut body = Body { locals: locals(false), ..Body::default() };
    let mut maker = Maker::new(rng, profile, &shape.shared, shape.worker_points, false);
    let own_input = if profile == Profile::Inputs { 30 } else { 6 };
    if profile != Profile::Litmus && maker.rng.chance(own_input) {
        let (name, values) = (format!("own{nth}"), maker.rng.pick(&[2, 4]));
        body.locals.push(Declaration::new(name.clone(), format!("int {name} = 0;")));
        maker.own_inputs.push((name, values));
        maker.budget -= 1;
    }
    body.stmts = maker.statements();
    for (name, values) in maker.own_inputs {
        if body.mentions(&name) {
            let (key, stmts) = read_input(&name, values);
            body.locals.push(key);
            body.stmts.splice(0..0, stmts);
        }
    }
    // Main can look at what the thread has read.
    body.result = match profile {
        Profile::Litmus => "return (void *)(long)(r0 + 4 * r1 + 16 * r2);".into(),
        _ => rng.pick(&["return 0;", "return (void *)(long)(r0 + 4 * r1);", "return (void *)1;"]).into(),
    };
    Worker { name: format!("worker{nth}"), body }
}

/// What main does before everything else: it reads the inputs and sets up the heap, as far as they are used.
fn prologue(rng: &mut Rng, shape: &Shape, workers: &[Worker], main: &mut Body) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    let used = |name: &str, main: &Body| main.mentions(name) || workers.iter().any(|w| w.body.mentions(name));
    let inputs: Vec<_> = shape.shared.inputs.iter().filter(|(name, _)| used(name, main)).collect();
    for (name, values) in inputs {
        let (key, reads) = read_input(name, *values);
        main.locals.push(key);
        stmts.extend(reads);
        if rng.chance(5) {
            stmts.push(Stmt::line(format!("__VERIFIER_assume({name} != 1);")));
        }
    }
    if used("s", main) {
        stmts.push(Stmt::line(format!("sem_init(&s, 0, {});", rng.below(2))));
    }
    if used("together", main) {
        stmts.push(Stmt::line("pthread_barrier_init(&together, 0, 2);"));
    }
    if used("h", main) {
        stmts.push(Stmt::line("h = malloc(2 * sizeof(int));"));
        stmts.push(Stmt::line("h[0] = 1;"));
        if rng.chance(60) {
            stmts.push(Stmt::line("h[1] = 2;"));
        }
    }
    stmts
}

fn main_body(rng: &mut Rng, profile: Profile, shape: &Shape, workers: &[Worker]) -> Body {
    let mut body = Body { locals: locals(true), result: "return 0;".into(), ..Body::default() };
    let mut joins = Vec::new();
    for nth in 1..=shape.workers {
        let (create, join) = thread(rng, profile, shape, nth);
        body.locals.push(Declaration::new(format!("t{nth}"), format!("pthread_t t{nth};")));
        body.locals.push(Declaration::new(format!("made{nth}"), format!("int made{nth} = 0;")));
        body.locals.push(Declaration::new(format!("ret{nth}"), format!("void *ret{nth} = 0;")));
        body.stmts.extend(create);
        joins.extend(join);
    }
    body.stmts.extend(Maker::new(rng, profile, &shape.shared, shape.main_points, true).statements());
    body.stmts.extend(joins);
    let ending = ending(rng, profile, workers, &body);
    body.stmts.extend(ending);
    body
}

/// The statements that create the nth worker and those that join it.
fn thread(rng: &mut Rng, profile: Profile, shape: &Shape, nth: u32) -> (Vec<Stmt>, Vec<Stmt>) {
    let group = Group(nth);
    let gives_cell = matches!(profile, Profile::Pointers | Profile::Mixed) && rng.chance(40);
    let argument = if gives_cell { "&cell" } else { "0" };
    let create = Stmt::grouped(format!("pthread_create(&t{nth}, 0, worker{nth}, {argument});"), group);
    let keeps_value = profile == Profile::Litmus || rng.chance(40);
    let place = if keeps_value { format!("&ret{nth}") } else { "0".into() };
    let join = Stmt::grouped(format!("pthread_join(t{nth}, {place});"), group);
    if profile == Profile::Litmus {
        return (vec![create], vec![join]);
    }
    if let Some((input, values)) = shape.shared.inputs.first().filter(|_| rng.chance(15)) {
        let made = Stmt::grouped(format!("made{nth} = 1;"), group);
        let created = Stmt::block(format!("if ({input} == {})", rng.below(*values)), vec![create, made]);
        return (vec![created], vec![Stmt::block(format!("if (made{nth})"), vec![join])]);
    }
    if rng.chance(8) {
        return (vec![create], Vec::new());
    }
    (vec![create], vec![join])
}

/// What main can look at in the end: a variable, and how it is read.
const OBSERVABLES: [(&str, &str); 16] = [
    ("x", "x"),
    ("y", "y"),
    ("a", "atomic_load(&a)"),
    ("b", "atomic_load(&b)"),
    ("arr", "arr[0]"),
    ("arr", "arr[1]"),
    ("u", "u.word"),
    ("wide", "wide"),
    ("small", "small"),
    ("cell", "cell"),
    ("p", "*p"),
    ("h", "h[0]"),
    ("ret1", "((long)ret1 & 3)"),
    ("ret1", "((long)ret1 >> 2 & 3)"),
    ("ret2", "((long)ret2 & 3)"),
    ("ret2", "((long)ret2 >> 2 & 3)"),
];

/// What main does after it joined its threads: it looks at what they have left, once or several times, each time for
/// an outcome that may or may not exist.
fn ending(rng: &mut Rng, profile: Profile, workers: &[Worker], main: &Body) -> Vec<Stmt> {
    let mentioned = |name: &str| main.mentions(name) || workers.iter().any(|w| w.body.mentions(name));
    let mut visible: Vec<&str> =
        OBSERVABLES.iter().filter(|(name, _)| mentioned(name)).map(|&(_, read)| read).collect();
    if visible.is_empty() {
        visible.push("x");
    }
    let mut outcomes: Vec<String> = (0..2 + rng.below(2)).map(|_| outcome(rng, profile, &visible)).collect();
    // Those that say less come last, so that they do not hide the others.
    outcomes.sort_by_key(|outcome| std::cmp::Reverse(outcome.matches("&&").count()));
    let mut stmts = Vec::new();
    for outcome in outcomes {
        stmts.push(match rng.below(4) {
            0 => Stmt::block(format!("if ({outcome})"), vec![Stmt::line("reach_error();")]),
            _ => Stmt::line(format!("assert(!({outcome}));")),
        });
    }
    if profile == Profile::Litmus || rng.chance(40) {
        let format = vec!["%ld"; visible.len()].join(" ");
        let values: Vec<_> = visible.iter().map(|read| format!("(long){read}")).collect();
        stmts.push(Stmt::line(format!("printf(\"{format}\\n\", {});", values.join(", "))));
    }
    stmts
}

/// A condition on what main can see, of one part or two.
fn outcome(rng: &mut Rng, profile: Profile, visible: &[&str]) -> String {
    let (first, second) = (rng.pick(visible), rng.pick(visible));
    let mut outcome = format!("{first} == {}", rng.pick(&[0, 1, 1, 2, 2, 3]));
    if second != first && (profile == Profile::Litmus || rng.chance(60)) {
        outcome += &format!(" && {second} == {}", rng.pick(&[0, 1, 1, 2, 2, 3]));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program() {
        for profile in Profile::ALL {
            assert_eq!(generate(7, profile).to_c(), generate(7, profile).to_c());
            assert_ne!(generate(7, profile).to_c(), generate(8, profile).to_c());
        }
    }

    #[test]
    fn the_first_line_says_how_to_make_it() {
        let text = generate(7, Profile::Heap).to_c();
        assert_eq!(text.lines().next(), Some("// ordain-judge generate 7 heap"));
    }

    #[test]
    fn only_what_is_mentioned_is_declared() {
        let mut source = generate(7, Profile::Mixed);
        source.main.stmts.clear();
        let text = source.to_c();
        assert!(!text.contains("worker1") && !text.contains("static int"), "{text}");
    }
}
