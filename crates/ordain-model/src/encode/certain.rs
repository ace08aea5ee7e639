//! What is certain without a solver: what comes before what, and what is hidden by what, in every execution.
//!
//! A thread begins after its creation and has ended before its join returns; critical sections of one mutex do not
//! overlap. What follows from that for two given events is worth finding out before anything is encoded: most of the
//! writes that a read could see in principle are ruled out by it, and so are most pairs of accesses that could race.

use super::sync::Sections;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Entry, Forest, NodeId, TreeId};
use crate::meeting::Inevitable;
use crate::names::ThreadName;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

pub struct Certain {
    /// By event: the threads that have ended when it takes place.
    ended: Vec<Rc<FxHashSet<ThreadName>>>,
    /// By event: the sections it is in, each by the event that began it.
    sections: Vec<Rc<Vec<EventId>>>,
    known: Rc<Sections>,
    inevitable: Inevitable,
    /// Whether an event comes before everything of a tree.
    before_tree: RefCell<FxHashMap<(EventId, TreeId), bool>>,
}

/// What is certain at one place of a path.
#[derive(Clone)]
struct Standing {
    ended: Rc<FxHashSet<ThreadName>>,
    sections: Rc<Vec<EventId>>,
}

impl Standing {
    fn pass(&mut self, e: EventId, kind: &EventKind) {
        match kind {
            EventKind::Join { thread, .. } => {
                Rc::make_mut(&mut self.ended).insert(thread.clone());
            }
            EventKind::Lock { .. } | EventKind::AtomicBegin => Rc::make_mut(&mut self.sections).push(e),
            EventKind::Unlock { lock, .. } | EventKind::AtomicEnd { begin: lock } => {
                Rc::make_mut(&mut self.sections).retain(|held| held != lock);
            }
            _ => {}
        }
    }

    /// What is certain on each of several ways.
    fn of_all<'a>(mut ways: impl Iterator<Item = &'a Standing>) -> Standing {
        let mut all = ways.next().expect("something leads to every meeting").clone();
        for way in ways {
            Rc::make_mut(&mut all.ended).retain(|thread| way.ended.contains(thread));
            Rc::make_mut(&mut all.sections).retain(|section| way.sections.contains(section));
        }
        all
    }
}

impl Certain {
    /// What is certain in a forest that nobody need encode.
    pub fn of(forest: &Forest) -> Certain {
        Certain::new(forest, Rc::new(Sections::new(forest)))
    }

    pub(super) fn new(forest: &Forest, known: Rc<Sections>) -> Certain {
        let none: Rc<FxHashSet<ThreadName>> = Rc::default();
        let mut this = Certain {
            ended: vec![Rc::clone(&none); forest.events.len()],
            sections: vec![Rc::default(); forest.events.len()],
            known,
            inevitable: Inevitable::new(forest),
            before_tree: RefCell::default(),
        };
        for tree in forest.tree_ids() {
            this.walk(forest, tree);
        }
        this
    }

    fn walk(&mut self, forest: &Forest, tree: TreeId) {
        let mut at_end: FxHashMap<NodeId, Standing> = FxHashMap::default();
        for n in forest.in_order(tree) {
            let mut standing = match &forest.node(n).entry {
                Entry::Root => Standing { ended: self.ended_at_start(tree), sections: Rc::default() },
                Entry::Outcome(parent, _) => at_end[parent].clone(),
                Entry::Meeting(meeting) => Standing::of_all(meeting.ways.iter().map(|way| &at_end[&way.from])),
            };
            for &e in &forest.node(n).events {
                standing.pass(e, &forest.event(e).kind);
                self.ended[e.0 as usize] = Rc::clone(&standing.ended);
                self.sections[e.0 as usize] = Rc::clone(&standing.sections);
            }
            at_end.insert(n, standing);
        }
    }

    /// The threads that had ended when this one was created, whoever created it. Trees of parents mostly come first; of
    /// those that do not, nothing is known.
    fn ended_at_start(&self, tree: TreeId) -> Rc<FxHashSet<ThreadName>> {
        let creates = self.known.creates(tree);
        match creates {
            [] => Rc::default(),
            [one] => Rc::clone(&self.ended[one.0 as usize]),
            [first, rest @ ..] => {
                let in_all = |t: &&ThreadName| rest.iter().all(|c| self.ended[c.0 as usize].contains(*t));
                Rc::new(self.ended[first.0 as usize].iter().filter(in_all).cloned().collect())
            }
        }
    }

    /// If both take place, `e` comes before `f`.
    pub fn precedes(&self, forest: &Forest, e: EventId, f: EventId) -> bool {
        if forest.thread(e) == forest.thread(f) {
            return forest.program_order(e, f);
        }
        if seeded(Fault::CertainlyAfterJoinOfAnother) && !self.ended[f.0 as usize].is_empty() {
            return true;
        }
        self.ended[f.0 as usize].contains(forest.thread(e)) || self.precedes_tree(forest, e, forest.tree_of(f))
    }

    fn precedes_tree(&self, forest: &Forest, e: EventId, tree: TreeId) -> bool {
        if let Some(&known) = self.before_tree.borrow().get(&(e, tree)) {
            return known;
        }
        let creates = self.known.creates(tree);
        let before = |&c: &EventId| e == c || self.precedes(forest, e, c);
        let precedes = !creates.is_empty() && creates.iter().all(before);
        self.before_tree.borrow_mut().insert((e, tree), precedes);
        precedes
    }

    /// If `f` takes place, so has `e` been reached: it is on the way to `f`, or to the creation of its thread.
    fn is_on_the_way(&self, forest: &Forest, e: EventId, f: EventId) -> bool {
        if forest.thread(e) == forest.thread(f) {
            return self.is_on_each_path(forest, e, f);
        }
        let creates = self.known.creates(forest.tree_of(f));
        !creates.is_empty() && creates.iter().all(|&c| self.is_on_the_way(forest, e, c))
    }

    /// Every path of a thread to `f` goes through `e`.
    fn is_on_each_path(&self, forest: &Forest, e: EventId, f: EventId) -> bool {
        let (first, then) = (forest.position(e), forest.position(f));
        match first.node == then.node {
            true => first.index < then.index,
            false if seeded(Fault::BypassedHides) => forest.program_order(e, f),
            false => self.inevitable.comes_before(forest, first.node, then.node),
        }
    }

    /// The last of the writes `fills`, all of which fill the cell that `r` reads, that has certainly taken place before.
    pub fn last_on_the_way(&self, forest: &Forest, fills: &[EventId], r: EventId) -> Option<EventId> {
        let on_the_way = fills.iter().copied().filter(|&w| self.is_on_the_way(forest, w, r));
        on_the_way.reduce(|last, w| if self.precedes(forest, last, w) { w } else { last })
    }

    /// Whether mutexes alone keep `r` from seeing `w`, a write of another thread to the cell that all of `fills` fill.
    /// `shadow` is the last of them that is certainly before `r`.
    pub fn is_locked_away(
        &self,
        forest: &Forest,
        w: EventId,
        r: EventId,
        fills: &[EventId],
        shadow: Option<EventId>,
    ) -> bool {
        let common = |writers: &&EventId| {
            let here = |readers: &&EventId| mutex(forest, **readers) == mutex(forest, **writers);
            self.sections[r.0 as usize].iter().find(here)
        };
        for section in self.sections[w.0 as usize].iter() {
            let Some(&readers) = common(&section) else { continue };
            // The reader has written the cell itself since it came in, and nobody else came in since.
            let own = shadow.is_some_and(|s| self.sections[s.0 as usize].contains(&readers));
            // The writer overwrites the cell before it goes out, or never goes out.
            let mut exits = self.known.unlocks(*section).iter().filter(|&&exit| forest.program_order(w, exit));
            let overwritten = |&&exit: &&EventId| {
                fills.iter().any(|&v| forest.program_order(w, v) && self.is_on_each_path(forest, v, exit))
            };
            if own || exits.all(|exit| overwritten(&exit)) {
                return true;
            }
        }
        seeded(Fault::LockedAwayUnlocked) && !self.sections[w.0 as usize].is_empty()
    }

    /// Whether one section of a mutex has both accesses of a thread in it, and another's access is in a section of the same mutex.
    pub fn keeps_out(&self, forest: &Forest, first: EventId, remote: EventId, second: EventId) -> bool {
        let of = |e: EventId| &self.sections[e.0 as usize];
        let both = of(first).iter().filter(|section| of(second).contains(section));
        let mutexes: Vec<Option<u64>> = both.map(|&section| mutex(forest, section)).collect();
        of(remote).iter().any(|&section| mutexes.contains(&mutex(forest, section)))
    }

    /// Whether two accesses of a thread are in one section of a mutex.
    pub fn in_one_section(&self, forest: &Forest, a: EventId, b: EventId) -> bool {
        let of = |e: EventId| &self.sections[e.0 as usize];
        of(a).iter().any(|&section| of(b).contains(&section) && mutex(forest, section).is_some())
    }

    /// Whether two accesses conflict, and neither a mutex nor creation or end of threads keeps them apart on any path.
    pub fn may_race(&self, forest: &Forest, a: EventId, b: EventId) -> bool {
        let (x, y) = (&forest.event(a).kind, &forest.event(b).kind);
        let (Some((p, n)), Some((q, m))) = (x.access(), y.access()) else { return false };
        let apart = match (forest.terms.as_const(p.term), forest.terms.as_const(q.term)) {
            (Some(s), Some(t)) => s + u64::from(n) <= t || t + u64::from(m) <= s,
            _ => p.object != q.object,
        };
        !apart
            && forest.thread(a) != forest.thread(b)
            && (x.is_write() || y.is_write())
            && (x.is_plain() || y.is_plain())
            && !self.have_a_mutex_in_common(forest, a, b)
            && !self.precedes(forest, a, b)
            && !self.precedes(forest, b, a)
    }

    /// Whether one mutex is held at both.
    pub fn have_a_mutex_in_common(&self, forest: &Forest, a: EventId, b: EventId) -> bool {
        let held: Vec<Option<u64>> = self.sections[a.0 as usize].iter().map(|&s| mutex(forest, s)).collect();
        self.sections[b.0 as usize].iter().any(|&s| held.contains(&mutex(forest, s)))
    }
}

/// `None`: the one that all atomic sections have in common.
fn mutex(forest: &Forest, section: EventId) -> Option<u64> {
    match forest.event(section).kind {
        EventKind::Lock { mutex, .. } => Some(mutex),
        _ => None,
    }
}
