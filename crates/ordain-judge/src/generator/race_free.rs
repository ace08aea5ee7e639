//! Threaded programs without races whose output does not depend on the schedule.
//!
//! Too large to enumerate, but there is nothing to enumerate: whatever the schedule and the memory model, such a program
//! prints what it prints natively, and the machine finds no race in it. All threads run the same phases; threads meet
//! between phases at a barrier, or are joined and created anew. What they share within a phase is either updated with
//! one commutative operation, under a lock or atomically, or handed from a thread to its neighbour, or was written in an
//! earlier phase. Main prints all of it at the end.

mod activity;
mod fixed;
mod pure;

use super::rng::Rng;
use super::syntax::{Body, Declaration, Source, Stmt, Worker, function_text};
use activity::Activities;

/// How threads get from one phase to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    Barrier,
    /// Main joins them all and creates new ones.
    Join,
}

/// The program of a seed.
pub fn generate_race_free(seed: u64) -> Source {
    let mut rng = Rng::new(seed);
    let threads = 2 + rng.below(3);
    let phases = 1 + rng.below(3);
    let meeting = rng.pick(&[Meeting::Barrier, Meeting::Join]);
    let functions = pure::functions(&mut rng);
    let mut activities = Activities::new(&mut rng);
    let bodies: Vec<Body> = (0..phases).map(|phase| activities.phase(phase)).collect();
    let sizes = [("THREADS", threads), ("PHASES", phases), ("HANDOVERS", activities.handovers())];

    let mut declarations: Vec<_> =
        sizes.iter().map(|(name, value)| Declaration::new(*name, format!("#define {name} {value}"))).collect();
    declarations.push(Declaration::new("word", "typedef unsigned long word;"));
    declarations.extend(functions);
    declarations.extend(fixed::declarations());
    declarations.extend(bodies.iter().enumerate().map(|(nth, body)| phase_function(nth, body)));
    let workers = workers(meeting, phases);
    let main = main_body(meeting, &bodies, &workers);
    Source { title: format!("ordain-judge generate {seed} race-free"), declarations, workers, main }
}

fn phase_function(nth: usize, body: &Body) -> Declaration {
    let name = format!("phase{nth}");
    let text = function_text(&format!("static void {name}(struct state *s)"), body);
    Declaration::new(name, text.trim_end())
}

/// The entry functions: one with all phases, or one for each.
fn workers(meeting: Meeting, phases: u32) -> Vec<Worker> {
    let call = |phase: u32| Stmt::line(format!("phase{phase}(arg);"));
    let worker = |name: String, stmts| {
        let body = Body { locals: Vec::new(), stmts, result: "return arg;".into() };
        Worker { name, body }
    };
    match meeting {
        Meeting::Join => (0..phases).map(|phase| worker(format!("worker{phase}"), vec![call(phase)])).collect(),
        Meeting::Barrier => {
            let mut stmts = vec![call(0)];
            for phase in 1..phases {
                stmts.push(Stmt::line("pthread_barrier_wait(&barrier);"));
                stmts.push(call(phase));
            }
            vec![worker("worker".into(), stmts)]
        }
    }
}

fn main_body(meeting: Meeting, bodies: &[Body], workers: &[Worker]) -> Body {
    let mut stmts = Vec::new();
    if meeting == Meeting::Barrier {
        stmts.push(Stmt::line("pthread_barrier_init(&barrier, 0, THREADS);"));
    }
    let mentioned = |name: &str| bodies.iter().any(|body| body.mentions(name));
    stmts.extend(fixed::preparations(mentioned));
    for worker in workers {
        let create = format!("pthread_create(&threads[i], 0, {}, &states[i]);", worker.name);
        stmts.push(each_thread(vec![Stmt::line(create)]));
        stmts.push(each_thread(vec![Stmt::line("pthread_join(threads[i], 0);")]));
    }
    stmts.extend(fixed::printing());
    let locals = vec![Declaration::new("threads", "pthread_t threads[THREADS];")];
    Body { locals, stmts, result: "return 0;".into() }
}

fn each_thread(body: Vec<Stmt>) -> Stmt {
    Stmt::block("for (word i = 0; i < THREADS; i++)", body)
}
