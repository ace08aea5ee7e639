//! Going on from where an earlier search has come to: its runs are run again, and then known.

use crate::Error;
use crate::search::Search;
use ordain_model::witness::Execution;
use ordain_vm::schedulers::{Choice, Follow, Scheduler};
use ordain_vm::{Inputs, Machine};

impl<'p> Search<'p> {
    /// Takes in the runs of the journal.
    pub(crate) fn take_up_journal(&mut self) -> Result<(), Error> {
        for run in std::mem::take(&mut self.journal.earlier) {
            if self.clock.interrupt.is_raised() {
                break;
            }
            let machine = self.run_again(&run)?;
            self.take_in(&machine)?;
            self.statistics.resumed += 1;
        }
        Ok(())
    }

    pub(crate) fn run_again(&self, run: &Execution) -> Result<Machine<'p>, Error> {
        let mut machine = self.machine(Inputs::of(run));
        let mut follow = Follow::new(&run.schedule);
        while machine.end().is_none() {
            match follow.choose(&machine) {
                Choice::Run(t, _) => machine.step(t),
                Choice::Decide(t, outcome) => machine.step_with(t, outcome),
                Choice::Commit(t, nth) => machine.commit(t, nth),
                Choice::Stop => break,
            }
        }
        match follow.divergence() {
            Some(divergence) => {
                Err(Error::Journal(format!("a run that was made before cannot be made again: {divergence}")))
            }
            None => Ok(machine),
        }
    }
}
