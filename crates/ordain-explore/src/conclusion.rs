//! What a search comes to: the verdict, and what it rests on.

use crate::clock::Stopped;
use crate::coverage::coverage;
use crate::search::Search;
use crate::unproved::{Unproved, UnprovedKind};
use crate::{Classes, Options, Summary, Verdict};
use ordain_ir::program::{Builtin, Inst, Program};
use ordain_model::event::{EventKind, Site};
use ordain_model::witness::MemoryModel;

impl Search<'_> {
    pub(crate) fn conclude(self, verdict: Verdict, paths: Option<Classes>) -> Summary {
        let mut statistics = self.statistics.clone();
        statistics.events = self.unfolder.forest.events.len();
        statistics.nodes = self.unfolder.forest.nodes.len();
        Summary {
            verdict,
            stopped: self.clock.stopped(),
            runs: self.runs,
            paths,
            fewest: None,
            regions: self.regions,
            assumptions: assumptions(self.program, self.options),
            coverage: coverage(self.program, &self.watch),
            unproved: self.unproved(),
            statistics,
            bugs: self.bugs,
        }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        if !self.bugs.is_empty() {
            return Verdict::Bug;
        }
        let cuts = self.cuts();
        let first = |kind: UnprovedKind| cuts.iter().find(|cut| cut.kind == kind).map(reason);
        let (unsupported, bound) = (first(UnprovedKind::Unsupported), first(UnprovedKind::Bound));
        match (self.clock.stopped(), unsupported, bound) {
            (Some(Stopped::Interrupt), _, _) => Verdict::Unknown(Stopped::Interrupt.reason().into()),
            (_, Some(what), _) => Verdict::Unknown(what),
            (Some(stopped), None, _) => Verdict::Unknown(stopped.reason().into()),
            (None, None, _) if !self.left.is_nothing() => {
                let open = self.unproved().into_iter().find(|open| open.kind > UnprovedKind::Bound);
                Verdict::Unknown(open.as_ref().map_or("not everything was asked".into(), reason))
            }
            (None, None, Some(what)) => Verdict::Bounded(what),
            (None, None, None) => Verdict::Safe,
        }
    }

    /// A join and the store of its result are one step, so that the memory was freed before cannot be asked: where that is.
    pub(crate) fn result_into_freed_memory(&self) -> Option<Site> {
        let forest = &self.unfolder.forest;
        let mut stored = forest.nodes.iter().flat_map(|n| n.events.windows(2)).filter_map(|pair| {
            let (join, store) = (forest.event(pair[0]), forest.event(pair[1]));
            let result = matches!(join.kind, EventKind::Join { .. }) && join.step == store.step;
            store.kind.access().filter(|_| result).map(|(address, _)| (address.object, store.site))
        });
        let is_freed = |base: u64| {
            forest.events.iter().any(|e| matches!(e.kind, EventKind::Free { object, .. } if object == base))
        };
        stored.find(|&(base, _)| is_freed(base)).map(|(_, site)| site)
    }
}

/// One thing that is unproved, as the reason of a verdict.
fn reason(unproved: &Unproved) -> String {
    let what = match unproved.kind {
        UnprovedKind::Unsupported | UnprovedKind::Bound => unproved.why.clone(),
        kind => format!("{} ({})", unproved.why, kind.name()),
    };
    match &unproved.place {
        Some(place) => format!("{what}, at {place}"),
        None => what,
    }
}

/// What a verdict rests on.
fn assumptions(program: &Program, options: &Options) -> Vec<String> {
    let mut assumptions = vec![
        "malloc and pthread_create succeed".to_owned(),
        "time is virtual: sleeping does not order anything".to_owned(),
        "no asynchronous signals".to_owned(),
        "the program does not depend on where objects lie in memory".to_owned(),
    ];
    if options.memory == MemoryModel::Sc {
        assumptions.push("memory is sequentially consistent".to_owned());
    }
    // What is not called is not part of the program, models of library functions included.
    if !options.spurious && ordain_unfold::calls(program, Builtin::Spurious) {
        assumptions.push("waits for conditions never end without a signal".to_owned());
    }
    if program.functions.iter().flat_map(|f| &f.code).any(|inst| matches!(inst, Inst::CmpXchg { weak: true, .. })) {
        assumptions.push("weak exchanges fail only where the values differ".to_owned());
    }
    assumptions
}
