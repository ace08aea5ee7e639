//! Long turns: a run along a recording that fails is rearranged, so that threads go on for as long as they can.
//!
//! Whoever has a turn goes on with its next ones, until it has to wait or would go another way; then it is the turn of whoever
//! comes next in the run that is known. That mostly changes nothing about the failure. Where it does, one of these
//! decisions was wrong: which one, bisection tells, and how far the thread may go on there. So what it takes is some runs for each
//! preemption that the failure needs, and not for each turn (`shorten` does that, with what is left).

use crate::stage::{Case, Stage};
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, Turn};
use ordain_vm::{Status, ThreadId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Rearranges an execution, which fails along the recording; `None` if nothing better was found. `is_over` says when to give up.
pub fn gather(case: Case<'_, '_>, execution: &Execution, is_over: &dyn Fn() -> bool) -> Option<Execution> {
    let mut run = Run::new(Stage::new(case), &execution.schedule);
    loop {
        let mut hasty = run.clone();
        let decisions = hasty.finish(usize::MAX, is_over);
        if hasty.stage.ends_as_recorded() {
            return Some(hasty.stage.machine.execution());
        }
        if is_over() {
            run.finish(0, &|| false);
            return run.stage.ends_as_recorded().then(|| run.stage.machine.execution());
        }
        // So many decisions are right, and one more is not.
        let right = last_right(decisions, |some| {
            let mut some_hasty = run.clone();
            some_hasty.finish(some, is_over);
            some_hasty.stage.ends_as_recorded()
        });
        for _ in 0..right {
            run.turn(usize::MAX)?;
        }
        // So far the thread may go on.
        let mut furthest = run.clone();
        let turns = furthest.turn(usize::MAX)?;
        let far = last_right(turns, |some| {
            let mut restrained = run.clone();
            restrained.turn(some).is_some() && {
                restrained.finish(0, is_over);
                restrained.stage.ends_as_recorded()
            }
        });
        run.turn(far)?;
    }
}

/// The last of the numbers below `most` for which something holds, if it holds up to some number and not beyond. It does for 0.
fn last_right(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut right, mut wrong) = (0, most.max(1));
    while wrong - right > 1 {
        let between = right + (wrong - right) / 2;
        if holds(between) { right = between } else { wrong = between }
    }
    right
}

/// A run, and what is left of the one that is known.
#[derive(Clone)]
struct Run<'p, 'r> {
    stage: Stage<'p, 'r>,
    /// The turns that each thread has had there and not here, by when it had them.
    left: FxHashMap<ThreadName, VecDeque<(usize, Turn)>>,
}

impl<'p, 'r> Run<'p, 'r> {
    fn new(stage: Stage<'p, 'r>, turns: &[Turn]) -> Self {
        let mut left: FxHashMap<ThreadName, VecDeque<(usize, Turn)>> = FxHashMap::default();
        for (when, turn) in turns.iter().enumerate() {
            left.entry(turn.thread().clone()).or_default().push_back((when, turn.clone()));
        }
        Run { stage, left }
    }

    /// Goes on to the end: for so many decisions with long turns, and then as the known run did. Returns how many decisions there
    /// were.
    fn finish(&mut self, hasty: usize, is_over: &dyn Fn() -> bool) -> usize {
        let mut decisions = 0;
        while self.stage.machine.end().is_none() && !is_over() {
            let more = if decisions < hasty { usize::MAX } else { 0 };
            if self.turn(more).is_none() {
                break;
            }
            decisions += 1;
        }
        decisions
    }

    /// Lets the thread that is next in the known run have its turn, and as many more as it can take, up to `more`. Returns how many
    /// more it took; `None` if nobody can go on.
    fn turn(&mut self, more: usize) -> Option<usize> {
        let mut next: Vec<(usize, ThreadName)> =
            self.left.iter().filter_map(|(name, turns)| Some((turns.front()?.0, name.clone()))).collect();
        next.sort_unstable();
        let taken = next.into_iter().find_map(|(_, thread)| self.take_next(&thread).map(|whole| (thread, whole)));
        let Some((thread, whole)) = taken else { return self.go_beyond().then_some(0) };
        let mut took = 0;
        let mut goes_on = whole;
        while goes_on && took < more && self.stage.machine.end().is_none() {
            let taken = self.take_next(&thread);
            took += usize::from(taken.is_some());
            goes_on = taken == Some(true);
        }
        Some(took)
    }

    /// Who waits more often than in the known run has more to do; lets somebody do that, if it is more than to wait again.
    fn go_beyond(&mut self) -> bool {
        self.stage.machine.thread_ids().any(|thread| {
            let mut points = 0;
            while self.stage.machine.end().is_none()
                && self.stage.machine.status(thread) == Status::Ready
                && self.stage.take_some(&self.point_of(thread)) > 0
            {
                points += 1;
            }
            points > 0
        })
    }

    fn point_of(&self, thread: ThreadId) -> Turn {
        Turn::Run { thread: self.stage.machine.name(thread).clone(), points: 1 }
    }

    /// Lets a thread have its next turn, as far as it can: whether that is all of it, `None` if it cannot do anything.
    fn take_next(&mut self, thread: &ThreadName) -> Option<bool> {
        let (when, turn) = self.left.get_mut(thread)?.pop_front()?;
        let done = self.stage.take_some(&turn);
        let left = match turn {
            Turn::Run { points, .. } if done == points => return Some(true),
            Turn::Run { thread, points } => Turn::Run { thread, points: points - done },
            _ if done > 0 => return Some(true),
            turn => turn,
        };
        self.put_back(thread, when, left);
        (done > 0).then_some(false)
    }

    fn put_back(&mut self, thread: &ThreadName, when: usize, turn: Turn) {
        self.left.entry(thread.clone()).or_default().push_front((when, turn));
    }
}
