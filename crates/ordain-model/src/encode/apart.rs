//! Executions that leave a thread for last.
//!
//! A thread that decides alone (`alone`) stands *apart* in an execution if it has started and nobody has noticed yet:
//! it has done nothing that others can see, nobody has joined it, what it will touch is there, and the locks that it will
//! take are free. Then nothing that has happened depends on its inputs, and from there it can be run to its end along
//! any of its paths.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::forest::{Forest, NodeEnd, NodeId, TreeId};
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashSet;

impl<S: OrderSolver> Encoding<S> {
    /// The thread of a tree, which decides alone, stands apart.
    pub fn stands_apart(&mut self, forest: &Forest, tree: TreeId) -> Lit {
        let apart = self.solver.new_lit();
        let thread = &forest.tree(tree).key.thread;
        let (own, others): (Vec<EventId>, Vec<EventId>) = forest.event_ids().partition(|&e| forest.tree_of(e) == tree);
        let (mut objects, mut mutexes) = (FxHashSet::default(), FxHashSet::default());
        for e in own {
            let kind = &forest.event(e).kind;
            match kind {
                EventKind::Start { .. } => self.imply(apart, self.executed(e)),
                // These are no points, so they may follow the start without further ado; nobody can see them.
                EventKind::Use { .. } | EventKind::Exit { .. } | EventKind::Free { returning: Some(_), .. } => {}
                _ => self.imply(apart, !self.executed(e)),
            }
            objects.extend(kind.access().map(|(address, _)| address.object));
            if let EventKind::Lock { mutex, .. } = kind {
                mutexes.insert(*mutex);
            }
        }
        for e in others {
            match &forest.event(e).kind {
                EventKind::Join { thread: joined, .. } if joined == thread => self.imply(apart, !self.executed(e)),
                EventKind::Free { object, .. } if objects.contains(object) => self.imply(apart, !self.executed(e)),
                EventKind::Lock { mutex, .. } if mutexes.contains(mutex) => {
                    let released: Vec<Lit> = self.sections.unlocks(e).iter().map(|&u| self.executed(u)).collect();
                    self.imply_any(&[apart, self.executed(e)], &released);
                }
                _ => {}
            }
        }
        apart
    }

    /// Nobody has ended the process, nor failed.
    pub fn goes_on(&mut self, forest: &Forest) -> Lit {
        let goes_on = self.solver.new_lit();
        for n in forest.node_ids() {
            if matches!(forest.node(n).end, NodeEnd::ProcessEnd | NodeEnd::Failure(_)) {
                self.imply(goes_on, !self.finished(n));
            }
        }
        goes_on
    }

    /// The thread of a tree has not started.
    pub fn is_absent(&self, forest: &Forest, tree: TreeId) -> Lit {
        !self.executed(forest.node(forest.tree(tree).root).events[0])
    }

    /// One of several threads, given by where their paths end, does not come to the end of any.
    pub fn stops_short(&mut self, leaves: &[&[NodeId]]) -> Lit {
        let stops = leaves.iter().map(|leaves| {
            let stops = self.solver.new_lit();
            leaves.iter().for_each(|&leaf| self.imply(stops, !self.entered(leaf)));
            stops
        });
        let stops: Vec<Lit> = stops.collect();
        self.any_of(&stops)
    }
}
