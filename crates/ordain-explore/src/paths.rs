//! One execution per path class.
//!
//! At the fix-point the forest has every path of every thread. Which of them go together is asked of the solver, thread by
//! thread down the trees: a combination that is impossible rules out all that contain it, and every answer is itself one
//! of the classes below it. Executions in which every thread comes to its end are preferred as representatives.

use crate::Error;
use crate::search::{Reply, Search};
use ordain_model::encode::{Encoding, Maximal, Solution};
use ordain_model::forest::{NodeEnd, NodeId, Subject};
use ordain_model::witness::Execution;
use ordain_solve::engine::Engine;
use ordain_solve::order::{Lit, OrderSolver};
use ordain_vm::End;

/// Which way threads go, as far as it is settled: literals to assume.
#[derive(Clone, Default)]
pub(crate) struct Prefix {
    pub lits: Vec<Lit>,
    /// Where each tree's path is.
    pub at: Vec<NodeId>,
}

/// What is known of the combinations of paths as a whole.
pub(crate) struct Classes {
    maximal: Maximal,
    /// The execution is over, in one way or the other.
    any: Lit,
    /// Combinations that are impossible.
    impossible: Vec<Vec<Lit>>,
}

impl Classes {
    fn rules_out(&self, prefix: &Prefix) -> bool {
        self.impossible.iter().any(|core| core.iter().all(|lit| prefix.lits.contains(lit)))
    }
}

impl Search<'_> {
    /// One execution per class.
    pub(crate) fn run_paths(&mut self) -> Result<Vec<Execution>, Error> {
        let mut found = Vec::new();
        let Some((mut encoding, mut classes)) = self.begin_paths() else { return Ok(found) };
        let mut open = vec![Prefix { lits: Vec::new(), at: self.roots() }];
        while let Some(prefix) = open.pop() {
            if self.is_over() {
                break;
            }
            match self.ask_prefix(&mut encoding, &mut classes, &prefix) {
                Reply::Yes(solution) => {
                    let class = self.follow_model(&encoding, prefix, |_| true, &mut open);
                    found.extend(self.represent(&mut encoding, &classes, &class, solution)?);
                }
                Reply::No => {}
                Reply::TooHard => break,
            }
        }
        Ok(found)
    }

    /// The model of all executions, and what it takes for one to be over. `None` if nobody waits for it.
    pub(crate) fn begin_paths(&mut self) -> Option<(Encoding<Engine>, Classes)> {
        let mut encoding = self.encode();
        if encoding.is_abandoned() {
            return None;
        }
        let maximal = encoding.maximal(&self.unfolder.forest);
        let any = encoding.any_of(&[maximal.all_ended, maximal.over]);
        Some((encoding, Classes { maximal, any, impossible: Vec::new() }))
    }

    /// Whether any class goes these ways.
    pub(crate) fn ask_prefix(
        &mut self,
        encoding: &mut Encoding<Engine>,
        classes: &mut Classes,
        prefix: &Prefix,
    ) -> Reply {
        if classes.rules_out(prefix) {
            return Reply::No;
        }
        let assumptions: Vec<Lit> = [classes.any].into_iter().chain(prefix.lits.iter().copied()).collect();
        let reply = self.ask(encoding, &assumptions);
        if let Reply::No = reply {
            let core = encoding.solver.core().into_iter().filter(|&lit| lit != classes.any);
            classes.impossible.push(core.collect());
        }
        reply
    }

    /// The trees, those first whose threads decide by what others write: they are the hardest to please.
    pub(crate) fn roots(&self) -> Vec<NodeId> {
        let forest = &self.unfolder.forest;
        let depends = |tree: usize| {
            forest.nodes.iter().filter(|n| n.tree.0 as usize == tree).any(|n| match &n.end {
                NodeEnd::Decision(d) => match d.on {
                    Subject::TryLock { .. } => true,
                    Subject::Condition(t) | Subject::Value(t) => forest.depends_on_memory(t),
                    Subject::Switch { value, .. } => forest.depends_on_memory(value),
                    Subject::Pointer { address, .. } => forest.depends_on_memory(address),
                },
                _ => false,
            })
        };
        let mut trees: Vec<usize> = (0..forest.trees.len()).collect();
        trees.sort_by_key(|&tree| !depends(tree));
        trees.into_iter().map(|tree| forest.trees[tree].root).collect()
    }

    /// Goes down the trees that are to be followed, the way the model does. The ways that it does not take are still open.
    pub(crate) fn follow_model(
        &self,
        encoding: &Encoding<Engine>,
        mut prefix: Prefix,
        follow: impl Fn(usize) -> bool,
        open: &mut Vec<Prefix>,
    ) -> Prefix {
        for tree in (0..prefix.at.len()).filter(|&tree| follow(tree)) {
            loop {
                let ways = encoding.ways_on(&self.unfolder.forest, prefix.at[tree]);
                let settled = |(_, lits): &(_, Vec<Lit>)| lits.iter().all(|lit| prefix.lits.contains(lit));
                let holds = |(_, lits): &(_, Vec<Lit>)| lits.iter().all(|&lit| encoding.solver.value(lit));
                let Some(taken) = ways.iter().position(holds) else { break };
                if !settled(&ways[taken]) {
                    for (child, lits) in ways.iter().enumerate().filter(|&(i, _)| i != taken).map(|(_, way)| way) {
                        let mut other = prefix.clone();
                        other.lits.extend(lits);
                        other.at[tree] = child.unwrap_or(other.at[tree]);
                        open.push(other);
                    }
                    prefix.lits.extend(&ways[taken].1);
                }
                match ways[taken].0 {
                    Some(child) => prefix.at[tree] = child,
                    None => break,
                }
            }
        }
        prefix
    }

    /// Runs an execution of a class, if possible one in which all threads end.
    fn represent(
        &mut self,
        encoding: &mut Encoding<Engine>,
        classes: &Classes,
        class: &Prefix,
        mut solution: Solution,
    ) -> Result<Option<Execution>, Error> {
        let all_ended = classes.maximal.all_ended;
        if !encoding.solver.value(all_ended) {
            let assumptions: Vec<Lit> = [all_ended].into_iter().chain(class.lits.iter().copied()).collect();
            if let Reply::Yes(better) = self.ask(encoding, &assumptions) {
                solution = better;
            }
        }
        let machine = self.execute(&solution, None)?;
        if self.is_over() {
            // The run may have been stopped on its way.
            return Ok(None);
        }
        if matches!(machine.end(), None | Some(End::AssumeViolated)) {
            return Err(Error::Diverged(format!("a whole execution ended with {:?}", machine.end())));
        }
        let nodes = self.unfolder.forest.nodes.len();
        if self.absorb(&machine)? || self.unfolder.forest.nodes.len() != nodes {
            return Err(Error::Diverged("an execution left the forest after the fix-point".into()));
        }
        Ok(Some(machine.execution()))
    }
}
