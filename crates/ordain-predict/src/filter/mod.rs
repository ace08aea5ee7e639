//! What may go wrong in a run at all, found in one pass over its log: candidates for the solver, with the stretches of the run to ask it
//! about.
//!
//! A candidate is more than can happen, never less: what is left out is impossible in every order of the run's events in which each
//! thread goes its way, or a part of it. So only what is certain in all of them counts: that threads are created and joined (`clocks`), and
//! that two do not hold a mutex at a time (`locks`). Addresses are taken to be what they were; so where they depend on what a thread has
//! read from others, there may be more. The pass takes a time that is linear in the log, and memory that is linear in the memory that
//! the program uses; what does not fit is counted.

mod accesses;
mod candidates;
mod clocks;
mod cycles;
mod locks;
mod waits;
mod word;

pub use candidates::{Candidate, Kind, Span};

use crate::words::Words;
use accesses::{ATOMIC, Access, LOCK, OWN, USE, WRITE};
use candidates::{Findings, Places};
use clocks::{Clocks, Moment};
use cycles::Cycles;
use locks::{Held, Holder, Lock, Sets};
use ordain_ir::program::Program;
use ordain_vm::{Action, Executed};
use rustc_hash::FxHashMap;
use waits::Waits;
use word::Word;

/// Stands for the lock that atomic sections have in common.
pub(crate) const ATOMIC_SECTIONS: u64 = u64::MAX;

/// Takes the log of a run, under sequential consistency, and tells what may go wrong.
#[derive(Clone, Debug)]
pub struct Filter<'p> {
    program: &'p Program,
    places: Places,
    clocks: Clocks,
    sets: Sets,
    mutexes: FxHashMap<u64, u32>,
    /// By thread.
    holders: Vec<Holder>,
    /// Mutexes that a thread may still hold when it ends on another way.
    keeps: FxHashMap<(u32, Moment, u32), Held>,
    words: Words<Word>,
    cycles: Cycles,
    waits: Waits<'p>,
    findings: Findings,
    dropped: u64,
}

impl<'p> Filter<'p> {
    pub fn new(program: &'p Program) -> Self {
        Filter {
            program,
            places: Places::default(),
            clocks: Clocks::default(),
            sets: Sets::default(),
            mutexes: FxHashMap::default(),
            holders: Vec::new(),
            keeps: FxHashMap::default(),
            words: Words::default(),
            cycles: Cycles::default(),
            waits: Waits::new(program),
            findings: Findings::default(),
            dropped: 0,
        }
    }

    /// How much of the run had to be forgotten: what is in it may be missing among the candidates.
    pub fn dropped(&self) -> u64 {
        self.dropped + self.words.iter().map(Word::missing).sum::<u64>()
    }

    /// Takes the next event. `at` is how many points all threads together had executed, this one included.
    pub fn take(&mut self, at: u64, executed: &Executed) {
        let thread = executed.thread.0 as u16;
        if self.holders.len() <= usize::from(thread) {
            self.holders.resize_with(usize::from(thread) + 1, Holder::default);
        }
        let place = self.places.number(executed.location);
        let event = Event { at, moment: self.clocks.now(thread), place, executed };
        match executed.action {
            Action::Load { address, size, order: None, .. } => {
                if self.waits.is_in_await(executed.function, executed.pc) {
                    self.wait(event);
                }
                self.access(event, address, size.into(), 0);
            }
            Action::Store { address, size, order: None, .. } => self.access(event, address, size.into(), WRITE),
            Action::Store { address, size, .. } => self.access(event, address, size.into(), WRITE | ATOMIC),
            Action::Load { address, size, .. } => {
                self.wait(event);
                self.access(event, address, size.into(), ATOMIC);
            }
            // One that has failed may succeed in another order.
            Action::Rmw { address, size, .. } | Action::CmpXchg { address, size, .. } => {
                self.wait(event);
                self.access(event, address, size.into(), WRITE | ATOMIC);
            }
            Action::Input { address: Some(address), ref bytes, .. } => {
                self.access(event, address, bytes.len() as u64, WRITE);
            }
            Action::Lock { address } => {
                self.access(event, address, 1, USE | LOCK);
                self.lock(event, address);
            }
            Action::TryLock { address, taken } => {
                self.wait(event);
                self.access(event, address, 1, USE);
                let decisive = self.waits.is_decisive(executed.function, executed.pc);
                // In another order it may be the other way.
                if taken || !decisive {
                    self.hold(event, address, taken && decisive);
                }
            }
            Action::Unlock { address } => {
                self.access(event, address, 1, USE);
                self.release(event, address);
            }
            Action::AtomicBegin => self.hold(event, ATOMIC_SECTIONS, true),
            Action::AtomicEnd => self.release(event, ATOMIC_SECTIONS),
            Action::Enqueue { condition } => {
                self.wait(event);
                self.access(event, condition, 1, USE);
            }
            // Time may not be up then, and nobody wake the thread without a signal.
            Action::Chosen { .. } => self.wait(event),
            Action::DestroyMutex { address: used }
            | Action::Signal { condition: used, .. }
            | Action::Waiters { condition: used, .. } => self.access(event, used, 1, USE),
            Action::Create { child, .. } => self.clocks.create(thread, child.0 as u16),
            Action::Join { target } => {
                self.wait(event);
                self.clocks.join(thread, target.0 as u16);
            }
            Action::Allocate { base, size, from } => {
                from.into_iter().for_each(|from| self.free(event, from));
                self.words.allocate(base, size);
            }
            Action::Free { address } => self.free(event, address),
            _ => {}
        }
        if !self.holders[usize::from(thread)].held().is_empty() && self.waits.may_end_after(executed) {
            self.keep(thread);
        }
    }

    #[inline]
    fn with(&mut self, thread: u16) -> (&mut Words<Word>, accesses::With<'_>) {
        let Filter { clocks, sets, holders, words, findings, dropped, .. } = self;
        (words, accesses::With { clocks, sets, holder: &holders[usize::from(thread)], findings, dropped })
    }

    #[inline]
    fn access(&mut self, event: Event<'_>, address: u64, size: u64, kind: u8) {
        let own = if self.program.function(event.executed.function).model { 0 } else { OWN };
        let access = event.access(kind | own);
        let (words, mut with) = self.with(event.moment.thread);
        accesses::enter(words, &mut with, access, address, size);
    }

    fn free(&mut self, event: Event<'_>, base: u64) {
        let (words, mut with) = self.with(event.moment.thread);
        accesses::free(words, &mut with, event.access(WRITE), base);
    }

    fn mutex(&mut self, address: u64) -> u32 {
        let next = self.mutexes.len() as u32;
        *self.mutexes.entry(address).or_insert(next)
    }

    /// The thread waits for a mutex and gets it.
    fn lock(&mut self, event: Event<'_>, address: u64) {
        let mutex = self.mutex(address);
        let holder = &self.holders[usize::from(event.moment.thread)];
        let Event { at, moment, place, .. } = event;
        if let Some(mine) = holder.held().iter().find(|held| held.mutex == mutex) {
            // It is not sure that the thread has it, but then it waits for itself.
            let places = [mine.place, place];
            self.findings.add(Kind::Locks, &places, Span::around(&[mine.since, at]));
        }
        self.cycles.lock(mutex, holder.held(), holder.set(), place, moment, at);
        // All others wait for the end of an atomic section, whatever they are about to do.
        let atomic = self.mutexes.get(&ATOMIC_SECTIONS);
        if holder.held().iter().any(|held| Some(&held.mutex) == atomic) {
            self.wait(event);
        }
        self.hold(event, address, true);
    }

    fn hold(&mut self, event: Event<'_>, address: u64, sure: bool) {
        let mutex = self.mutex(address);
        let Event { at, moment, place, .. } = event;
        let holder = &mut self.holders[usize::from(moment.thread)];
        if holder.held().iter().any(|held| held.mutex == mutex) {
            holder.unlock(&mut self.sets, mutex);
        }
        holder.lock(&mut self.sets, Lock { mutex, address, at, place, moment, sure });
    }

    fn release(&mut self, event: Event<'_>, address: u64) {
        let mutex = self.mutex(address);
        self.holders[usize::from(event.moment.thread)].unlock(&mut self.sets, mutex);
    }

    /// The thread may wait here for what others do.
    fn wait(&mut self, event: Event<'_>) {
        self.findings.wait(event.place, event.at);
    }

    /// What the thread holds now it may hold for ever, in another order.
    fn keep(&mut self, thread: u16) {
        for held in self.holders[usize::from(thread)].held() {
            self.keeps.insert((held.mutex, held.moment, held.place), *held);
        }
    }

    /// Mutexes that were never given back, or may not be: others may come too late.
    fn kept(&mut self) {
        let Filter { holders, keeps, words, clocks, findings, .. } = self;
        let kept =
            holders.iter().flat_map(Holder::held).chain(keeps.values()).filter(|held| held.address != ATOMIC_SECTIONS);
        for Held { address, since, place, moment, .. } in kept {
            let entries = words.get(*address).map_or(&[][..], |word| &word.entries);
            let others = entries.iter().filter(|e| e.kind & LOCK != 0 && e.moment.thread != moment.thread);
            for other in others.filter(|other| !clocks.before(other.moment, *moment)) {
                findings.add(Kind::Locks, &[*place, other.place], Span::around(&[other.at, *since]));
            }
        }
    }

    /// What may go wrong, by kind and lines.
    pub fn finish(self) -> Vec<Candidate> {
        self.finish_counting().0
    }

    /// The same, and how much had to be left out in all.
    pub fn finish_counting(mut self) -> (Vec<Candidate>, u64) {
        self.kept();
        let missing = self.dropped();
        let Filter { clocks, sets, mut findings, cycles, places, .. } = self;
        let given_up = cycles.find(&mut cycles::With { clocks: &clocks, sets: &sets, findings: &mut findings });
        (findings.finish(&places), missing + given_up)
    }
}

/// An event of the log.
#[derive(Clone, Copy)]
struct Event<'e> {
    at: u64,
    moment: Moment,
    place: u32,
    executed: &'e Executed,
}

impl Event<'_> {
    fn access(&self, kind: u8) -> Access {
        Access { at: self.at, moment: self.moment, place: self.place, kind }
    }
}
