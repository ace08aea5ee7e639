//! Regions that somebody may come between, with everything left out that has nothing to do with it.
//!
//! That three accesses can come in an order does not make them a violation: it has to make a difference, which is the solver's to say. So
//! the run is left out up to where the region's first access and the other thread's are next, and from there a window is laid that has the
//! rest of the region: however far apart they were in the run, there are few events in it.

use super::cut::{Budget, Reads};
use super::needs::At;
use super::{Job, Left, Omission};
use crate::findings::{after, focus};
use crate::long::{EFFORT, time_of_window};
use crate::window::Window;
use ordain_explore::{Bug, Error, Options, Stopped};
use ordain_model::failure::FailureKind;
use ordain_model::witness::Turn;
use ordain_vm::schedulers::{self, Follow, Outcome};
use ordain_vm::{Config, Inputs, Machine};
use std::time::Instant;

/// Points that a window may have, and what one counts for, in events, against what a pass may cost.
const MOST_POINTS: u64 = 2_048;
const COST: u64 = 10_000;

impl<'p> Omission<'_, 'p> {
    /// Asks whether somebody can come between in a way that makes a difference.
    pub(super) fn ask_between(
        &mut self,
        left: &Left<'_, 'p>,
        base: &[u32],
        job: &Job,
        second: At,
        [closing, running]: [&mut Budget; 2],
    ) -> Result<(), Error> {
        let &[first, remote] = &job.events[..] else { return Ok(()) };
        let Some(from) = self.cut(base, &[first, remote], Reads::AsTheyWere, closing) else { return Ok(()) };
        let Some(to) = self.cut(base, &[second, remote], Reads::AsTheyWere, closing) else { return Ok(()) };
        let points: u64 = from.iter().zip(&to).map(|(from, to)| u64::from(to.saturating_sub(*from))).sum();
        if points > MOST_POINTS {
            return Ok(());
        }
        let before = self.rest(left.cursor, [base, base, &from]);
        let inside = self.rest(left.cursor, [base, &from, &to]);
        let (Some(before), Some(mut inside)) = (before, inside) else { return Ok(()) };
        let one = |at: At| Turn::Run { thread: self.known.run.threads[usize::from(at.thread)].clone(), points: 1 };
        running.take(COST + self.last(&to).saturating_sub(left.points));
        *self.in_vain.entry((job.candidate, Reads::IfPossible)).or_default() += 1;

        let config = Config { stop_when_stuck: false, branches: true, ..*left.machine.config() };
        let made = |mut machine: Machine<'p>, schedule: &[Turn]| {
            let mut follow = Follow::new(schedule);
            let outcome = schedulers::run(&mut machine, &mut follow, u64::MAX);
            (outcome == Outcome::Stopped && follow.divergence().is_none()).then_some(machine)
        };
        let Some(scene) = made(left.machine.begin_here(config, None), &before) else {
            self.found.diverged += 1;
            return Ok(());
        };
        // What comes last in the run may come earlier here than what it has read from.
        let Some(end) = made(scene.clone(), &inside) else { return Ok(()) };
        if !self.is_along(left, &end, &to) {
            return Ok(());
        }
        inside.extend([one(second), one(remote)]);
        if !scene.is_outside_atomic_sections() {
            return Ok(());
        }
        let before = scene.execution();
        let inputs = Inputs::of(&self.known.run.execution);
        let extent = (points + 2, focus(&[&self.known.run.candidates[job.candidate]]));
        let known = (self.known.facts, self.known.empty);
        let window = Window::narrow(scene, known, inputs, &mut Follow::new(&inside), extent, self.known.run.which);
        let name = &self.known.run.threads[usize::from(first.thread)];
        let has_both = |first_point: u64, end: u64| {
            (first_point..end).contains(&first.point.into()) && u64::from(second.point) < end
        };
        if !window.regions.iter().any(|region| region.thread == *name && has_both(region.first, region.end)) {
            return Ok(());
        }
        let left_over = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = Some(time_of_window(left_over));
        let effort = self.known.options.effort.or(Some(EFFORT));
        let options = Options { check: vec![FailureKind::Atomicity], effort, time, ..self.known.options.clone() };
        self.found.runs += 1;
        match window.predict(self.known.facts, &options, &self.found.bugs, &mut |_| {}) {
            Ok(summary) => {
                self.found.regions.add(summary.regions);
                self.found.statistics.add(&summary.statistics);
                self.found.cut_short += u32::from(summary.stopped == Some(Stopped::Time));
                if !summary.bugs.is_empty() {
                    let before = after(&left.machine.execution(), before);
                    let whole = |bug: Bug| Bug { execution: after(&before, bug.execution), ..bug };
                    self.take_in(summary.bugs.into_iter().map(whole).collect());
                }
            }
            Err(Error::Diverged(_)) => self.found.unconfirmed += 1,
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
