//! Counters: a location that is only ever set to constants and added to holds no more than the constants and what the
//! executed additions come to.
//!
//! That follows from the rest of the encoding, but a solver without arithmetic of its own has to try all orders of the
//! additions to see it: a value is a constant plus the additions on one chain of reads and writes, no addition is on a
//! chain twice, and how many there are is a matter of counting. So it is said outright, in unary, as long as the numbers
//! are small, and all additions go the same way: of what goes up and down, a bound on all of it says little. Where the
//! highest constant is not written, the next one counts: that is said too, of reads that decide something.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Forest, NodeEnd, Subject};
use ordain_expr::op::{BinOp, Pred, signed};
use ordain_expr::{Node, Term};
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::{FxHashMap, FxHashSet};

/// Additions to one location may come to this much; more would take too many literals.
const MOST: i64 = 24;
/// What a counter of more additions may come to is said only of reads that decide something (those that are added to are as
/// many as the additions), as long as these are no more comparisons.
const MOST_COMPARISONS: usize = 1024;
/// How many of the highest constants are looked at: more would mostly be of no use.
const MOST_LEVELS: usize = 3;
/// Constants are smaller than this, so that nothing overflows.
const LARGEST: i64 = 1 << 20;

/// A location: address and bytes.
type Location = (u64, u8);

/// What is written to a location.
#[derive(Default)]
struct Counter {
    lowest: i64,
    highest: i64,
    /// Under which literal which constant is written, what the location holds at first included.
    constants: Vec<(Lit, i64)>,
    /// Under which literal how much is added.
    additions: Vec<(Lit, i64)>,
    /// What is read, and under which literal.
    reads: Vec<(Lit, Term)>,
}

/// Values that some decision depends on.
fn deciding(forest: &Forest) -> FxHashSet<Term> {
    let decided = forest.nodes.iter().filter_map(|node| match &node.end {
        NodeEnd::Decision(d) => match d.on {
            Subject::Condition(t) | Subject::Value(t) => Some(t),
            Subject::Switch { value, .. } => Some(value),
            Subject::Pointer { address, .. } => Some(address),
            Subject::TryLock { .. } => None,
        },
        _ => None,
    });
    forest.terms.cone_until(&decided.collect::<Vec<_>>(), |_| false).into_iter().collect()
}

impl Counter {
    /// Whether no chain of additions leaves the signed numbers of this width.
    fn stays_within(&self, width: u8) -> bool {
        let sum = |sign: i64| self.additions.iter().map(|&(_, by)| by).filter(|by| by * sign > 0).sum::<i64>();
        let limit = 1 << (width - 1);
        -limit <= self.lowest + sum(-1) && self.highest + sum(1) < limit
    }

    /// The additions that go up (or down), each as often as it adds one.
    fn steps(&self, up: bool) -> Vec<Lit> {
        let steps = self.additions.iter().filter(|(_, by)| (*by > 0) == up);
        steps.flat_map(|&(lit, by)| std::iter::repeat_n(lit, by.unsigned_abs() as usize)).collect()
    }

    /// The highest constants (or the lowest ones), highest first, each with the literals one of which holds if a higher one is
    /// written.
    fn levels(&self, up: bool) -> Vec<(i64, Vec<Lit>)> {
        let mut constants: Vec<i64> = self.constants.iter().map(|&(_, constant)| constant).collect();
        constants.sort_by_key(|&constant| if up { -constant } else { constant });
        constants.dedup();
        let is_beyond = |constant: i64, level: i64| if up { constant > level } else { constant < level };
        let levels = constants.into_iter().take(MOST_LEVELS).map(|level| {
            let beyond = self.constants.iter().filter(|&&(_, constant)| is_beyond(constant, level));
            (level, beyond.map(|&(lit, _)| lit).collect())
        });
        levels.collect()
    }

    fn goes_one_way(&self) -> bool {
        self.additions.iter().all(|&(_, by)| by > 0) || self.additions.iter().all(|&(_, by)| by < 0)
    }
}

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn encode_counters(&mut self, forest: &mut Forest) {
        let mut counters: Vec<(Location, Counter)> = self.find_counters(forest).into_iter().collect();
        counters.sort_by_key(|(location, _)| *location);
        let deciding = deciding(forest);
        for (_, mut counter) in counters {
            let total: i64 = counter.additions.iter().map(|(_, by)| by.abs()).sum();
            let decide = |(_, value): &(Lit, Term)| deciding.contains(value);
            if total > MOST {
                counter.reads.retain(decide);
            }
            let decides: Vec<(Lit, Term)> = counter.reads.iter().copied().filter(decide).collect();
            let few = |levels: usize| decides.len() * levels * total as usize <= MOST_COMPARISONS;
            if total > MOST && !few(1) {
                continue;
            }
            for up in [true, false] {
                let steps = counter.steps(up);
                if steps.is_empty() || counter.reads.is_empty() {
                    continue;
                }
                let at_least = self.count(&steps);
                for (i, (level, beyond)) in counter.levels(up).into_iter().enumerate() {
                    match i {
                        0 => self.bound(forest, &counter.reads, up, level, &at_least, &beyond),
                        _ if few(i + 1) => self.bound(forest, &decides, up, level, &at_least, &beyond),
                        _ => break,
                    }
                }
            }
        }
    }

    fn find_counters(&self, forest: &Forest) -> FxHashMap<Location, Counter> {
        let mut counters: FxHashMap<Location, Option<Counter>> = FxHashMap::default();
        for e in forest.event_ids() {
            let Some((address, size)) = forest.event(e).kind.access() else { continue };
            let Some(at) = forest.terms.as_const(address.term).filter(|_| size <= 4) else {
                // It may be anywhere in its object.
                counters
                    .iter_mut()
                    .filter(|((a, _), _)| is_in(forest, address.object, *a))
                    .for_each(|(_, c)| *c = None);
                counters.insert((address.object, u8::MAX), None);
                continue;
            };
            let counter = counters.entry((at, size)).or_insert_with(|| initial(forest, address.object, at, size));
            if let Some(known) = counter
                && !self.note(forest, known, e, (at, size))
            {
                *counter = None;
            }
        }
        let disturbed: Vec<Location> = counters.iter().filter(|(_, c)| c.is_none()).map(|(l, _)| *l).collect();
        let all: Vec<Location> = counters.keys().copied().collect();
        let overlaps = |&(a, n): &Location, &(b, m): &Location| {
            (a, n) != (b, m) && a < b.saturating_add(u64::from(m)) && b < a.saturating_add(u64::from(n))
        };
        let anywhere =
            |&(a, _): &Location| disturbed.iter().any(|&(object, size)| size == u8::MAX && is_in(forest, object, a));
        let is_alone = |l: &Location| !anywhere(l) && !all.iter().any(|m| m.1 != u8::MAX && overlaps(l, m));
        let kept = counters.into_iter().filter_map(|(l, c)| Some((l, c?)));
        kept.filter(|(l, c)| is_alone(l) && c.goes_one_way() && c.stays_within(8 * l.1)).collect()
    }

    /// Takes an access into account; says whether it is one that a counter may have.
    fn note(&self, forest: &Forest, counter: &mut Counter, e: EventId, location: Location) -> bool {
        match forest.event(e).kind {
            EventKind::Read { value, .. } => counter.reads.push((self.active(e), value)),
            EventKind::Rmw { old, new, .. } => {
                counter.reads.push((self.active(e), old));
                return self.note_written(forest, counter, e, new, location);
            }
            EventKind::Write { value, .. } => return self.note_written(forest, counter, e, value, location),
            _ => {}
        }
        true
    }

    fn note_written(&self, forest: &Forest, counter: &mut Counter, w: EventId, value: Term, at: Location) -> bool {
        let width = forest.terms.width(value);
        if let Some(constant) = forest.terms.as_const(value).map(|c| signed(width, c)) {
            counter.constants.push((self.writing(w), constant));
            counter.lowest = counter.lowest.min(constant);
            counter.highest = counter.highest.max(constant);
            return constant.abs() < LARGEST;
        }
        let Some(by) = added(forest, w, value, at) else { return false };
        if seeded(Fault::AdditionNotCounted) && !counter.additions.is_empty() {
            return true;
        }
        counter.additions.push((self.writing(w), by));
        by.abs() <= MOST
    }

    /// Every value read is at most a constant plus all additions that take place, or at least that, unless a constant beyond
    /// it is written.
    fn bound(
        &mut self,
        forest: &mut Forest,
        reads: &[(Lit, Term)],
        up: bool,
        extreme: i64,
        at_least: &[Lit],
        unless: &[Lit],
    ) {
        let sign = if up { 1 } else { -1 };
        for &(active, value) in reads {
            let width = forest.terms.width(value);
            for (taken, &needed) in at_least.iter().enumerate().map(|(i, lit)| (i as i64 + 1, lit)) {
                let limit = forest.terms.constant(width, (extreme + sign * taken) as u64 & mask(width));
                let pair = if up { (limit, value) } else { (value, limit) };
                let beyond = forest.terms.cmp(Pred::Sle, pair.0, pair.1);
                let beyond = self.term(forest, beyond);
                let reasons: Vec<Lit> = unless.iter().copied().chain([needed]).collect();
                self.imply_any(&[active, beyond], &reasons);
            }
            let most = forest.terms.constant(width, (extreme + sign * at_least.len() as i64) as u64 & mask(width));
            let pair = if up { (value, most) } else { (most, value) };
            let within = forest.terms.cmp(Pred::Sle, pair.0, pair.1);
            let within = self.term(forest, within);
            let reasons: Vec<Lit> = unless.iter().copied().chain([within]).collect();
            self.imply_any(&[active], &reasons);
        }
    }

    /// Literals of which the nth, if true, says that more than n of the given ones are.
    fn count(&mut self, lits: &[Lit]) -> Vec<Lit> {
        let [left, right] = match lits {
            [] | [_] => return lits.to_vec(),
            _ => <[&[Lit]; 2]>::from(lits.split_at(lits.len() / 2)).map(|half| self.count(half)),
        };
        let sum: Vec<Lit> = (0..lits.len()).map(|_| self.solver.new_lit()).collect();
        // If at most i on the left and at most k on the right are true, no more than i + k are.
        for i in 0..=left.len() {
            for k in 0..=right.len() {
                if let Some(&more) = sum.get(i + k) {
                    let others = [left.get(i), right.get(k)].into_iter().flatten().copied();
                    let clause: Vec<Lit> = others.chain([!more]).collect();
                    self.solver.add_clause(&clause);
                }
            }
        }
        sum
    }
}

fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - width)
}

fn is_in(forest: &Forest, object: u64, address: u64) -> bool {
    forest.objects.get(&object).is_some_and(|o| (object..object + o.size).contains(&address))
}

/// What the location holds at first, if that is a number.
fn initial(forest: &Forest, object: u64, at: u64, size: u8) -> Option<Counter> {
    let number = forest.objects.get(&object)?.contents.number((at - object) as usize, size)?;
    let start = signed(8 * size, number);
    (start.abs() < LARGEST).then(|| Counter {
        lowest: start,
        highest: start,
        constants: vec![(Lit::TRUE, start)],
        ..Counter::default()
    })
}

/// What is added, if the value is that of an earlier read of the location plus a constant.
fn added(forest: &Forest, w: EventId, value: Term, at: Location) -> Option<i64> {
    let Node::Bin(BinOp::Add, a, b) = forest.terms.node(value) else { return None };
    let (read, by) = match (forest.terms.as_const(a), forest.terms.as_const(b)) {
        (None, Some(by)) => (a, by),
        (Some(by), None) => (b, by),
        _ => return None,
    };
    let is_there = |reader: EventId| match forest.event(reader).kind.access() {
        Some((address, size)) => forest.terms.as_const(address.term) == Some(at.0) && size == at.1,
        None => false,
    };
    let readers = forest.bound_before(forest.terms.symbol_id(read)?, w);
    (!readers.is_empty() && readers.into_iter().all(is_there)).then(|| signed(forest.terms.width(value), by))
}
