//! What could go wrong somewhere: the instances that the filter comes upon, put together by source lines. Of each candidate the shortest
//! stretches of the run that have an instance are kept, since how long they are is what it costs to ask about one.

use ordain_ir::program::{Location, Program};
use rustc_hash::FxHashMap;

/// Stretches that are kept of each candidate.
const MOST_SPANS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Kind {
    /// Two accesses.
    Race,
    /// A use, and the end of what is used.
    Lifetime,
    /// Where threads wait for mutexes in a circle; or where one gets hold of a mutex that it keeps, and where another waits for that.
    Locks,
    /// Where a thread waits for something else than a mutex.
    Wait,
    /// The first access, the one that comes between, the second.
    Atomicity,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Race => "race",
            Kind::Lifetime => "lifetime",
            Kind::Locks => "locks",
            Kind::Wait => "wait",
            Kind::Atomicity => "atomicity",
        }
    }
}

/// Events of an instance that are known one by one.
pub const MOST_EVENTS: usize = 3;

/// A stretch of the run that has an instance, from its first event to its last.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Span {
    pub first: u64,
    pub last: u64,
    /// Where the events are, in the order of the candidate's places; 0 where there are no more. None, if it takes more than events to say
    /// what the instance is.
    pub events: [u64; MOST_EVENTS],
}

impl Span {
    /// That of these events.
    pub(crate) fn of(at: &[u64]) -> Span {
        let mut events = [0; MOST_EVENTS];
        if at.len() <= MOST_EVENTS {
            events[..at.len()].copy_from_slice(at);
        }
        Span { events, ..Span::around(at) }
    }

    /// One of which only the stretch is known.
    pub(crate) fn around(at: &[u64]) -> Span {
        let first = at.iter().copied().min().unwrap_or_default();
        Span { first, last: at.iter().copied().max().unwrap_or(first), events: [0; MOST_EVENTS] }
    }

    fn length(self) -> u64 {
        self.last - self.first
    }
}

/// Something that may go wrong in another order of the run's events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub kind: Kind,
    /// In the user's code; what they are depends on the kind. Columns are those of the first instance.
    pub places: Vec<Location>,
    /// The shortest stretches of the run with an instance, shortest first.
    pub spans: Vec<Span>,
    /// How many instances were come upon, which may be fewer than there are.
    pub instances: u64,
}

impl Candidate {
    pub fn in_words(&self, program: &Program) -> String {
        let place = |at: &Location| format!("{}:{}", program.files[at.file as usize], at.line);
        let places: Vec<String> = self.places.iter().map(place).collect();
        format!("{}: {} ({} times)", self.kind.name(), places.join(", "), self.instances)
    }
}

/// Source lines by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    locations: Vec<Location>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// The numbers of a few lines, by their low bits: most events are at lines that others were at a moment ago.
    recent: Vec<((u32, u32), u32)>,
}

const RECENT: usize = 256;

impl Places {
    #[inline]
    pub fn number(&mut self, location: Location) -> u32 {
        let line = (location.file, location.line);
        let at = (location.line as usize ^ (location.file as usize) << 4) % RECENT;
        match self.recent.get(at) {
            Some((known, number)) if *known == line => *number,
            _ => self.look_up(line, location, at),
        }
    }

    fn look_up(&mut self, line: (u32, u32), location: Location, at: usize) -> u32 {
        let next = self.locations.len() as u32;
        let number = *self.numbers.entry(line).or_insert(next);
        if number == next {
            self.locations.push(location);
        }
        self.recent.resize(RECENT, ((u32::MAX, u32::MAX), 0));
        self.recent[at] = (line, number);
        number
    }
}

#[derive(Clone, Debug)]
struct Found {
    kind: Kind,
    places: Vec<u32>,
    spans: Vec<Span>,
    instances: u64,
}

impl Found {
    fn add(&mut self, span: Span) {
        self.instances += 1;
        let at = self.spans.partition_point(|other| other.length() <= span.length());
        if at < MOST_SPANS && !self.spans[..at].contains(&span) {
            self.spans.truncate(MOST_SPANS - 1);
            self.spans.insert(at, span);
        }
    }
}

/// Everything that was found so far. What has three places at most is looked up by them.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    found: Vec<Found>,
    short: FxHashMap<(Kind, [u32; 3]), usize>,
    long: FxHashMap<Vec<u32>, usize>,
    /// By place, what was found of kind `Wait`: that is as frequent as atomic accesses.
    waits: Vec<Option<usize>>,
}

impl Findings {
    pub fn add(&mut self, kind: Kind, places: &[u32], span: Span) {
        let next = self.found.len();
        let at = match *places {
            [a] => *self.short.entry((kind, [a, u32::MAX, u32::MAX])).or_insert(next),
            [a, b] => *self.short.entry((kind, [a, b, u32::MAX])).or_insert(next),
            [a, b, c] => *self.short.entry((kind, [a, b, c])).or_insert(next),
            _ => match self.long.get(places) {
                Some(&known) => known,
                None => *self.long.entry(places.to_vec()).or_insert(next),
            },
        };
        if at == next {
            let spans = Vec::with_capacity(MOST_SPANS);
            self.found.push(Found { kind, places: places.to_vec(), spans, instances: 0 });
        }
        self.found[at].add(span);
    }

    /// A thread may wait at a place.
    #[inline]
    pub fn wait(&mut self, place: u32, at: u64) {
        let span = Span::of(&[at]);
        match self.waits.get(place as usize) {
            Some(&Some(known)) if self.found[known].spans.len() == MOST_SPANS => self.found[known].instances += 1,
            Some(&Some(known)) => self.found[known].add(span),
            _ => {
                if self.waits.len() <= place as usize {
                    self.waits.resize(place as usize + 1, None);
                }
                self.waits[place as usize] = Some(self.found.len());
                self.add(Kind::Wait, &[place], span);
            }
        }
    }

    pub fn finish(self, places: &Places) -> Vec<Candidate> {
        let location = |place: &u32| places.locations[*place as usize];
        let candidate = |Found { kind, places, spans, instances }: Found| Candidate {
            kind,
            places: places.iter().map(location).collect(),
            spans,
            instances,
        };
        let mut candidates: Vec<_> = self.found.into_iter().map(candidate).collect();
        candidates.sort_by(|a, b| (a.kind, &a.places).cmp(&(b.kind, &b.places)));
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_stretches_are_kept() {
        let mut findings = Findings::default();
        let mut places = Places::default();
        let place = places.number(Location { file: 0, line: 7, column: 1 });
        assert_eq!(place, places.number(Location { file: 0, line: 7, column: 5 }));
        for nth in 1..20 {
            findings.add(Kind::Race, &[place, place], Span::of(&[100 - nth, 100]));
            findings.add(Kind::Race, &[place, place], Span::of(&[0, 1]));
        }
        let [candidate] = &findings.finish(&places)[..] else { panic!("one candidate") };
        assert_eq!(candidate.instances, 38);
        assert_eq!(candidate.spans.len(), MOST_SPANS);
        assert!(candidate.spans.iter().all(|span| span.length() < 8));
        assert_eq!(candidate.spans.iter().filter(|span| span.first == 0).count(), 1);
    }
}
