//! Statements that call what the library has to synchronise threads. Each call is several points.

use super::statements::Maker;
use super::syntax::Stmt;

impl Maker<'_> {
    /// Waits for a condition, or changes something and says so.
    pub(super) fn condition_variable(&mut self) -> Vec<Stmt> {
        let (x, r, v) = (self.variable(), self.target(), self.value());
        let lock = || Stmt::line("pthread_mutex_lock(&m1);");
        let unlock = || Stmt::line("pthread_mutex_unlock(&m1);");
        let wait = || vec![Stmt::line("pthread_cond_wait(&c, &m1);")];
        let wake =
            self.rng.pick(&["pthread_cond_signal(&c);", "pthread_cond_signal(&c);", "pthread_cond_broadcast(&c);"]);
        self.budget -= 5;
        match self.rng.below(14) {
            0..3 => vec![lock(), Stmt::block(format!("while ({x} == 0)"), wait()), unlock()],
            3 => {
                let mut stmts = vec![lock(), Stmt::block(format!("if ({x} == 0)"), wait())];
                stmts.extend(self.some(1));
                stmts.push(unlock());
                stmts
            }
            4 => [vec![lock()], wait(), vec![unlock()]].concat(),
            5 => {
                let timed = Stmt::line(format!("{r} = pthread_cond_timedwait(&c, &m1, &when) != 0;"));
                vec![lock(), Stmt::block(format!("while ({x} == 0 && {r} == 0)"), vec![timed]), unlock()]
            }
            6 => {
                let timed = Stmt::line("pthread_cond_timedwait(&c, &m1, &when);");
                vec![lock(), Stmt::block(format!("while ({x} == 0)"), vec![timed]), unlock()]
            }
            7..11 => vec![lock(), Stmt::line(format!("{x} = {v};")), Stmt::line(wake), unlock()],
            11 => vec![lock(), Stmt::line(format!("{x} = 1;")), unlock(), Stmt::line(wake)],
            12 => vec![Stmt::line(wake)],
            _ => vec![Stmt::line("pthread_cond_destroy(&c);")],
        }
    }

    pub(super) fn semaphore(&mut self) -> Vec<Stmt> {
        let r = self.target();
        self.budget -= 2;
        match self.rng.below(10) {
            0..3 => {
                let mut stmts = vec![Stmt::line("sem_wait(&s);")];
                stmts.extend(self.some(1));
                stmts.push(Stmt::line("sem_post(&s);"));
                stmts
            }
            3..6 => vec![Stmt::line("sem_post(&s);")],
            6 => vec![Stmt::line("sem_wait(&s);")],
            7 => {
                let body = self.some(1);
                vec![Stmt::block("if (sem_trywait(&s) == 0)", body)]
            }
            8 => vec![Stmt::line(format!("{r} = sem_timedwait(&s, &when) == 0;"))],
            _ => vec![Stmt::line(format!("sem_getvalue(&s, &{r});"))],
        }
    }

    pub(super) fn read_write(&mut self) -> Vec<Stmt> {
        let (x, r, v) = (self.variable(), self.target(), self.value());
        let unlock = || Stmt::line("pthread_rwlock_unlock(&rw);");
        let (read, write) = (Stmt::line(format!("{r} = {x};")), Stmt::line(format!("{x} = {v};")));
        self.budget -= 4;
        match self.rng.below(12) {
            0..3 => vec![Stmt::line("pthread_rwlock_rdlock(&rw);"), read, unlock()],
            3..6 => vec![Stmt::line("pthread_rwlock_wrlock(&rw);"), write, unlock()],
            6 => vec![Stmt::block("if (pthread_rwlock_tryrdlock(&rw) == 0)", vec![read, unlock()])],
            7 => vec![Stmt::block("if (pthread_rwlock_trywrlock(&rw) == 0)", vec![write, unlock()])],
            8 => vec![Stmt::block("if (pthread_rwlock_timedrdlock(&rw, &when) == 0)", vec![read, unlock()])],
            9 => vec![Stmt::block("if (pthread_rwlock_timedwrlock(&rw, &when) == 0)", vec![write, unlock()])],
            10 => vec![Stmt::line("pthread_rwlock_rdlock(&rw);"), write],
            _ => {
                let condition = self.condition();
                vec![Stmt::block(format!("if ({condition})"), vec![unlock()])]
            }
        }
    }

    pub(super) fn spin(&mut self) -> Vec<Stmt> {
        self.budget -= 2;
        let mut body = self.some(1);
        body.push(Stmt::line("pthread_spin_unlock(&lock);"));
        match self.rng.below(5) {
            0..3 => [vec![Stmt::line("pthread_spin_lock(&lock);")], body].concat(),
            3 => vec![Stmt::block("if (pthread_spin_trylock(&lock) == 0)", body)],
            _ => {
                let condition = self.condition();
                vec![Stmt::block(format!("if ({condition})"), body)]
            }
        }
    }

    pub(super) fn barrier(&mut self) -> Vec<Stmt> {
        let r = self.target();
        match self.rng.below(8) {
            0..4 => self.spend("pthread_barrier_wait(&together);", 3),
            4..7 => self.spend(format!("{r} = pthread_barrier_wait(&together) != 0;"), 3),
            _ => self.spend("pthread_barrier_destroy(&together);", 1),
        }
    }
}
