//! Happens-before, as who knows of which accesses.
//!
//! Instead of clocks, everything that passes knowledge on (a thread, a mutex, a value of an atomic) has the set of the
//! accesses that happen before whoever gets hold of it. An access races with every conflicting earlier one that its
//! thread does not know of. Accesses of one thread on one line to the same bytes share an identity that stands for the
//! latest of them: who knows that one knows the earlier ones, and if it is known there is no race with any of them, so no
//! pair of lines is lost. That keeps the sets small enough to be part of a state.

use crate::findings::Line;
use ordain_ir::program::{Inst, Ordering, Program};
use ordain_model::names::ThreadName;
use ordain_vm::{Action, Executed};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Stands for the lock that atomic sections have in common.
const ATOMIC_SECTIONS: u64 = u64::MAX;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Access {
    thread: ThreadName,
    line: Line,
    address: u64,
    size: u64,
    write: bool,
    atomic: bool,
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        self.thread != other.thread
            && (self.write || other.write)
            && !(self.atomic && other.atomic)
            && self.address < other.address + other.size
            && other.address < self.address + self.size
    }
}

/// More different accesses than a set of them can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyAccesses;

/// All accesses of all executions, numbered.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    all: Vec<Access>,
    numbers: FxHashMap<Access, u32>,
}

impl Accesses {
    fn number(&mut self, access: Access) -> Result<u32, TooManyAccesses> {
        if let Some(&number) = self.numbers.get(&access) {
            return Ok(number);
        }
        let number = self.all.len() as u32;
        if number >= u128::BITS {
            return Err(TooManyAccesses);
        }
        self.all.push(access.clone());
        self.numbers.insert(access, number);
        Ok(number)
    }
}

/// A set of accesses, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Known(u128);

impl Known {
    fn add(&mut self, other: Known) {
        self.0 |= other.0;
    }

    fn contains(self, access: u32) -> bool {
        self.0 >> access & 1 == 1
    }

    fn insert(&mut self, access: u32) {
        self.0 |= 1 << access;
    }

    fn remove(&mut self, access: u32) {
        self.0 &= !(1 << access);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct OfThread {
    knows: Known,
    /// What it knew at its last release fence: its relaxed stores pass that on.
    fenced: Known,
    /// What came with the values it has read without acquiring them, for a later acquire fence.
    unacquired: Known,
}

/// What happens-before is at a state of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Knowledge {
    /// The accesses that have happened.
    happened: Known,
    threads: BTreeMap<ThreadName, OfThread>,
    mutexes: BTreeMap<u64, Known>,
    /// By address: what an acquiring load of the value there gets to know.
    atomics: BTreeMap<u64, Known>,
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl Knowledge {
    /// `thread` executed something. Returns the pairs of lines that race because of it.
    pub fn execute(
        &mut self,
        accesses: &mut Accesses,
        program: &Program,
        names: &dyn Fn(ordain_vm::ThreadId) -> ThreadName,
        executed: &Executed,
    ) -> Result<BTreeSet<(Line, Line)>, TooManyAccesses> {
        let name = names(executed.thread);
        let mut access = |knowledge: &mut Self, address: u64, size: u64, write: bool, atomic: bool| {
            let line = executed.location.line;
            let access = Access { thread: name.clone(), line, address, size, write, atomic };
            knowledge.access(accesses, access)
        };
        let mut races = BTreeSet::new();
        match &executed.action {
            Action::Load { address, size, order, .. } => {
                races = access(self, *address, u64::from(*size), false, order.is_some())?;
                if let Some(order) = order {
                    self.load(&name, *address, *order);
                }
            }
            Action::Store { address, size, order, .. } => {
                races = access(self, *address, u64::from(*size), true, order.is_some())?;
                self.store(&name, *address, *size, *order);
            }
            Action::Rmw { address, size, order, .. } => {
                races = access(self, *address, u64::from(*size), true, true)?;
                self.update(&name, *address, *size, *order);
            }
            Action::CmpXchg { address, size, new, .. } => {
                races = access(self, *address, u64::from(*size), new.is_some(), true)?;
                let code = &program.function(executed.function).code;
                if let Inst::CmpXchg { success, failure, .. } = &code[executed.pc.index()] {
                    match new {
                        Some(_) => self.update(&name, *address, *size, *success),
                        None => self.load(&name, *address, *failure),
                    }
                }
            }
            Action::Input { address: Some(address), bytes, .. } => {
                races = access(self, *address, bytes.len() as u64, true, false)?;
                self.overwrite(*address, bytes.len() as u64, None);
            }
            Action::Fence(order) => self.fence(&name, *order),
            Action::Lock { address } | Action::TryLock { address, taken: true } => self.lock(&name, *address),
            Action::Unlock { address } => self.unlock(&name, *address),
            Action::AtomicBegin => self.lock(&name, ATOMIC_SECTIONS),
            Action::AtomicEnd => self.unlock(&name, ATOMIC_SECTIONS),
            Action::Create { name: child, .. } => {
                let knows = self.of(&name).knows;
                self.of(child).knows.add(knows);
            }
            Action::Join { target } => {
                let knows = self.of(&names(*target)).knows;
                self.of(&name).knows.add(knows);
            }
            _ => {}
        }
        Ok(races)
    }

    fn of(&mut self, thread: &ThreadName) -> &mut OfThread {
        self.threads.entry(thread.clone()).or_default()
    }

    fn access(&mut self, accesses: &mut Accesses, access: Access) -> Result<BTreeSet<(Line, Line)>, TooManyAccesses> {
        let number = accesses.number(access.clone())?;
        let knows = self.of(&access.thread).knows;
        let races = (0..accesses.all.len() as u32)
            .filter(|&other| self.happened.contains(other) && !knows.contains(other))
            .map(|other| &accesses.all[other as usize])
            .filter(|other| access.conflicts(other))
            .map(|other| (access.line.min(other.line), access.line.max(other.line)))
            .collect();
        self.forget(number);
        self.happened.insert(number);
        self.of(&access.thread).knows.insert(number);
        Ok(races)
    }

    /// Nobody knows of this access any longer: it happens again.
    fn forget(&mut self, access: u32) {
        for thread in self.threads.values_mut() {
            thread.knows.remove(access);
            thread.fenced.remove(access);
            thread.unacquired.remove(access);
        }
        self.mutexes.values_mut().chain(self.atomics.values_mut()).for_each(|known| known.remove(access));
    }

    fn load(&mut self, thread: &ThreadName, address: u64, order: Ordering) {
        let passed = self.atomics.get(&address).copied().unwrap_or_default();
        let thread = self.of(thread);
        if acquires(order) {
            thread.knows.add(passed);
        } else {
            thread.unacquired.add(passed);
        }
    }

    fn store(&mut self, thread: &ThreadName, address: u64, size: u8, order: Option<Ordering>) {
        let passed = order.map(|order| self.passed_on(thread, order));
        self.overwrite(address, u64::from(size), passed);
    }

    /// A read-modify-write also passes on what the value it replaces would have.
    fn update(&mut self, thread: &ThreadName, address: u64, size: u8, order: Ordering) {
        self.load(thread, address, order);
        let mut passed = self.passed_on(thread, order);
        passed.add(self.atomics.get(&address).copied().unwrap_or_default());
        self.overwrite(address, u64::from(size), Some(passed));
    }

    fn passed_on(&mut self, thread: &ThreadName, order: Ordering) -> Known {
        let thread = self.of(thread);
        if releases(order) { thread.knows } else { thread.fenced }
    }

    fn overwrite(&mut self, address: u64, size: u64, passed: Option<Known>) {
        let reach = address.saturating_sub(7)..address + size;
        self.atomics.retain(|at, _| !reach.contains(at));
        if let Some(passed) = passed {
            self.atomics.insert(address, passed);
        }
    }

    fn fence(&mut self, thread: &ThreadName, order: Ordering) {
        let thread = self.of(thread);
        if acquires(order) {
            let unacquired = thread.unacquired;
            thread.knows.add(unacquired);
        }
        if releases(order) {
            thread.fenced = thread.knows;
        }
    }

    fn lock(&mut self, thread: &ThreadName, mutex: u64) {
        let passed = self.mutexes.get(&mutex).copied().unwrap_or_default();
        self.of(thread).knows.add(passed);
    }

    fn unlock(&mut self, thread: &ThreadName, mutex: u64) {
        let knows = self.of(thread).knows;
        self.mutexes.insert(mutex, knows);
    }

    /// Appends bytes that tell different knowledge apart.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.happened.0.to_le_bytes());
        out.extend((self.threads.len() as u32).to_le_bytes());
        for (name, OfThread { knows, fenced, unacquired }) in &self.threads {
            out.extend(name.to_string().bytes().chain([0]));
            for known in [knows, fenced, unacquired] {
                out.extend(known.0.to_le_bytes());
            }
        }
        for map in [&self.mutexes, &self.atomics] {
            out.extend((map.len() as u32).to_le_bytes());
            for (address, known) in map {
                out.extend(address.to_le_bytes());
                out.extend(known.0.to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: u64 = 0x100;
    const A: u64 = 0x200;
    const M: u64 = 0x300;

    /// A run of two threads that main has created; every action stands on a line of its own, from 1.
    #[derive(Default)]
    struct Run {
        accesses: Accesses,
        knowledge: Knowledge,
        races: BTreeSet<(Line, Line)>,
        line: Line,
    }

    impl Run {
        fn access(&mut self, thread: u32, address: u64, write: bool, atomic: bool) {
            self.line += 1;
            let access = Access { thread: name(thread), line: self.line, address, size: 4, write, atomic };
            self.races.extend(self.knowledge.access(&mut self.accesses, access).expect("few accesses"));
        }

        fn write_x(&mut self, thread: u32) {
            self.access(thread, X, true, false);
        }

        fn store_a(&mut self, thread: u32, order: Ordering) {
            self.access(thread, A, true, true);
            self.knowledge.store(&name(thread), A, 4, Some(order));
        }

        fn load_a(&mut self, thread: u32, order: Ordering) {
            self.access(thread, A, false, true);
            self.knowledge.load(&name(thread), A, order);
        }
    }

    fn name(thread: u32) -> ThreadName {
        ThreadName::main().child(thread)
    }

    #[test]
    fn unordered_writes_race() {
        let mut run = Run::default();
        run.write_x(1);
        run.write_x(2);
        assert_eq!(run.races, [(1, 2)].into());
    }

    #[test]
    fn a_mutex_orders_one_way() {
        let mut run = Run::default();
        run.write_x(1);
        run.knowledge.unlock(&name(1), M);
        run.write_x(1);
        run.knowledge.lock(&name(2), M);
        run.write_x(2);
        assert_eq!(run.races, [(2, 3)].into());
    }

    #[test]
    fn release_and_acquire_order_but_relaxed_does_not() {
        for (store, load, ordered) in [
            (Ordering::Release, Ordering::Acquire, true),
            (Ordering::Relaxed, Ordering::Acquire, false),
            (Ordering::Release, Ordering::Relaxed, false),
        ] {
            let mut run = Run::default();
            run.write_x(1);
            run.store_a(1, store);
            run.load_a(2, load);
            run.write_x(2);
            assert_eq!(run.races.is_empty(), ordered);
        }
    }

    #[test]
    fn fences_make_relaxed_accesses_order() {
        let mut run = Run::default();
        run.write_x(1);
        run.knowledge.fence(&name(1), Ordering::Release);
        run.store_a(1, Ordering::Relaxed);
        run.load_a(2, Ordering::Relaxed);
        run.knowledge.fence(&name(2), Ordering::Acquire);
        run.write_x(2);
        assert!(run.races.is_empty());
    }

    #[test]
    fn an_update_by_a_third_thread_continues_a_release() {
        let mut run = Run::default();
        run.write_x(1);
        run.store_a(1, Ordering::Release);
        run.access(3, A, true, true);
        run.knowledge.update(&name(3), A, 4, Ordering::Relaxed);
        run.load_a(2, Ordering::Acquire);
        run.write_x(2);
        assert!(run.races.is_empty());
    }

    #[test]
    fn a_store_that_intervenes_hides_a_release() {
        let mut run = Run::default();
        run.write_x(1);
        run.store_a(1, Ordering::Release);
        run.store_a(3, Ordering::Relaxed);
        run.load_a(2, Ordering::Acquire);
        run.write_x(2);
        assert_eq!(run.races, [(1, 5)].into());
    }
}
