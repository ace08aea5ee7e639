//! The audit: does the machine ever do something that the model lacks?
//!
//! Everything the model says is executed, so what it has in excess shows. What it lacks would stay silent. So after a
//! verdict of `Safe` the program is run with random schedules and inputs; each run must stay inside the forest, must
//! satisfy the encoding, and must not fail.

use crate::Error;
use crate::follow::{Follower, Log};
use crate::search::Search;
use ordain_model::witness::MemoryModel;
use ordain_solve::order::Answer;
use ordain_vm::schedulers::{Pct, Random, Scheduler, StoreBuffers, run};
use ordain_vm::{End, Inputs};
use std::rc::Rc;

/// Random runs are cut after this many choices: their beginning is an execution as well.
const RUN_LIMIT: u64 = 20_000;
const PCT_DEPTH: u32 = 3;
/// About how many points the runs of small programs have.
const PCT_STEPS: u64 = 60;

impl Search<'_> {
    pub(crate) fn audit(&mut self) -> Result<(), Error> {
        let mut encoding = self.encode();
        let nodes = self.unfolder.forest.nodes.len();
        for seed in 0..self.options.audit as u64 {
            if self.clock.look().is_some() {
                break;
            }
            let mut machine = self.machine(Inputs::random(seed));
            let mut scheduler: Box<dyn Scheduler> = match (self.options.memory, seed % 2) {
                (MemoryModel::Sc, 0) => Box::new(Random::new(seed)),
                (MemoryModel::Sc, _) => Box::new(Pct::new(PCT_DEPTH, PCT_STEPS, seed)),
                _ => Box::new(StoreBuffers::new(seed)),
            };
            run(&mut machine, scheduler.as_mut(), RUN_LIMIT);
            if self.clock.interrupt.is_raised() {
                // It may have been stopped in the middle of a step.
                break;
            }
            let failed = match machine.end() {
                Some(End::Failed(failure)) => Some(failure),
                _ => None,
            };
            let mut failures = failed.into_iter().chain(machine.races()).chain(machine.stuck());
            if let Some(failure) = failures.find(|f| self.options.check.contains(&f.kind)) {
                return Err(disagree(seed, &format!("fails: {failure:?}")));
            }
            if let Some(End::Unsupported { what, place }) = machine.end() {
                return Err(disagree(seed, &format!("comes to {what}, at {place}")));
            }
            let log = Log::of(&machine);
            let book = Rc::clone(&self.book);
            let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
            log.note(&mut self.unfolder.sharing, false, &size_of);
            if self.unfolder.is_stale() {
                return Err(disagree(seed, "shares memory that was taken to be private"));
            }
            let mut follower = Follower::new(&mut self.unfolder, &size_of);
            let stays = follower.follow(&log)?;
            let (taken, values) = (std::mem::take(&mut follower.taken), follower.values());
            if !stays || self.unfolder.forest.nodes.len() != nodes {
                return Err(disagree(seed, "leaves the forest"));
            }
            if machine.end() != Some(&End::AssumeViolated)
                && encoding.admits(&mut self.unfolder.forest, &taken, &values) == Answer::Unsat
            {
                return Err(disagree(seed, "does not satisfy the encoding"));
            }
            self.statistics.audited += 1;
        }
        Ok(())
    }
}

fn disagree(seed: u64, what: &str) -> Error {
    Error::Diverged(format!("the program was found safe, but the random run with seed {seed} {what}"))
}
