//! Programs that wait by asking again and again come to an end under every scheduler.

mod c_programs;

use c_programs::compile;
use ordain_vm::schedulers::{Outcome, Pct, Random, RoundRobin, Scheduler, run};
use ordain_vm::{Config, End, Machine};

const LIMIT: u64 = 1_000_000;
const LENGTH: u64 = 500;

/// Not an await, to the machine: each question takes the lock, which somebody could notice, and is counted.
const POLLS: &str = "#include <pthread.h>\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
    static int done, questions;\n\
    static void *work(void *unused) {\n\
        pthread_mutex_lock(&lock); done = 1; pthread_mutex_unlock(&lock); return unused; }\n\
    int main() {\n\
        pthread_t thread; pthread_create(&thread, 0, work, 0);\n\
        for (int seen = 0; !seen; questions++) {\n\
            pthread_mutex_lock(&lock); seen = done; pthread_mutex_unlock(&lock); }\n\
        return pthread_join(thread, 0); }";

#[test]
fn polling_ends() {
    let compiled = compile(POLLS);
    let mut schedulers: Vec<Box<dyn Scheduler>> = vec![Box::new(RoundRobin::new(10)), Box::new(Random::new(1))];
    schedulers.extend((0..20).map(|seed| Box::new(Pct::new(1, LENGTH, seed)) as Box<dyn Scheduler>));
    for scheduler in &mut schedulers {
        let mut machine = Machine::alone(&compiled.program, &compiled.facts, Config::default());
        let outcome = run(&mut machine, scheduler.as_mut(), LIMIT);
        assert_eq!(outcome, Outcome::Ended(End::Exit(0)));
    }
}
