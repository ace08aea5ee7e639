//! What a thread does in a phase.
//!
//! `s` is the thread's own state. Every thread runs every phase as a whole, so an activity at its top level happens in all
//! of them, and neighbours can count on each other; what needs nobody else may stand in loops and branches.

use super::pure::{call, expression};
use crate::generator::rng::Rng;
use crate::generator::syntax::{Body, Stmt};

const OPERANDS: [&str; 6] = ["s->l[0]", "s->l[1]", "s->l[2]", "s->l[3]", "s->me", "s->buffer[s->l[1] & 7]"];

/// Shared state of one kind is updated with one of these only.
const OPERATORS: [&str; 3] = ["+", "^", "|"];
const FETCHES: [&str; 4] = ["add", "sub", "xor", "or"];

pub(super) struct Activities<'r> {
    rng: &'r mut Rng,
    /// Of the totals under the mutex, the spin lock and the read-write lock.
    operators: [&'static str; 3],
    /// Of all counters but the last, which is only ever raised.
    fetches: [&'static str; 2],
    handovers: u32,
}

impl<'r> Activities<'r> {
    pub(super) fn new(rng: &'r mut Rng) -> Self {
        let operators = [(); 3].map(|()| rng.pick(&OPERATORS));
        let fetches = [(); 2].map(|()| rng.pick(&FETCHES));
        Activities { rng, operators, fetches, handovers: 0 }
    }

    /// How many things are handed over in all phases; arrays of them have at least one element.
    pub(super) fn handovers(&self) -> u32 {
        self.handovers.max(1)
    }

    pub(super) fn phase(&mut self, phase: u32) -> Body {
        let mut stmts = Vec::new();
        for _ in 0..3 + self.rng.below(4) {
            match self.rng.below(10) {
                0..4 => stmts.extend(self.handover()),
                4..6 => stmts.push(self.repeated(phase)),
                6 => stmts.push(self.guarded(phase)),
                _ => stmts.extend(self.alone(phase)),
            }
        }
        Body { locals: Vec::new(), stmts, result: "s->l[3] += 1;".into() }
    }

    fn value(&mut self) -> String {
        expression(self.rng, &OPERANDS, 2)
    }

    fn local(&mut self) -> &'static str {
        self.rng.pick(&OPERANDS[..4])
    }

    fn repeated(&mut self, phase: u32) -> Stmt {
        let times = 2 + self.rng.below(5);
        let mut body = self.alone(phase);
        body.extend(self.alone(phase));
        Stmt::block(format!("for (word i = 0; i < {times}; i++)"), body)
    }

    fn guarded(&mut self, phase: u32) -> Stmt {
        let condition = self.value();
        Stmt::block(format!("if ({condition} & 1)"), self.alone(phase))
    }

    /// Something that a thread can do whatever the others do.
    fn alone(&mut self, phase: u32) -> Vec<Stmt> {
        let (value, local) = (self.value(), self.local());
        match self.rng.below(12) {
            0..2 => vec![Stmt::line(format!("{local} = {};", call(self.rng, &value, "s->me")))],
            2..5 => self.total(&value),
            5..7 => vec![self.counter(&value)],
            7 => vec![Stmt::line(format!("raise_to(&counters[2], {value});"))],
            8 => {
                let loads = format!("s->buffer[i] = field[{phase}][s->me][i] += {value} + i;");
                vec![Stmt::block("for (word i = 0; i < 8; i++)", vec![Stmt::line(loads)])]
            }
            9 if phase > 0 => {
                let (before, index) = (phase - 1, self.rng.below(8));
                vec![Stmt::line(format!("{local} += field[{before}][({value}) % THREADS][{index}];"))]
            }
            10 => vec![
                Stmt::line("pthread_once(&once, fill_table);"),
                Stmt::line(format!("{local} ^= table[{value} & 7];")),
            ],
            _ => vec![Stmt::line(format!("s->buffer[{local} & 7] = {value};"))],
        }
    }

    /// An update of a total under its lock.
    fn total(&mut self, value: &str) -> Vec<Stmt> {
        let nth = self.rng.below(3) as usize;
        let (take, leave) = [
            ("pthread_mutex_lock(&lock);", "pthread_mutex_unlock(&lock);"),
            ("pthread_spin_lock(&spin);", "pthread_spin_unlock(&spin);"),
            ("pthread_rwlock_wrlock(&guard);", "pthread_rwlock_unlock(&guard);"),
        ][nth];
        let (operator, index) = (self.operators[nth], self.local());
        let update = format!("totals[{nth}][{index} & 3] {operator}= {value};");
        vec![Stmt::line(take), Stmt::line(update), Stmt::line(leave)]
    }

    fn counter(&mut self, value: &str) -> Stmt {
        let nth = self.rng.below(2) as usize;
        let order = self.rng.pick(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
        Stmt::line(format!(
            "atomic_fetch_{}_explicit(&counters[{nth}], {value}, memory_order_{order});",
            self.fetches[nth]
        ))
    }

    /// Every thread gives something to the one before it.
    fn handover(&mut self) -> Vec<Stmt> {
        let (nth, value, local) = (self.handovers, self.value(), self.local());
        self.handovers += 1;
        let lines = match self.rng.below(4) {
            0 => vec![
                format!("boxes[{nth}][s->me] = {value};"),
                format!("sem_post(&semaphores[{nth}][s->me]);"),
                format!("sem_wait(&semaphores[{nth}][next_of(s->me)]);"),
                format!("{local} += boxes[{nth}][next_of(s->me)];"),
            ],
            1 => vec![
                format!("boxes[{nth}][s->me] = {value};"),
                format!("atomic_store_explicit(&flags[{nth}][s->me], 1, memory_order_release);"),
                format!("while (!atomic_load_explicit(&flags[{nth}][next_of(s->me)], memory_order_acquire))"),
                "    sched_yield();".into(),
                format!("{local} ^= boxes[{nth}][next_of(s->me)];"),
            ],
            // The one who gets a block frees it.
            2 => vec![
                format!("blocks[{nth}][s->me] = malloc(2 * sizeof(word));"),
                format!("blocks[{nth}][s->me][1] = {value};"),
                format!("sem_post(&semaphores[{nth}][s->me]);"),
                format!("sem_wait(&semaphores[{nth}][next_of(s->me)]);"),
                format!("{local} += blocks[{nth}][next_of(s->me)][1];"),
                format!("free(blocks[{nth}][next_of(s->me)]);"),
            ],
            // A channel holds two, so nobody waits for ever.
            _ => vec![
                format!("put(&channels[s->me], {value});"),
                format!("put(&channels[s->me], {local});"),
                format!("{local} = get(&channels[next_of(s->me)]);"),
                format!("{local} -= 3 * get(&channels[next_of(s->me)]);"),
            ],
        };
        lines.into_iter().map(Stmt::line).collect()
    }
}
