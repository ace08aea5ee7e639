//! Memory: which write a read takes its value from, and in which order writes reach a location.
//!
//! Memory is cut into cells, per object as large as all accesses to it allow, so that every access is a whole number of
//! cells. A read has one reads-from choice per cell. From-reads are left to the solver.

use super::Encoding;
use crate::event::{Address, EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Contents, Forest};
use crate::witness::MemoryModel;
use ordain_expr::Term;
use ordain_expr::op::BinOp;
use ordain_solve::order::{About, CellId, Lit, OrderSolver, Way, WriteId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Where a cell of a read may take its value from.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub lit: Lit,
    /// `None`: the initial contents.
    pub write: Option<EventId>,
}

/// One cell of a read event.
#[derive(Clone, Debug)]
pub struct ReadCell {
    pub sources: Vec<Source>,
    /// Writes that may change the cell, with the literal under which they do.
    pub hits: Vec<(EventId, Lit)>,
}

#[derive(Default)]
pub struct Memory {
    /// Bytes per cell, by object.
    cell_bytes: FxHashMap<u64, u8>,
    writes: FxHashMap<u64, Vec<EventId>>,
    write_ids: FxHashMap<EventId, WriteId>,
    initial: FxHashMap<u64, WriteId>,
    /// By write: the reads that its value depends on.
    computed_from: FxHashMap<EventId, Rc<[About]>>,
    pub cells: FxHashMap<EventId, Vec<ReadCell>>,
    /// The literal "first before second" of writes of different threads.
    pub write_order: FxHashMap<(EventId, EventId), Lit>,
}

/// How many pairs of a write and another access to the same place a forest has, which is what takes most of the room in an encoding.
pub fn conflicts(forest: &Forest) -> u64 {
    // By object and, if it is known, place in it: writes and reads.
    let mut places: FxHashMap<(u64, Option<u64>), (u64, u64)> = FxHashMap::default();
    for event in &forest.events {
        let Some((address, _)) = event.kind.access() else { continue };
        let place = places.entry((address.object, forest.terms.as_const(address.term))).or_default();
        place.0 += u64::from(event.kind.is_write());
        place.1 += u64::from(event.kind.is_read());
    }
    places.values().map(|(writes, reads)| writes * (writes / 2 + reads)).sum()
}

impl<S: OrderSolver> Encoding<S> {
    pub(super) fn encode_memory(&mut self, forest: &mut Forest) {
        self.choose_cells(forest);
        self.declare_writes(forest);
        let mut objects: Vec<u64> = self.memory.writes.keys().copied().collect();
        objects.sort();
        for object in objects {
            self.order_writes(forest, object);
        }
        for e in forest.event_ids() {
            if self.gives_up() {
                return;
            }
            if forest.event(e).kind.is_read() {
                self.encode_read(forest, e);
            }
        }
    }

    /// Advice for the solver: what nothing speaks against is to be as in this execution, whose events are given in their order.
    pub fn prefer(&mut self, order: &[EventId]) {
        let positions: FxHashMap<EventId, usize> = order.iter().zip(0..).map(|(&e, position)| (e, position)).collect();
        let is_before = |a: &EventId, b: &EventId| Some(positions.get(a)? < positions.get(b)?);
        let pairs = self.memory.write_order.iter().chain(&self.meetings.before);
        let mut phases: Vec<Lit> =
            pairs.filter_map(|((a, b), &lit)| Some(if is_before(a, b)? { lit } else { !lit })).collect();
        for (r, cells) in &self.memory.cells {
            let Some(read) = positions.get(r) else { continue };
            for Source { lit, write } in cells.iter().flat_map(|cell| &cell.sources) {
                let seen = cells.iter().flat_map(|cell| &cell.hits).filter_map(|(w, _)| positions.get(w));
                let last = seen.filter(|w| *w < read).max();
                let is_it = write.and_then(|w| positions.get(&w)) == last;
                phases.push(if is_it { *lit } else { !*lit });
            }
        }
        phases.into_iter().for_each(|lit| self.solver.set_phase(lit));
    }

    fn choose_cells(&mut self, forest: &Forest) {
        for event in &forest.events {
            let Some((address, size)) = event.kind.access() else { continue };
            let aligned = match forest.terms.as_const(address.term) {
                Some(a) => (a - address.object).trailing_zeros().min(3),
                None => u32::from(forest.terms.trailing_zero_bits(address.term)).min(3),
            };
            let bytes = self.memory.cell_bytes.entry(address.object).or_insert(8);
            *bytes = (*bytes).min(size).min(1 << aligned);
        }
    }

    fn declare_writes(&mut self, forest: &Forest) {
        for e in forest.event_ids() {
            let kind = &forest.event(e).kind;
            let Some((address, _)) = kind.access() else { continue };
            if !self.memory.initial.contains_key(&address.object) {
                let initial = self.solver.new_write(self.origin);
                self.memory.initial.insert(address.object, initial);
            }
            if kind.is_write() {
                let write = self.solver.new_write(self.moment(e));
                self.memory.write_ids.insert(e, write);
                self.memory.writes.entry(address.object).or_default().push(e);
            }
        }
    }

    fn order_writes(&mut self, forest: &mut Forest, object: u64) {
        let writes = self.memory.writes[&object].clone();
        for (i, &a) in writes.iter().enumerate() {
            if self.gives_up() {
                return;
            }
            self.solver.add_write_order(Lit::TRUE, self.memory.initial[&object], self.memory.write_ids[&a]);
            for &b in &writes[i + 1..] {
                self.order_two_writes(forest, a, b);
            }
        }
    }

    fn order_two_writes(&mut self, forest: &mut Forest, a: EventId, b: EventId) {
        let overlap = self.overlap(forest, a, b);
        if overlap == Lit::FALSE || forest.exclusive(a, b) {
            return;
        }
        let (wa, wb) = (self.memory.write_ids[&a], self.memory.write_ids[&b]);
        let conditions = [self.writing(a), self.writing(b), overlap];
        if forest.thread(a) == forest.thread(b) {
            let (first, second) = if forest.program_order(a, b) { (wa, wb) } else { (wb, wa) };
            if self.global(a) != self.global(b) && !seeded(Fault::OwnWritesUnordered) {
                let lit = if self.model == MemoryModel::Sc { Lit::TRUE } else { self.implied(&conditions) };
                self.solver.add_write_order(lit, first, second);
            }
        } else if self.model == MemoryModel::Sc {
            // All events are in one order anyway, so either way round costs nothing.
            let a_first = self.solver.new_lit();
            self.solver.add_write_order(a_first, wa, wb);
            if !seeded(Fault::WritesOrderedOneWay) {
                self.solver.add_write_order(!a_first, wb, wa);
            }
            if self.certain.precedes(forest, a, b) {
                self.imply_any(&conditions, &[a_first]);
            } else if self.certain.precedes(forest, b, a) {
                self.imply_any(&conditions, &[!a_first]);
            }
            // Thread by thread is an order that contradicts no program order: a good one to start from.
            self.solver.set_phase(a_first);
            self.memory.write_order.insert((a, b), a_first);
            self.memory.write_order.insert((b, a), !a_first);
        } else {
            let (a_first, b_first) = (self.solver.new_lit(), self.solver.new_lit());
            self.solver.add_write_order(a_first, wa, wb);
            self.solver.add_write_order(b_first, wb, wa);
            if !seeded(Fault::BufferedWritesUnordered) {
                self.imply_any(&conditions, &[a_first, b_first]);
            }
            self.memory.write_order.insert((a, b), a_first);
            self.memory.write_order.insert((b, a), b_first);
        }
    }

    /// Whether two accesses have a byte in common.
    pub(super) fn overlap(&mut self, forest: &mut Forest, a: EventId, b: EventId) -> Lit {
        let (Some((x, n)), Some((y, m))) = (forest.event(a).kind.access(), forest.event(b).kind.access()) else {
            return Lit::FALSE;
        };
        if x.object != y.object {
            return Lit::FALSE;
        }
        let bytes = self.memory.cell_bytes.get(&x.object).copied().unwrap_or(1);
        let mut meets = Vec::new();
        for i in 0..if seeded(Fault::FirstCellsOverlap) { 1 } else { n / bytes } {
            for j in 0..m / bytes {
                meets.push((i, j));
            }
        }
        let lits: Vec<Lit> = meets.iter().map(|&(i, j)| self.same_cell(forest, x, i, y, j, bytes)).collect();
        self.any(&lits)
    }

    pub(super) fn any(&mut self, lits: &[Lit]) -> Lit {
        let lits: Vec<Lit> = lits.iter().copied().filter(|&l| l != Lit::FALSE).collect();
        match lits[..] {
            [] => Lit::FALSE,
            [one] => one,
            _ if lits.contains(&Lit::TRUE) => Lit::TRUE,
            _ => {
                let none: Vec<Lit> = lits.iter().map(|&l| !l).collect();
                let mut all = none[0];
                for &l in &none[1..] {
                    all = self.and(all, l);
                }
                !all
            }
        }
    }

    /// Whether cell `i` of an access at `x` is cell `j` of one at `y`.
    fn same_cell(&mut self, forest: &mut Forest, x: Address, i: u8, y: Address, j: u8, bytes: u8) -> Lit {
        let (i, j) = (i as u64 * bytes as u64, j as u64 * bytes as u64);
        match (forest.terms.as_const(x.term), forest.terms.as_const(y.term)) {
            (Some(a), Some(b)) if a + i == b + j => Lit::TRUE,
            (Some(_), Some(_)) => Lit::FALSE,
            _ if x.term == y.term => {
                if i == j {
                    Lit::TRUE
                } else {
                    Lit::FALSE
                }
            }
            _ => {
                let (a, b) = (self.low_bits(forest, x, i), self.low_bits(forest, y, j));
                self.equal(forest, a, b)
            }
        }
    }

    /// As many bits of an address, moved on by `by`, as tell apart all addresses inside its object: an access that takes
    /// place is inside.
    fn low_bits(&self, forest: &mut Forest, address: Address, by: u64) -> Term {
        let size = forest.objects[&address.object].size;
        let bits = (64 - size.leading_zeros()).clamp(1, 64) as u8;
        let low = forest.terms.extract(address.term, 0, bits);
        let by = forest.terms.constant(bits, by & (u64::MAX >> (64 - bits)));
        forest.terms.bin(BinOp::Add, low, by)
    }

    fn encode_read(&mut self, forest: &mut Forest, r: EventId) {
        let (address, size, value) = match forest.event(r).kind {
            EventKind::Read { address, size, value, .. } => (address, size, value),
            EventKind::Rmw { address, size, old, .. } => (address, size, old),
            _ => unreachable!("only reads are encoded as such"),
        };
        let bytes = self.memory.cell_bytes[&address.object];
        let candidates = self.candidates(forest, r, address.object);
        let mut cells = Vec::new();
        for i in 0..size / bytes {
            let value = forest.terms.extract(value, 8 * bytes * i, 8 * bytes);
            let at = CellAt { address, index: i, bytes, value };
            cells.push(self.encode_cell(forest, r, at, &candidates));
        }
        self.memory.cells.insert(r, cells);
    }

    /// Writes that the read could see, apart from where they write.
    fn candidates(&self, forest: &Forest, r: EventId, object: u64) -> Vec<EventId> {
        let writes = self.memory.writes.get(&object).map_or(&[][..], |w| w);
        let possible = |w: EventId| w != r && !forest.exclusive(w, r) && !self.certain.precedes(forest, r, w);
        writes.iter().copied().filter(|&w| possible(w)).collect()
    }

    fn encode_cell(&mut self, forest: &mut Forest, r: EventId, at: CellAt, candidates: &[EventId]) -> ReadCell {
        let cell = self.solver.new_cell(self.moment(r));
        let mut read = ReadCell { sources: Vec::new(), hits: Vec::new() };
        let fills: Vec<EventId> = candidates.iter().copied().filter(|&w| fills(forest, w, &at)).collect();
        let shadow = self.certain.last_on_the_way(forest, &fills, r);
        if shadow.is_none() && !seeded(Fault::InitialNeverSeen) {
            let lit = self.solver.new_lit();
            self.solver.add_reads_from(lit, self.memory.initial[&at.address.object], cell, true);
            if !seeded(Fault::InitialValueFree) {
                self.read_initial(forest, lit, &at);
            }
            read.sources.push(Source { lit, write: None });
        }
        for &w in candidates {
            if shadow.is_some_and(|s| self.certain.precedes(forest, w, s)) {
                continue;
            }
            let visible =
                forest.thread(w) == forest.thread(r) || !self.certain.is_locked_away(forest, w, r, &fills, shadow);
            self.encode_source(forest, r, cell, &at, w, visible, &mut read);
        }
        self.state_later_hits(forest, r, cell, &at, &mut read);
        let sources: Vec<Lit> = read.sources.iter().map(|s| s.lit).collect();
        if !seeded(Fault::ReadFromNowhere) {
            self.imply_any(&[self.active(r)], &sources);
        }
        self.say_what_to_decide(forest, r, &read);
        self.keep_sections_atomic(forest, r, &read);
        read
    }

    /// A read that takes place is to be given a source. One that does not has none, so that nobody writes for it.
    fn say_what_to_decide(&mut self, forest: &Forest, r: EventId, read: &ReadCell) {
        let mut ways = Vec::new();
        // What is read was mostly written late.
        for source in read.sources.iter().rev() {
            let needs = source.write.map_or(Lit::TRUE, |w| self.writing(w));
            let then = source.write.map_or_else(Rc::default, |w| self.computed_from(forest, w));
            ways.push(Way { lit: source.lit, needs, then });
            self.imply(source.lit, self.active(r));
        }
        self.solver.add_choice(r.0, self.active(r), ways);
    }

    /// The reads that a written value depends on.
    fn computed_from(&mut self, forest: &Forest, w: EventId) -> Rc<[About]> {
        if let Some(known) = self.memory.computed_from.get(&w) {
            return Rc::clone(known);
        }
        let value = written(forest, w);
        let symbols = forest.terms.cone_until(&[value], |_| false);
        let symbols = symbols.into_iter().filter_map(|t| forest.terms.symbol_id(t));
        let reads = symbols.flat_map(|s| forest.bound_before(s, w)).map(|e| e.0);
        let reads: Rc<[About]> = reads.collect();
        self.memory.computed_from.insert(w, Rc::clone(&reads));
        reads
    }

    fn read_initial(&mut self, forest: &mut Forest, lit: Lit, at: &CellAt) {
        let object = &forest.objects[&at.address.object];
        let bits = 8 * at.bytes;
        if object.contents == Contents::Zero {
            let zero = forest.terms.constant(bits, 0);
            return self.imply_equal(forest, &[lit], at.value, zero);
        }
        let bytes = u64::from(at.bytes);
        // Objects may be large: of a place that is known, one number is enough.
        let cells = match forest.terms.as_const(at.address.term) {
            Some(address) => {
                let cell = (address - at.address.object) / bytes + u64::from(at.index);
                vec![cell * bytes]
            }
            None => object.cells(at.address.object, at.bytes),
        };
        let number = |from: u64| Some((from, object.contents.number(from as usize, at.bytes)?));
        for (from, number) in cells.into_iter().filter_map(number).collect::<Vec<_>>() {
            let here = at.place(forest.terms.constant(64, at.address.object + from));
            let same = self.same_cell(forest, at.address, at.index, here, 0, at.bytes);
            if same == Lit::FALSE {
                continue;
            }
            let initial = forest.terms.constant(bits, number);
            self.imply_equal(forest, &[lit, same], at.value, initial);
        }
    }

    #[expect(clippy::too_many_arguments)]
    fn encode_source(
        &mut self,
        forest: &mut Forest,
        r: EventId,
        cell: CellId,
        at: &CellAt,
        w: EventId,
        visible: bool,
        read: &mut ReadCell,
    ) {
        let meets = self.meets(forest, at, w);
        if meets.is_empty() {
            return;
        }
        let id = self.memory.write_ids[&w];
        let hit = self.hit(w, &meets);
        if self.global(w) != self.global(r) {
            self.solver.add_hit(hit, id, cell);
        }
        read.hits.push((w, hit));
        if !visible {
            return;
        }
        let lit = self.solver.new_lit();
        let external = forest.thread(w) != forest.thread(r) || seeded(Fault::NoForwarding);
        if self.global(w) != self.global(r) {
            self.solver.add_reads_from(lit, id, cell, external);
        }
        if !seeded(Fault::UnwrittenSeen) {
            self.imply(lit, self.writing(w));
        }
        let places: Vec<Lit> = meets.iter().map(|&(_, same)| same).collect();
        if !seeded(Fault::SeenElsewhere) {
            self.imply_any(&[lit], &places);
        }
        let written = written(forest, w);
        for (j, same) in meets {
            let j = if seeded(Fault::FirstCellSeen) { 0 } else { j };
            let part = forest.terms.extract(written, 8 * at.bytes * j, 8 * at.bytes);
            self.imply_equal(forest, &[lit, same], at.value, part);
        }
        read.sources.push(Source { lit, write: Some(w) });
    }

    /// The thread's own later writes: the read must not see past them.
    fn state_later_hits(&mut self, forest: &mut Forest, r: EventId, cell: CellId, at: &CellAt, read: &mut ReadCell) {
        let writes = self.memory.writes.get(&at.address.object).cloned().unwrap_or_default();
        for w in writes {
            if w == r || !forest.program_order(r, w) || self.global(w) == self.global(r) {
                continue;
            }
            let meets = self.meets(forest, at, w);
            if !meets.is_empty() {
                let hit = self.hit(w, &meets);
                self.solver.add_hit(hit, self.memory.write_ids[&w], cell);
                read.hits.push((w, hit));
            }
        }
    }

    /// The cells of `w` that may be the given one, with the literal that says so.
    fn meets(&mut self, forest: &mut Forest, at: &CellAt, w: EventId) -> Vec<(u8, Lit)> {
        let (address, size) = forest.event(w).kind.access().expect("writes access memory");
        let cells =
            (0..size / at.bytes).map(|j| (j, self.same_cell(forest, at.address, at.index, address, j, at.bytes)));
        cells.filter(|&(_, same)| same != Lit::FALSE).collect()
    }

    /// True if the write takes place and changes the cell.
    fn hit(&mut self, w: EventId, meets: &[(u8, Lit)]) -> Lit {
        if matches!(meets, [(_, Lit::TRUE)]) || seeded(Fault::HitEverywhere) {
            return self.writing(w);
        }
        let hit = self.solver.new_lit();
        for &(_, same) in meets {
            self.imply_any(&[self.writing(w), same], &[hit]);
        }
        hit
    }

    /// Events of one moment have no order for the solver to see. What it would have derived is said here: a read does not
    /// see past its own section's earlier writes, and nobody sees a write that its section overwrites.
    fn keep_sections_atomic(&mut self, forest: &Forest, r: EventId, read: &ReadCell) {
        for source in &read.sources {
            for &(w, hit) in &read.hits {
                let Some(from) = source.write.filter(|&from| from != w) else {
                    if source.write.is_none() && self.global(w) == self.global(r) && forest.program_order(w, r) {
                        self.solver.add_clause(&[!source.lit, !hit]);
                    }
                    continue;
                };
                let own = self.global(w) == self.global(r) && forest.program_order(w, r);
                let hidden_here = own && !(self.global(from) == self.global(r) && forest.program_order(w, from));
                let together = self.global(w) == self.global(from) && forest.program_order(from, w);
                let hidden_there = together && !(self.global(w) == self.global(r) && forest.program_order(r, w));
                if hidden_here || hidden_there {
                    self.solver.add_clause(&[!source.lit, !hit]);
                }
            }
        }
    }
}

fn written(forest: &Forest, w: EventId) -> Term {
    forest.event(w).kind.written().expect("only writes are sources")
}

/// Whether a write, if it is executed, certainly fills the cell.
fn fills(forest: &Forest, w: EventId, at: &CellAt) -> bool {
    let event = forest.event(w);
    let EventKind::Write { address, size, .. } = event.kind else { return false };
    let (Some(from), Some(to)) = (forest.terms.as_const(address.term), forest.terms.as_const(at.address.term)) else {
        return false;
    };
    let cell = to + at.offset();
    (from <= cell && cell + at.bytes as u64 <= from + size as u64)
        && (forest.terms.as_const(event.guard) == Some(1) || seeded(Fault::GuardedWriteShadows))
}

/// A cell of a read: which, and what it holds.
struct CellAt {
    address: Address,
    index: u8,
    bytes: u8,
    value: Term,
}

impl CellAt {
    fn offset(&self) -> u64 {
        self.index as u64 * self.bytes as u64
    }

    fn place(&self, term: Term) -> Address {
        Address { object: self.address.object, term }
    }
}
