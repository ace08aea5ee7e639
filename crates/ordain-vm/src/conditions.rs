//! What condition variables are made of, and other decisions that are the scheduler's.
//!
//! The machine knows who waits for which condition. Waiting is in steps (join those who wait, then wait to be woken), so
//! that the models in C decide what happens in between, such as unlocking a mutex. A signal wakes any one of those who
//! wait: which one is up to the scheduler.

use crate::builtins::Call;
use crate::log::Action;
use crate::machine::Machine;
use crate::pending::{Decides, PendingKind};
use crate::points::drain;
use crate::stop::Stop;
use crate::thread::{ThreadId, Waiting};
use ordain_ir::program::{Builtin, Callee, Inst, Operand};
use ordain_model::failure::FailureKind;
use std::rc::Rc;

impl Machine<'_> {
    /// In how many ways the point that `thread` stands at can go: 1, unless a scheduler has to decide.
    pub fn outcomes(&self, thread: ThreadId) -> u32 {
        if let Some(condition) = self.signalled(thread) {
            return self.waiting_for(condition).len().max(1) as u32;
        }
        match self.pending(thread).map(|p| p.kind) {
            Some(PendingKind::Choose { .. }) => 2,
            _ => 1,
        }
    }

    /// Whether `thread` is in a loop that ends when time is up, and looks at the clock next.
    pub fn may_expire(&self, thread: ThreadId) -> bool {
        let expires = PendingKind::Choose { choice: Decides::Expired };
        self.is_timed(thread) && self.pending(thread).is_some_and(|p| p.kind == expires)
    }

    /// Whether the await that `thread` is in ends when time is up.
    pub(crate) fn is_timed(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].arrivals.is_timed()
    }

    /// Who waits for a condition, in the order in which outcomes of a signal count them.
    pub fn waiting_for(&self, condition: u64) -> &[ThreadId] {
        self.world.conditions.get(&condition).map_or(&[], |w| w)
    }

    /// Of whom `thread` is about to wake one, in the order in which outcomes count them.
    pub fn woken_by(&self, thread: ThreadId) -> &[ThreadId] {
        self.signalled(thread).map_or(&[], |condition| self.waiting_for(condition))
    }

    /// The condition of which `thread` is about to wake one waiter.
    fn signalled(&self, thread: ThreadId) -> Option<u64> {
        let thread = &self.threads[thread.index()];
        let frame = *thread.frames.last()?;
        match &self.world.program.function(frame.function).code[frame.pc.index()] {
            Inst::Call { callee: Callee::Builtin(Builtin::CondSignal), args, .. } => {
                Some(thread.operand(frame.base, args.first()?).0)
            }
            _ => None,
        }
    }

    /// A signal or a broadcast.
    pub(crate) fn wake(&mut self, id: ThreadId, args: &[Operand], all: bool) -> Result<(), Stop> {
        let mut call = self.call(id, args, &[]);
        let condition = call.condition()?;
        drain(call.world, call.thread);
        let waiting = call.world.conditions.entry(condition).or_default();
        let woken = match all {
            true => std::mem::take(waiting),
            false if waiting.is_empty() => Vec::new(),
            false => vec![waiting.remove(call.world.outcome as usize % waiting.len())],
        };
        if waiting.is_empty() {
            call.world.conditions.remove(&condition);
        }
        if !woken.is_empty() {
            call.world.note_change(call.thread);
        }
        call.world.record(call.thread, || Action::Signal { condition, all, woken: woken.clone() });
        call.result(0, 0);
        for thread in woken {
            if let Some(waiting) = &mut Rc::make_mut(&mut self.threads[thread.index()]).waiting {
                waiting.woken = true;
            }
        }
        Ok(())
    }
}

impl Call<'_, '_> {
    fn condition(&self) -> Result<u64, Stop> {
        let address = self.pointer(0, "the address of a condition variable")?;
        match self.world.memory.check(address, 1) {
            Ok(_) => Ok(address),
            Err(_) => Err(self.world.access_failure("use as a condition variable", address, 1)),
        }
    }

    pub(crate) fn enqueue(&mut self) -> Result<(), Stop> {
        let condition = self.condition()?;
        drain(self.world, self.thread);
        self.world.conditions.entry(condition).or_default().push(self.thread.id);
        self.thread.waiting = Some(Waiting { condition, woken: false });
        self.world.record(self.thread, || Action::Enqueue { condition });
        self.result(0, 0);
        Ok(())
    }

    fn waiting(&self) -> Result<Waiting, Stop> {
        let outside = || Stop::Unsupported("waiting for no condition".to_owned());
        self.thread.waiting.ok_or_else(outside)
    }

    pub(crate) fn sleep(&mut self) -> Result<(), Stop> {
        let Waiting { condition, woken } = self.waiting()?;
        assert!(woken, "a thread sleeps until it is woken");
        drain(self.world, self.thread);
        self.thread.waiting = None;
        self.world.record(self.thread, || Action::Wake { condition });
        self.result(0, 0);
        Ok(())
    }

    /// Whether the thread was woken. If it was, or if it `leaves`, it waits no longer.
    pub(crate) fn look(&mut self, leaves: bool) -> Result<(), Stop> {
        let Waiting { condition, woken } = self.waiting()?;
        drain(self.world, self.thread);
        if woken || leaves {
            self.thread.arrivals.forget();
            self.thread.waiting = None;
        }
        if leaves && let Some(waiting) = self.world.conditions.get_mut(&condition) {
            waiting.retain(|t| *t != self.thread.id);
            if waiting.is_empty() {
                self.world.conditions.remove(&condition);
            }
        }
        self.world.record(self.thread, || Action::Look { condition, woken, leaves });
        self.result(woken as u64, 0);
        Ok(())
    }

    pub(crate) fn waiters(&mut self) -> Result<(), Stop> {
        let condition = self.condition()?;
        drain(self.world, self.thread);
        let any = self.world.conditions.contains_key(&condition);
        self.world.record(self.thread, || Action::Waiters { condition, any });
        self.result(any as u64, 0);
        Ok(())
    }

    pub(crate) fn expired(&mut self) {
        let outcome = self.world.outcome;
        if outcome == 0 {
            self.thread.arrivals.look_at_the_clock();
        } else {
            self.thread.arrivals.forget();
        }
        self.world.record(self.thread, || Action::Chosen { choice: Decides::Expired, outcome });
        self.result(outcome as u64, 0);
    }

    pub(crate) fn spurious(&mut self) {
        let outcome = self.world.outcome;
        if self.world.config.spurious {
            self.world.record(self.thread, || Action::Chosen { choice: Decides::Spurious, outcome });
        }
        self.result(outcome as u64, 0);
    }

    pub(crate) fn misuse(&self) -> Stop {
        let text = self.pointer(0, "what was misused").and_then(|at| self.world.text(self.thread, at, usize::MAX));
        match text {
            Ok(text) => Stop::Failure(FailureKind::LockMisuse, String::from_utf8_lossy(&text).into_owned()),
            Err(stop) => stop,
        }
    }
}
