//! Threads that wait for mutexes in a circle. Whenever a thread that holds a mutex locks another, that is an *edge* from the one to the other;
//! what could deadlock is a circle of edges of different threads, no two of which hold a common mutex, or are ordered. Edges that
//! are alike are one, with a few of the times it happened.

use super::candidates::{Findings, Kind, Span};
use super::clocks::{Clocks, Moment};
use super::locks::{Held, Set, Sets};
use ordain_model::faults::{Fault, seeded};
use rustc_hash::FxHashMap;

/// The longest circle that is looked for.
const LONGEST: usize = 8;
/// How many edges are tried for all circles of one length, before the rest of them is given up.
const MOST_STEPS: u64 = 4_000_000;
/// How many of the first times, and as many of the last, are kept of an edge.
const TIMES: usize = 4;

/// A thread holds a mutex and locks another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Class {
    from: u32,
    to: u32,
    place: u32,
    set: Set,
    moment: Moment,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    class: Class,
    first: [u64; TIMES],
    last: [u64; TIMES],
    count: u64,
}

impl Edge {
    fn times(&self) -> impl Iterator<Item = u64> + '_ {
        let kept = (self.count as usize).min(TIMES);
        self.first[..kept].iter().chain(&self.last[..kept]).copied()
    }

    /// The time it happened that is next to `at`.
    fn nearest(&self, at: u64) -> u64 {
        self.times().min_by_key(|time| time.abs_diff(at)).unwrap_or(at)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Cycles {
    edges: Vec<Edge>,
    numbers: FxHashMap<Class, u32>,
}

/// What tells whether two edges exclude each other.
pub(super) struct With<'a> {
    pub clocks: &'a Clocks,
    pub sets: &'a Sets,
    pub findings: &'a mut Findings,
}

impl Cycles {
    /// A thread waits for `mutex`, holding all these, of which `set` are sure.
    pub fn lock(&mut self, mutex: u32, held: &[Held], set: Set, place: u32, moment: Moment, at: u64) {
        for Held { mutex: from, .. } in held {
            let class = Class { from: *from, to: mutex, place, set, moment };
            let next = self.edges.len() as u32;
            let number = *self.numbers.entry(class).or_insert(next) as usize;
            if number == next as usize {
                self.edges.push(Edge { class, first: [at; TIMES], last: [at; TIMES], count: 0 });
            }
            let edge = &mut self.edges[number];
            if (edge.count as usize) < TIMES {
                edge.first[edge.count as usize] = at;
            }
            edge.last[edge.count as usize % TIMES] = at;
            edge.count += 1;
        }
    }

    /// Looks for circles. Returns how many lengths there are of which not all were looked at.
    pub fn find(self, with: &mut With<'_>) -> u64 {
        let edges = on_circles(self.edges);
        let mut from: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (nth, edge) in edges.iter().enumerate() {
            from.entry(edge.class.from).or_default().push(nth);
        }
        let mut given_up = 0;
        for length in 2..=LONGEST {
            let mut search = Search { edges: &edges, from: &from, length, path: Vec::new(), steps: MOST_STEPS };
            for start in 0..edges.len() {
                search.path = vec![start];
                search.go_on(with);
            }
            given_up += u64::from(search.steps == 0);
        }
        given_up
    }
}

/// The edges that lead from mutexes that edges lead to, and the other way round: those of circles, and some between them.
fn on_circles(mut edges: Vec<Edge>) -> Vec<Edge> {
    loop {
        let mut degrees: FxHashMap<u32, (bool, bool)> = FxHashMap::default();
        for Edge { class, .. } in &edges {
            degrees.entry(class.from).or_default().0 = true;
            degrees.entry(class.to).or_default().1 = true;
        }
        let before = edges.len();
        edges.retain(|Edge { class, .. }| degrees[&class.from].1 && degrees[&class.to].0);
        if edges.len() == before {
            return edges;
        }
    }
}

struct Search<'a> {
    edges: &'a [Edge],
    from: &'a FxHashMap<u32, Vec<usize>>,
    length: usize,
    path: Vec<usize>,
    steps: u64,
}

impl Search<'_> {
    /// Adds edges to the path, until there are as many as asked for and they lead back. The first mutex of a circle is its least.
    fn go_on(&mut self, with: &mut With<'_>) {
        let (first, last) = (&self.edges[self.path[0]].class, &self.edges[self.path[self.path.len() - 1]].class);
        if self.path.len() == self.length {
            if last.to == first.from {
                self.found(with);
            }
            return;
        }
        let least = first.from;
        for &next in self.from.get(&last.to).map_or(&[][..], |next| next) {
            if self.steps == 0 {
                return;
            }
            self.steps -= 1;
            let class = &self.edges[next].class;
            let fits = |&nth: &usize| {
                let other = &self.edges[nth].class;
                other.from != class.from && are_together(with, other, class)
            };
            if class.from > least && self.path.iter().all(fits) {
                self.path.push(next);
                self.go_on(with);
                self.path.pop();
            }
        }
    }

    fn found(&self, with: &mut With<'_>) {
        let edges: Vec<&Edge> = self.path.iter().map(|&nth| &self.edges[nth]).collect();
        let mut places: Vec<u32> = edges.iter().map(|edge| edge.class.place).collect();
        // Circles over the same lines are one, wherever they begin.
        let begin = (0..places.len()).min_by_key(|&at| [&places[at..], &places[..at]].concat()).unwrap_or(0);
        places.rotate_left(begin);
        for at in edges[0].times() {
            let mut times: Vec<u64> = edges.iter().map(|edge| edge.nearest(at)).collect();
            times.rotate_left(begin);
            with.findings.add(Kind::Locks, &places, Span::of(&times));
        }
    }
}

/// Whether two threads may wait like this at the same time.
fn are_together(with: &With<'_>, a: &Class, b: &Class) -> bool {
    let ordered = with.clocks.before(a.moment, b.moment) || with.clocks.before(b.moment, a.moment);
    let shut_out = if seeded(Fault::AnyGate) { a.set != b.set } else { with.sets.meet(a.set, b.set) };
    a.moment.thread != b.moment.thread && !ordered && !shut_out
}
