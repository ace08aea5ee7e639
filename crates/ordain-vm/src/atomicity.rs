//! Whether a run shows that a region was split: what a witness of a violation of atomicity claims.
//!
//! Nothing fails in such a run by itself. What is claimed is that a thread makes an access, another thread one that conflicts with it, and
//! the first thread one that conflicts with that, each at a given place in the source, to the same memory.

use crate::Machine;
use crate::log::{Action, Executed};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;

/// An access: which bytes, and whether it changes them.
#[derive(Clone, Copy)]
struct Touched {
    from: u64,
    to: u64,
    writes: bool,
}

impl Touched {
    fn by(action: &Action) -> Option<Touched> {
        let (address, size, writes) = match *action {
            Action::Load { address, size, .. } => (address, size, false),
            Action::Store { address, size, .. } | Action::Rmw { address, size, .. } => (address, size, true),
            Action::CmpXchg { address, size, ref new, .. } => (address, size, new.is_some()),
            _ => return None,
        };
        Some(Touched { from: address, to: address + u64::from(size), writes })
    }

    fn conflicts(self, other: Touched) -> bool {
        self.from < other.to && other.from < self.to && (self.writes || other.writes)
    }
}

impl Machine<'_> {
    /// Whether the run, which has to have been recorded, shows the violation that is claimed. The claim has the first access of the region,
    /// and of the other thread either one access that conflicts with both, or one for each.
    pub fn shows_split(&self, claim: &Failure) -> bool {
        let (first, other, after_first, before_second) = match &claim.others[..] {
            [(_, first), (other, between)] => (first, other, between, between),
            [(_, first), (other, after), (_, before)] => (first, other, after, before),
            _ => return false,
        };
        if claim.kind != FailureKind::Atomicity {
            return false;
        }
        let at = |thread: &ThreadName, place: &Place| -> Vec<(usize, Touched)> {
            let is_there = |e: &Executed| *self.name(e.thread) == *thread && self.is_at(e, place);
            let records = self.log().iter().enumerate().filter(|(_, e)| is_there(e));
            records.filter_map(|(i, e)| Some((i, Touched::by(&e.action)?))).collect()
        };
        let (firsts, afters) = (at(&claim.thread, first), at(other, after_first));
        let (befores, seconds) = (at(other, before_second), at(&claim.thread, &claim.place));
        let is_one = claim.others.len() == 2;
        seconds.iter().any(|&(last, second)| {
            let mut before = befores.iter().filter(|&&(i, access)| i < last && access.conflicts(second));
            before.any(|&(before, _)| {
                let comes_after = |&&(i, _): &&(usize, Touched)| i < last && (!is_one || i == before);
                afters
                    .iter()
                    .filter(comes_after)
                    .any(|&(after, access)| firsts.iter().any(|&(i, first)| i < after && access.conflicts(first)))
            })
        })
    }

    fn is_at(&self, executed: &Executed, place: &Place) -> bool {
        let location = executed.location;
        location.line == place.line && self.program().files[location.file as usize] == place.file
    }
}
