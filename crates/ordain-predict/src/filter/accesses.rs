//! Accesses that may race, that may come between two others, or that may come after the end of what they access.
//!
//! Of every word of memory, and of every thread, the last access of each class is kept: by line, mutexes, kind and bytes; and so of the
//! pairs of accesses of a thread that follow each other. Of a class the last one is enough: what comes before that in every order comes after
//! the earlier ones too. An access is held against what others have left there. Whether something is found depends on classes and segments
//! alone, so where nothing is new about these, it is looked at again only now and then, to find shorter stretches.

use super::candidates::{Findings, Kind, Span};
use super::clocks::{Clocks, Moment};
use super::locks::{Holder, Set, Sets};
use super::word::{Last, Word, make_room};
use crate::words::{Words, parts};
use ordain_model::faults::{Fault, seeded};

/// What an access is: any of these.
pub(super) const WRITE: u8 = 1;
pub(super) const ATOMIC: u8 = 2;
/// In the user's own code.
pub(super) const OWN: u8 = 4;
/// No access, but some other use.
pub(super) const USE: u8 = 8;
/// A use as a mutex that is waited for.
pub(super) const LOCK: u8 = 16;

/// Classes of accesses, and of pairs of them, that are kept of a word: of one thread, and of all.
const MOST_ACCESSES: [usize; 2] = [12, 64];
const MOST_PAIRS: [usize; 2] = [24, 96];
/// How often something is looked at again for shorter stretches only: each time at first, then once in a while.
const KEEN_TURNS: u32 = 64;
const TURNS_BETWEEN: u32 = 16;

/// What a thread did last, of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub at: u64,
    pub moment: Moment,
    pub place: u32,
    set: Set,
    mask: u8,
    pub kind: u8,
    seen: Seen,
}

/// Up to where something was compared with what others have left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Seen {
    structure: u32,
    turn: u32,
}

/// Two accesses of a thread, the last of their class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    first_at: u64,
    second_at: u64,
    first: Moment,
    second: Moment,
    class: PairClass,
    seen: Seen,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PairClass {
    thread: u16,
    first: u32,
    second: u32,
    /// Mutexes that are held from the first to the second.
    set: Set,
    masks: [u8; 2],
    /// Nothing of the thread's comes between them; or else, only reads do and both write.
    adjacent: bool,
    both_write: bool,
}

/// An access to one word, or another use of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub at: u64,
    pub moment: Moment,
    pub place: u32,
    pub kind: u8,
}

/// What an access is looked at with.
pub(super) struct With<'a> {
    pub clocks: &'a Clocks,
    pub sets: &'a Sets,
    pub holder: &'a Holder,
    pub findings: &'a mut Findings,
    /// Classes that did not fit, of memory that is gone.
    pub dropped: &'a mut u64,
}

/// Enters an access to `size` bytes at `address`.
#[inline]
pub(super) fn enter(words: &mut Words<Word>, with: &mut With<'_>, access: Access, address: u64, size: u64) {
    for (number, mask) in parts(address, size) {
        enter_word(words.word(number), with, access, mask);
    }
}

#[inline]
fn enter_word(word: &mut Word, with: &mut With<'_>, access: Access, mask: u8) {
    let Access { at, moment, place, kind } = access;
    let version = if seeded(Fault::SameWhateverHeld) { 0 } else { with.holder.version };
    let last = Last { thread: moment.thread, kind, mask, place, version };
    // Nobody else has come since, and this thread has come like this twice: there is nothing new.
    if word.last == Some(last)
        && let [entry, ..] = &mut word.entries[..]
        && entry.moment == moment
        && word.repeated
    {
        entry.at = at;
        return;
    }
    if word.last.is_some_and(|last| last.thread != moment.thread) {
        word.turn = word.turn.wrapping_add(1);
    }
    word.is_shared |= *word.first.get_or_insert(moment.thread) != moment.thread;
    word.repeated = word.last == Some(last);
    word.last = Some(last);
    if kind & (OWN | USE) == OWN {
        enter_pairs(word, with, access, mask);
    }
    enter_entry(word, with, access, mask);
}

/// The pairs that the access is the second of.
fn enter_pairs(word: &mut Word, with: &mut With<'_>, access: Access, mask: u8) {
    let thread = access.moment.thread;
    let is_own = |e: &Entry| e.moment.thread == thread && e.kind & (OWN | USE) == OWN && e.mask & mask != 0;
    let mut own = [None; MOST_ACCESSES[0]];
    own.iter_mut().zip(word.entries.iter().filter(|e| is_own(e))).for_each(|(own, entry)| *own = Some(*entry));
    let own = || own.iter().map_while(|entry| entry.as_ref());
    for first in own() {
        let later = || own().filter(|e| e.mask == first.mask && e.at > first.at);
        let adjacent = later().next().is_none();
        let writes = first.kind & access.kind & WRITE != 0;
        let both_write = writes && (adjacent || later().all(|e| e.kind & WRITE == 0));
        if adjacent || both_write {
            let set = with.holder.set_since(first.at);
            let masks = [first.mask, mask];
            let class =
                PairClass { thread, first: first.place, second: access.place, set, masks, adjacent, both_write };
            enter_pair(word, with, class, (first.at, first.moment), access);
        }
    }
}

fn enter_pair(word: &mut Word, with: &mut With<'_>, class: PairClass, first: (u64, Moment), access: Access) {
    let seen = Seen { structure: word.structure, turn: word.turn };
    let pair = Pair { first_at: first.0, second_at: access.at, first: first.1, second: access.moment, class, seen };
    let known = word.pairs.iter().position(|other| other.class == class);
    let is_news = known.is_none_or(|nth| {
        let old = &word.pairs[nth];
        is_due(old.seen, seen) || (old.first, old.second) != (pair.first, pair.second)
    });
    match known {
        Some(nth) => {
            word.structure += u32::from(word.pairs[nth].second != pair.second);
            word.pairs[nth] = Pair { seen: if is_news { seen } else { word.pairs[nth].seen }, ..pair };
        }
        None => {
            let of = |p: &Pair| (p.class.thread == class.thread, p.second_at);
            if !make_room(&mut word.pairs, MOST_PAIRS, of, &mut word.dropped) {
                return;
            }
            word.structure += 1;
            word.pairs.push(pair);
        }
    }
    if is_news {
        for remote in &word.entries {
            if with.splits(&pair, remote.moment, remote.kind, remote.mask, remote.set)
                && !with.clocks.before(remote.moment, pair.first)
            {
                with.split(&pair, remote.place, remote.at);
            }
        }
    }
}

fn enter_entry(word: &mut Word, with: &mut With<'_>, access: Access, mask: u8) {
    let Access { at, moment, place, kind } = access;
    let set = with.holder.set();
    let class = |e: &Entry| (e.moment.thread, e.place, e.set, e.mask, e.kind);
    let known = word.entries.iter().position(|e| class(e) == (moment.thread, place, set, mask, kind));
    let mut entry = Entry { at, moment, place, set, mask, kind, seen: Seen { structure: 0, turn: 0 } };
    match known {
        Some(nth) => {
            entry.seen = word.entries[nth].seen;
            word.structure += u32::from(word.entries[nth].moment != moment);
            word.entries.swap(0, nth);
        }
        None => {
            let of = |e: &Entry| (e.moment.thread == moment.thread, e.at);
            if !make_room(&mut word.entries, MOST_ACCESSES, of, &mut word.dropped) {
                word.last = None;
                return;
            }
            word.structure += 1;
            word.entries.push(entry);
            let last = word.entries.len() - 1;
            word.entries.swap(0, last);
        }
    }
    let seen = Seen { structure: word.structure, turn: word.turn };
    let is_news = known.is_none() || is_due(entry.seen, seen);
    if is_news {
        entry.seen = seen;
    }
    word.entries[0] = entry;
    if !is_news || kind & USE != 0 {
        return;
    }
    for other in &word.entries[1..] {
        if with.races(other, &entry) {
            let places = [other.place.min(place), other.place.max(place)];
            with.findings.add(Kind::Race, &places, Span::of(&[other.at, at]));
        }
    }
    for pair in &word.pairs {
        if with.splits(pair, moment, kind, mask, set) && !with.clocks.before(pair.second, moment) {
            with.split(pair, place, at);
        }
    }
}

/// Whether there is something new to compare with, or it is time to look for shorter stretches.
fn is_due(seen: Seen, now: Seen) -> bool {
    seen.structure != now.structure
        || (seen.turn != now.turn && (now.turn < KEEN_TURNS || now.turn.wrapping_sub(seen.turn) >= TURNS_BETWEEN))
}

impl With<'_> {
    fn races(&self, earlier: &Entry, later: &Entry) -> bool {
        earlier.moment.thread != later.moment.thread
            && (earlier.kind | later.kind) & WRITE != 0
            && earlier.kind & later.kind & ATOMIC == 0
            && earlier.kind & USE == 0
            && earlier.mask & later.mask != 0
            && !self.sets.meet(earlier.set, later.set)
            && !self.clocks.before(earlier.moment, later.moment)
    }

    /// Whether an access of another thread, of which nothing is known but what it is, may come between.
    fn splits(&self, pair: &Pair, remote: Moment, kind: u8, mask: u8, set: Set) -> bool {
        let PairClass { thread, masks, adjacent, both_write, .. } = pair.class;
        thread != remote.thread
            && kind & (OWN | USE) == OWN
            && (if kind & WRITE != 0 { adjacent } else { both_write })
            && masks.iter().all(|own| own & mask != 0)
            && !self.sets.meet(pair.class.set, set)
    }

    fn split(&mut self, pair: &Pair, remote: u32, at: u64) {
        let span = Span::of(&[pair.first_at, at, pair.second_at]);
        self.findings.add(Kind::Atomicity, &[pair.class.first, remote, pair.class.second], span);
    }
}

/// An object ends: what others did to it may come after that in another order. That both hold a mutex is no help.
pub(super) fn free(words: &mut Words<Word>, with: &mut With<'_>, access: Access, base: u64) {
    let Access { at, moment, place, .. } = access;
    words.free(base, |word| {
        for entry in &word.entries {
            let is_other = entry.moment.thread != moment.thread && !with.clocks.before(entry.moment, moment);
            if is_other && !seeded(Fault::FreeUnnoticed) {
                with.findings.add(Kind::Lifetime, &[entry.place, place], Span::of(&[entry.at, at]));
            }
        }
        *with.dropped += word.missing();
        word.clear();
    });
}
