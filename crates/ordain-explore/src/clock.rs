//! When a search has to end before it is done: the time is over, or somebody does not want to wait any longer.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Ends a search from outside, by a signal handler or another thread. Copies are one and the same.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    Time,
    Interrupt,
}

impl Stopped {
    pub fn reason(self) -> &'static str {
        match self {
            Stopped::Time => "the time is over",
            Stopped::Interrupt => "interrupted",
        }
    }
}

pub(crate) struct Clock {
    pub deadline: Option<Instant>,
    pub interrupt: Interrupt,
    /// The first reason counts, and stays: what was left out since then is not made up for.
    stopped: Cell<Option<Stopped>>,
}

impl Clock {
    pub fn new(deadline: Option<Instant>, interrupt: Interrupt) -> Clock {
        Clock { deadline, interrupt, stopped: Cell::new(None) }
    }

    /// Looks whether it is time to stop.
    pub fn look(&self) -> Option<Stopped> {
        if self.stopped.get().is_none() {
            self.stopped.set(match self.deadline {
                _ if self.interrupt.is_raised() => Some(Stopped::Interrupt),
                Some(deadline) if Instant::now() >= deadline => Some(Stopped::Time),
                _ => None,
            });
        }
        self.stopped.get()
    }

    /// Somebody else has noticed that it is time to stop.
    pub fn stop(&self, stopped: Stopped) {
        if self.stopped.get().is_none() {
            self.stopped.set(Some(stopped));
        }
    }

    /// Why the search has stopped, if somebody has noticed.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let interrupt = Interrupt::default();
        let clock = Clock::new(Some(Instant::now()), interrupt.clone());
        assert_eq!(clock.stopped(), None, "nobody has looked");
        assert_eq!(clock.look(), Some(Stopped::Time));
        interrupt.raise();
        assert_eq!(clock.look(), Some(Stopped::Time));
    }

    #[test]
    fn an_interrupt_is_noticed_without_a_deadline() {
        let clock = Clock::new(None, Interrupt::default());
        assert_eq!(clock.look(), None);
        clock.interrupt.raise();
        assert_eq!(clock.look(), Some(Stopped::Interrupt));
    }
}
