//! What a search leaves open: paths that it did not follow to their end, and questions that have no answer.
//!
//! A round of the search begins with everything to ask and strikes off what it has asked. Whatever ends it, what is left
//! then is unproved, and as long as anything is, the verdict is not `Safe`.

use crate::ask::Goal;
use crate::search::Search;
use ordain_model::failure::{FailureKind, Place};
use ordain_model::forest::{Cut, NodeEnd};
use std::collections::BTreeSet;

const TOO_HARD: &str = "the solver gave up";

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum UnprovedKind {
    /// The program needs something that the model does not have.
    Unsupported,
    /// A path was cut.
    Bound,
    /// Whether a decision can go another way than it was seen to.
    Path,
    /// Whether a failure that a thread's own path leads to can happen.
    Failure,
    /// Whether memory is used after it was freed, or before it was initialised.
    Memory,
    Stuck,
    Race,
    /// Whether anybody comes between two accesses of a region.
    Atomicity,
}

impl UnprovedKind {
    pub fn name(self) -> &'static str {
        match self {
            UnprovedKind::Unsupported => "unsupported",
            UnprovedKind::Bound => "bound",
            UnprovedKind::Path => "path",
            UnprovedKind::Failure => "failure",
            UnprovedKind::Memory => "memory",
            UnprovedKind::Stuck => "stuck",
            UnprovedKind::Race => "race",
            UnprovedKind::Atomicity => "atomicity",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Unproved {
    pub kind: UnprovedKind,
    /// `None`: anywhere.
    pub place: Option<Place>,
    pub why: String,
}

/// What the search has not asked yet, of what is to be asked about the forest as it is.
#[derive(Default)]
pub(crate) struct Left {
    pub goals: Vec<Goal>,
    pub stuck: bool,
    pub races: bool,
    /// What was asked, and the solver did not decide.
    pub undecided: BTreeSet<(UnprovedKind, Place)>,
}

impl Left {
    /// At the beginning of a round.
    pub fn all(goals: Vec<Goal>) -> Left {
        Left { goals, stuck: true, races: true, undecided: BTreeSet::new() }
    }

    pub fn is_nothing(&self) -> bool {
        self.goals.is_empty() && !self.stuck && !self.races && self.undecided.is_empty()
    }
}

impl Search<'_> {
    /// Everything that stays unproved, each once.
    pub(crate) fn unproved(&self) -> Vec<Unproved> {
        let mut unproved = self.cuts();
        let why = match self.clock.stopped() {
            Some(stopped) => stopped.reason(),
            None if self.is_over() => "the search ended at the first bug",
            None if self.options.effort.is_some() => TOO_HARD,
            None => "not asked",
        };
        let open = |kind, place| Unproved { kind, place, why: why.to_owned() };
        for &goal in self.left.goals.iter().filter(|&&goal| !self.is_settled(goal)) {
            let kind = match goal {
                Goal::Stub(_) => UnprovedKind::Path,
                Goal::Leaf(_) | Goal::PartedAgain(_) => UnprovedKind::Failure,
                Goal::Freed(_) | Goal::Undefined(_) => UnprovedKind::Memory,
            };
            unproved.insert(open(kind, self.place_of(goal)));
        }
        if self.left.stuck && self.looks_for(&[FailureKind::Deadlock, FailureKind::Hang]) {
            unproved.insert(open(UnprovedKind::Stuck, None));
        }
        if self.left.races && self.looks_for(&[FailureKind::Race]) {
            unproved.insert(open(UnprovedKind::Race, None));
        }
        for (kind, place) in &self.left.undecided {
            let why = self.clock.stopped().map_or(TOO_HARD, |stopped| stopped.reason());
            unproved.insert(Unproved { kind: *kind, place: Some(place.clone()), why: why.to_owned() });
        }
        unproved.into_iter().collect()
    }

    fn place_of(&self, goal: Goal) -> Option<Place> {
        let forest = &self.unfolder.forest;
        let site = match goal {
            Goal::Freed(e) | Goal::Undefined(e) | Goal::PartedAgain(e) => forest.event(e).site,
            Goal::Stub(stub) => match &forest.node(stub.node).end {
                NodeEnd::Decision(decision) => decision.site,
                _ => return None,
            },
            Goal::Leaf(node) => self.unfolder.end_site(node)?,
        };
        Some(self.place(site))
    }

    /// Paths that were not followed to their end.
    pub(crate) fn cuts(&self) -> BTreeSet<Unproved> {
        let forest = &self.unfolder.forest;
        let cut_at = |cut: &Cut, place: Option<Place>| match cut {
            Cut::Unsupported(why) => Unproved { kind: UnprovedKind::Unsupported, place, why: why.clone() },
            Cut::Bound(why) => Unproved { kind: UnprovedKind::Bound, place, why: why.clone() },
        };
        let cuts = forest.node_ids().filter_map(|n| match &forest.node(n).end {
            NodeEnd::Cut(cut) => Some(cut_at(cut, self.unfolder.end_site(n).map(|site| self.place(site)))),
            _ => None,
        });
        let limits = self.limits.iter().map(|(cut, place)| cut_at(cut, place.clone()));
        let layout = self.unfolder.layout.map(|site| {
            let why = "the program looks at where objects lie in memory".to_owned();
            Unproved { kind: UnprovedKind::Bound, place: Some(self.place(site)), why }
        });
        let result = self.result_into_freed_memory().map(|site| {
            let why = "pthread_join stores its result into memory that is freed".to_owned();
            Unproved { kind: UnprovedKind::Unsupported, place: Some(self.place(site)), why }
        });
        cuts.chain(limits).chain(layout).chain(result).collect()
    }
}
