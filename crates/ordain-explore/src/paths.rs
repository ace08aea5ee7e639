//! One execution per path class.
//!
//! At the fix-point the forest has every path of every thread. Which of them go together is asked of the solver, class by
//! class; executions in which every thread comes to its end are preferred as representatives.

use crate::Error;
use crate::search::{Reply, Search};
use ordain_model::witness::Execution;
use ordain_vm::End;

impl Search<'_> {
    pub(crate) fn enumerate_paths(&mut self) -> Result<Vec<Execution>, Error> {
        let mut encoding = self.encode();
        let maximal = encoding.maximal(&self.unfolder.forest);
        let mut classes = Vec::new();
        for kind in [maximal.all_ended, maximal.over] {
            while let Reply::Yes(solution) = self.ask(&mut encoding, &[kind]) {
                encoding.block_class(&self.unfolder.forest);
                let machine = self.execute(&solution, None)?;
                if self.is_over() {
                    // The run may have been stopped on its way.
                    return Ok(classes);
                }
                if matches!(machine.end(), None | Some(End::AssumeViolated)) {
                    return Err(Error::Diverged(format!("a whole execution ended with {:?}", machine.end())));
                }
                let nodes = self.unfolder.forest.nodes.len();
                if self.absorb(&machine)? || self.unfolder.forest.nodes.len() != nodes {
                    return Err(Error::Diverged("an execution left the forest after the fix-point".into()));
                }
                classes.push(machine.execution());
            }
        }
        Ok(classes)
    }
}
