//! How few preemptions it takes, by going through all runs with none, with one, with two (`enumerate`): one number after the other, or
//! several at the same time on threads of their own (`--jobs`).

use crate::enumerate::{Enumerated, enumerate};
use crate::stage::Case;
use ordain_model::witness::Execution;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is known of each number of preemptions.
pub struct Bounds {
    /// The next number that nobody has tried.
    next: AtomicU32,
    /// From here on it is known that runs fail, or of no interest.
    enough: AtomicU32,
    known: Mutex<BTreeMap<u32, Enumerated>>,
}

impl Bounds {
    /// Numbers from `enough` on are of no interest.
    pub fn below(enough: u32) -> Self {
        Bounds { next: AtomicU32::new(0), enough: AtomicU32::new(enough), known: Mutex::default() }
    }

    /// A run is known that fails with so many.
    pub fn note(&self, preemptions: u32) {
        self.enough.fetch_min(preemptions, Ordering::Relaxed);
    }

    /// Tries numbers that nobody has tried, as long as there are any. `is_over` says when to give up.
    pub fn try_all(&self, case: Case<'_, '_>, is_over: &dyn Fn() -> bool) {
        loop {
            let preemptions = self.next.fetch_add(1, Ordering::Relaxed);
            let is_enough = || self.enough.load(Ordering::Relaxed) <= preemptions;
            if is_enough() {
                return;
            }
            let known = enumerate(case, preemptions, &|| is_enough() || is_over());
            // With more preemptions there are only more runs.
            if !matches!(known, Enumerated::Fine) {
                self.note(preemptions);
            }
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(preemptions, known);
        }
    }

    /// How few it takes at least, and a run that fails, with how many it takes.
    pub fn result(self) -> (u32, Option<(u32, Execution)>) {
        let known = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        let proved =
            (0..).zip(&known).take_while(|&(nth, (&number, known))| nth == number && matches!(known, Enumerated::Fine));
        let at_least = proved.count() as u32;
        let fails = known.into_iter().find_map(|(number, known)| match known {
            Enumerated::Fails(execution) => Some((number, execution)),
            Enumerated::Fine | Enumerated::Open => None,
        });
        (at_least, fails)
    }
}
