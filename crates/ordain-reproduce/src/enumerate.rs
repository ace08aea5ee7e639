//! How few preemptions it takes: all runs along a recording with none, with one, with two.
//!
//! Without a preemption there is little to choose: a thread goes on until it has to wait, and then another does. So there are few
//! such runs, and as every thread is held to its tape, fewer still. With one preemption there are about as many for each moment at
//! which a thread can be interrupted. Moments at which it is about to do something that nobody else has to do with are all the
//! same, so only the last of them counts: what others have to do with is found out on the way. Whatever ends a run, or leads a
//! thread away from its tape, is something that others may have to come before.
//!
//! If none of them fails as recorded, it takes more preemptions: that is a proof, but not with store buffers. Waits that end without a signal are tried last:
//! they are possible, but hardly what has happened.

use crate::commits;
use crate::stage::{Case, Stage};
use ordain_ir::program::{Builtin, FuncId, Pc};
use ordain_model::witness::{Execution, MemoryModel};
use ordain_vm::{Decides, Pending, PendingKind, Status, ThreadId, can_go_on};
use rustc_hash::{FxHashMap, FxHashSet};

/// Runs with more switches are not gone through.
const MOST_CHOICES: usize = 500;

/// What came of going through all runs with so few preemptions.
pub enum Enumerated {
    /// One of them fails as recorded.
    Fails(Execution),
    /// None does.
    Fine,
    /// None of those that were tried does, and these were not all.
    NotFound,
    /// There are too many.
    Open,
}

/// Goes through all runs along the recording with at most so many preemptions. `is_over` says when to give up.
pub fn enumerate(case: Case<'_, '_>, preemptions: u32, is_over: &dyn Fn() -> bool) -> Enumerated {
    let with = |spurious| enumerate_with(case, preemptions, spurious, is_over);
    match with(false) {
        Enumerated::Fine if ordain_unfold::calls(case.program, Builtin::Spurious) => with(true),
        enumerated => enumerated,
    }
}

/// The same, with or without waits that end without a signal.
fn enumerate_with(case: Case<'_, '_>, preemptions: u32, spurious: bool, is_over: &dyn Fn() -> bool) -> Enumerated {
    let mut notice = Notice::default();
    loop {
        let known = notice.size();
        let mut enumeration = Enumeration {
            spurious,
            notice,
            seen: FxHashSet::default(),
            committed: FxHashSet::default(),
            is_over,
            open: false,
            depth: 0,
        };
        let found = enumeration.go_on(Stage::new(case), None, preemptions);
        if let Some(execution) = found {
            return Enumerated::Fails(execution);
        }
        if enumeration.open {
            return Enumerated::Open;
        }
        notice = enumeration.notice;
        if notice.size() == known {
            // Not all that can come of store buffers is tried.
            return if case.memory == MemoryModel::Sc { Enumerated::Fine } else { Enumerated::NotFound };
        }
        // Some of what threads were not interrupted before, others have to do with after all.
    }
}

/// What is known of which points others have to do with.
#[derive(Default)]
struct Notice {
    /// Who uses which words of memory. `None`: more than one thread.
    users: FxHashMap<u64, Option<ThreadId>>,
    /// How many words more than one thread uses.
    shared: usize,
    /// Where runs ended, and threads left their tapes.
    ends: FxHashSet<(FuncId, Pc)>,
}

impl Notice {
    /// How much is known: it never becomes less.
    fn size(&self) -> usize {
        self.shared + self.ends.len()
    }

    /// A thread accesses memory; whether others have to do with that.
    fn access(&mut self, thread: ThreadId, address: u64, size: u8) -> bool {
        let words = address / 8..(address + u64::from(size)).div_ceil(8);
        let mut shared = false;
        for word in words {
            let user = self.users.entry(word).or_insert(Some(thread));
            if user.is_some_and(|user| user != thread) {
                *user = None;
                self.shared += 1;
            }
            shared |= user.is_none();
        }
        shared
    }

    /// Whether others have to do with what the thread does next.
    fn concerns_others(&mut self, thread: ThreadId, pending: &Pending) -> bool {
        let may_end = self.ends.contains(&(pending.function, pending.pc));
        let others = match pending.kind {
            PendingKind::Load { address, size, .. }
            | PendingKind::Store { address, size, .. }
            | PendingKind::Rmw { address, size, .. }
            | PendingKind::CmpXchg { address, size, .. } => self.access(thread, address, size),
            PendingKind::Divide { .. } | PendingKind::Malloc { .. } | PendingKind::Output => false,
            _ => true,
        };
        others || may_end
    }
}

struct Enumeration<'e> {
    /// Waits may end without a signal.
    spurious: bool,
    notice: Notice,
    /// The states that were gone on from, in short: with who was running, and how many preemptions were left.
    seen: FxHashSet<([u8; 32], Option<ThreadId>, u32)>,
    /// The same, for those that were gone on from because stores have reached memory.
    committed: FxHashSet<([u8; 32], Option<ThreadId>, u32)>,
    is_over: &'e dyn Fn() -> bool,
    open: bool,
    /// How many choices led to where the enumeration is.
    depth: usize,
}

impl Enumeration<'_> {
    /// Goes on with all that can come of a run; returns one that fails as recorded.
    fn go_on(&mut self, mut stage: Stage<'_, '_>, running: Option<ThreadId>, left: u32) -> Option<Execution> {
        let Some(thread) = running else { return self.choose(stage, None, left) };
        loop {
            if stage.machine.end().is_some() {
                return stage.failure().map(|_| stage.machine.execution());
            }
            if !can_go_on(&stage.machine, thread) {
                return self.choose(stage, Some(thread), left);
            }
            if stage.has_left(thread) {
                return if left > 0 { self.choose(stage, Some(thread), left - 1) } else { None };
            }
            let found = self.go_on_after_commits(&stage, thread, left);
            if found.is_some() || self.open {
                return found;
            }
            let pending = stage.machine.pending(thread);
            let concerns_others = pending.as_ref().is_none_or(|p| self.notice.concerns_others(thread, p));
            if concerns_others && left > 0 {
                let found = self.choose(stage.clone(), Some(thread), left - 1);
                if found.is_some() || self.open {
                    return found;
                }
            }
            for outcome in 1..self.outcomes(&stage, thread) {
                let mut other = stage.clone();
                if other.step_or_leave(thread, outcome) {
                    let found = self.go_on(other, Some(thread), left);
                    if found.is_some() || self.open {
                        return found;
                    }
                }
            }
            let goes_on = stage.step_or_leave(thread, 0);
            if !goes_on || stage.machine.end().is_some() || stage.has_left(thread) {
                self.notice.ends.extend(pending.map(|pending| (pending.function, pending.pc)));
            }
            if !goes_on {
                return None;
            }
        }
    }

    /// Goes on with stores in memory that the thread is about to look at. If that keeps it waiting, others can go on.
    fn go_on_after_commits(&mut self, stage: &Stage<'_, '_>, thread: ThreadId, left: u32) -> Option<Execution> {
        for looked_at in [commits::before_step(&stage.machine, thread), commits::before_round(&stage.machine, thread)] {
            for other in commits::each_way(stage, &looked_at) {
                if self.committed.insert((other.digest(), Some(thread), left)) {
                    let found = self.go_on(other, Some(thread), left);
                    if found.is_some() || self.open {
                        return found;
                    }
                }
            }
        }
        None
    }

    /// Goes on with everybody who can, but for the one that was running.
    fn choose(&mut self, stage: Stage<'_, '_>, running: Option<ThreadId>, left: u32) -> Option<Execution> {
        if (self.is_over)() || self.depth == MOST_CHOICES {
            self.open = true;
            return None;
        }
        if !self.seen.insert((stage.digest(), running, left)) {
            return None;
        }
        self.depth += 1;
        let found = self.choose_any(&stage, running, left);
        self.depth -= 1;
        found
    }

    fn choose_any(&mut self, stage: &Stage<'_, '_>, running: Option<ThreadId>, left: u32) -> Option<Execution> {
        for thread in stage.machine.thread_ids() {
            let may = stage.machine.status(thread) == Status::Ready && !stage.has_left(thread);
            if may && Some(thread) != running {
                let found = self.go_on(stage.clone(), Some(thread), left);
                if found.is_some() || self.open {
                    return found;
                }
            }
        }
        None
    }

    /// In how many ways what the thread does next can go.
    fn outcomes(&self, stage: &Stage<'_, '_>, thread: ThreadId) -> u32 {
        match stage.machine.pending(thread).map(|pending| pending.kind) {
            Some(PendingKind::Choose { choice: Decides::Spurious }) if !self.spurious => 1,
            _ => stage.machine.outcomes(thread),
        }
    }
}
