//! Whole executions: those that cannot go on, and the path classes they are in.
//!
//! Once nothing leaves the forest any more, its paths can be enumerated: a path class is the set of executions in which
//! every thread takes the same decisions.

use super::{Blocked, Encoding};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, NodeId, Subject};
use crate::names::ThreadName;
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

/// Ways for an execution to be over.
#[derive(Clone, Copy, Debug)]
pub struct Maximal {
    /// Every thread has ended, main by ending the process.
    pub all_ended: Lit,
    /// The process has ended, or nobody can go on.
    pub over: Lit,
}

impl<S: OrderSolver> Encoding<S> {
    /// What it means that an execution is over.
    pub fn maximal(&mut self, forest: &Forest) -> Maximal {
        let stuck = self.stuck_goals(forest);
        let threads: Vec<ThreadName> = {
            let mut threads: Vec<ThreadName> = forest.trees.iter().map(|t| t.key.thread.clone()).collect();
            threads.sort();
            threads.dedup();
            threads
        };
        let ends = |end: &NodeEnd| matches!(end, NodeEnd::ProcessEnd | NodeEnd::Failure(_));
        let mut over: Vec<Lit> =
            forest.node_ids().filter(|&n| ends(&forest.node(n).end)).map(|n| self.finished(n)).collect();
        over.push(self.nobody_can_go_on(forest, &threads, &stuck));
        let over_lit = self.solver.new_lit();
        self.imply_any(&[over_lit], &over);
        Maximal { all_ended: self.all_ended(forest, &threads), over: over_lit }
    }

    fn nobody_can_go_on(&mut self, forest: &Forest, threads: &[ThreadName], stuck: &[(Blocked, Lit)]) -> Lit {
        let quiet = self.solver.new_lit();
        let mut waiting: FxHashMap<&ThreadName, Vec<Lit>> = FxHashMap::default();
        for (blocked, lit) in stuck {
            waiting.entry(blocked.thread(forest)).or_default().push(*lit);
        }
        for thread in threads {
            let mut done: Vec<Lit> = waiting.get(thread).cloned().unwrap_or_default();
            done.extend(self.exits_of(thread));
            for started in self.starts_of(forest, thread) {
                self.imply_any(&[quiet, started], &done);
            }
        }
        quiet
    }

    fn all_ended(&mut self, forest: &Forest, threads: &[ThreadName]) -> Lit {
        let all = self.solver.new_lit();
        for thread in threads {
            let mut done = self.exits_of(thread);
            if thread.is_main() {
                let ends = |n: &NodeId| {
                    forest.thread_of_node(*n).is_main() && matches!(forest.node(*n).end, NodeEnd::ProcessEnd)
                };
                done = forest.node_ids().filter(ends).map(|n| self.finished(n)).collect();
            }
            for started in self.starts_of(forest, thread) {
                if !seeded(Fault::EndedThoughRunning) || thread.is_main() {
                    self.imply_any(&[all, started], &done);
                }
            }
        }
        all
    }

    fn exits_of(&self, thread: &ThreadName) -> Vec<Lit> {
        let exits = self.sections.exits.get(thread).map_or(&[][..], |x| x);
        exits.iter().map(|&x| self.executed(x)).collect()
    }

    /// The ways that a thread's path can go at the end of a node: to a child, or no further. Each with literals that say so.
    pub fn ways_on(&self, forest: &Forest, n: NodeId) -> Vec<(Option<NodeId>, Vec<Lit>)> {
        let NodeEnd::Decision(d) = &forest.node(n).end else { return Vec::new() };
        let goes = |child: NodeId| match forest.node(child).events.first() {
            // What a trylock finds is decided by the very event, and not before.
            Some(&e) if matches!(d.on, Subject::TryLock { .. }) => self.executed(e),
            _ => self.entered(child),
        };
        let children = d.children.iter().map(|&(_, child)| (Some(child), vec![goes(child)]));
        let no_further = d.children.iter().map(|&(_, child)| !goes(child)).collect();
        children.chain([(None, no_further)]).collect()
    }
}
