//! Random order problems: small executions of threads as an encoder would state them, with noise that none would.

use super::random::Random;
use super::script::{Round, Statement};
use ordain_solve::order::{Access, CellId, Lit, Node, WriteId};

/// Which accesses of one thread are ordered in the global order.
#[derive(Clone, Copy)]
enum ProgramOrder {
    All,
    /// All but write to later read.
    WritesPass,
    /// Nor write to later write elsewhere.
    WritesPassWrites,
    /// This percentage of pairs.
    Some(usize),
}

/// What a case looks like, chosen once per case.
struct Profile {
    threads: usize,
    events: usize,
    locations: usize,
    coherence: bool,
    program_order: ProgramOrder,
    /// A percentage.
    literal_hits: usize,
    /// Numbers of noisy statements per round.
    clauses: usize,
    noise: usize,
}

#[derive(Clone, Copy)]
struct Event {
    thread: usize,
    location: usize,
    is_write: bool,
}

struct Generator {
    random: Random,
    profile: Profile,
    lits: Vec<Lit>,
    nodes: u32,
    writes: Vec<Event>,
    cells: Vec<Event>,
    statements: Vec<Statement>,
}

/// The case with this seed: rounds of statements and solving.
pub fn case(seed: u64) -> Vec<Round> {
    let mut random = Random::new(seed);
    let profile = Profile {
        threads: 1 + random.below(4),
        // Some large enough for the solver to simplify, forget and restart.
        events: if random.chance(4) { 8 + random.below(4) } else { random.below(5) },
        locations: 1 + random.below(3),
        coherence: random.chance(50),
        program_order: random.pick(&[
            ProgramOrder::All,
            ProgramOrder::WritesPass,
            ProgramOrder::WritesPass,
            ProgramOrder::WritesPassWrites,
            ProgramOrder::Some(30),
        ]),
        literal_hits: random.pick(&[0, 0, 30, 100]),
        clauses: random.below(8),
        noise: random.pick(&[0, 0, 2, 6, 15]),
    };
    let rounds = 1 + random.below(4);
    let mut generator = Generator {
        random,
        profile,
        lits: vec![Lit::TRUE],
        nodes: 0,
        writes: Vec::new(),
        cells: Vec::new(),
        statements: Vec::new(),
    };
    (0..rounds).map(|round| generator.round(round)).collect()
}

impl Generator {
    fn round(&mut self, round: usize) -> Round {
        if round == 0 || self.random.chance(40) {
            let events = if round == 0 { self.profile.events } else { 1 };
            self.execution(events);
        }
        if round == 0 {
            for _ in 0..2 + self.random.below(3) {
                self.new_node();
            }
        }
        for _ in 0..self.profile.clauses {
            self.noisy_clause();
        }
        for _ in 0..self.profile.noise {
            self.noisy_meaning();
        }
        if round > 0 && self.random.chance(50) {
            let (from, to) = (self.any_node(), self.any_node());
            // A fact between arbitrary nodes is often the end of all models, so it mostly points forward.
            let (from, to) = if self.random.chance(80) { (from.min(to), from.max(to)) } else { (from, to) };
            self.statements.push(Statement::Edge(Lit::TRUE, from, to));
        }
        let count = self.random.pick(&[0, 0, 1, 2, 4, 8]);
        let assumptions = (0..count).map(|_| self.any_lit()).collect();
        Round { statements: std::mem::take(&mut self.statements), assumptions }
    }

    fn new_lit(&mut self) -> Lit {
        self.statements.push(Statement::NewLit);
        let lit = Lit::from_dimacs(self.lits.len() as i32 + 1);
        self.lits.push(lit);
        lit
    }

    fn new_node(&mut self) -> Node {
        self.statements.push(Statement::NewNode);
        self.nodes += 1;
        Node(self.nodes - 1)
    }

    fn any_node(&mut self) -> Node {
        Node(self.random.below(self.nodes as usize) as u32)
    }

    /// Any literal of either polarity; seldom a constant.
    fn any_lit(&mut self) -> Lit {
        let lit = if self.lits.len() < 4 || self.random.chance(15) {
            self.new_lit()
        } else if self.random.chance(2) {
            Lit::TRUE
        } else {
            self.lits[1 + self.random.below(self.lits.len() - 1)]
        };
        if self.random.chance(40) { !lit } else { lit }
    }

    /// Every thread makes some more accesses.
    fn execution(&mut self, events: usize) {
        let (old_writes, old_cells) = (self.writes.len(), self.cells.len());
        for thread in 0..self.profile.threads {
            let mut earlier: Vec<(Event, Access)> = Vec::new();
            for _ in 0..events {
                let location = self.random.below(self.profile.locations);
                let event = Event { thread, location, is_write: self.random.chance(50) };
                let access = self.access();
                for &(before, before_access) in &earlier {
                    self.order_in_thread((before, before_access), (event, access));
                }
                earlier.push((event, access));
                if event.is_write {
                    self.statements.push(Statement::NewWrite(access));
                    self.writes.push(event);
                } else {
                    self.statements.push(Statement::NewCell(access));
                    self.cells.push(event);
                }
            }
        }
        self.order_writes(old_writes);
        self.connect_reads(old_writes, old_cells);
    }

    fn order_in_thread(&mut self, first: (Event, Access), second: (Event, Access)) {
        let same_location = first.0.location == second.0.location;
        let ordered = match self.profile.program_order {
            ProgramOrder::All => true,
            ProgramOrder::WritesPass => !first.0.is_write || second.0.is_write,
            ProgramOrder::WritesPassWrites => !first.0.is_write || second.0.is_write && same_location,
            ProgramOrder::Some(percent) => self.random.chance(percent),
        };
        if ordered {
            self.statements.push(Statement::Edge(Lit::TRUE, first.1.global, second.1.global));
        }
        if let (Some(from), Some(to)) = (first.1.coherence, second.1.coherence)
            && same_location
        {
            self.statements.push(Statement::Edge(Lit::TRUE, from, to));
        }
    }

    fn access(&mut self) -> Access {
        let global = self.new_node();
        let coherent = self.profile.coherence && self.random.chance(95);
        let coherence = coherent.then(|| self.new_node());
        Access { global, coherence }
    }

    /// Of two writes to one location one comes first.
    fn order_writes(&mut self, old: usize) {
        for second in old..self.writes.len() {
            for first in 0..second {
                if self.writes[first].location != self.writes[second].location {
                    continue;
                }
                let lit = self.new_lit();
                let (first, second) = (WriteId(first as u32), WriteId(second as u32));
                self.statements.push(Statement::Order(lit, first, second));
                if self.random.chance(95) {
                    self.statements.push(Statement::Order(!lit, second, first));
                }
            }
        }
    }

    /// A cell reads from one of the writes to its location, and is hit by all of them.
    fn connect_reads(&mut self, old_writes: usize, old_cells: usize) {
        for cell in 0..self.cells.len() {
            let mut sources = Vec::new();
            let first = if cell < old_cells { old_writes } else { 0 };
            for write in first..self.writes.len() {
                if self.writes[write].location != self.cells[cell].location {
                    continue;
                }
                let external = self.writes[write].thread != self.cells[cell].thread;
                let (write, cell) = (WriteId(write as u32), CellId(cell as u32));
                let reads = self.new_lit();
                self.statements.push(Statement::ReadsFrom(reads, write, cell, external));
                let literal_hit = self.random.chance(self.profile.literal_hits);
                let hit = if literal_hit { self.new_lit() } else { Lit::TRUE };
                self.statements.push(Statement::Hit(hit, write, cell));
                if literal_hit && self.random.chance(20) {
                    let other = self.any_lit();
                    self.statements.push(Statement::Hit(other, write, cell));
                }
                if literal_hit && self.random.chance(80) {
                    self.statements.push(Statement::Clause(vec![!reads, hit]));
                }
                sources.push(reads);
            }
            for second in 0..sources.len() {
                for first in 0..second {
                    self.statements.push(Statement::Clause(vec![!sources[first], !sources[second]]));
                }
            }
            if !sources.is_empty() && self.random.chance(90) {
                self.statements.push(Statement::Clause(sources));
            }
        }
    }

    fn noisy_clause(&mut self) {
        let length = self.random.pick(&[1, 2, 2, 3, 3, 3, 4]);
        let clause = (0..length).map(|_| self.any_lit()).collect();
        self.statements.push(Statement::Clause(clause));
    }

    /// Literals that mean anything at all.
    fn noisy_meaning(&mut self) {
        let lit = if self.random.chance(3) { self.random.pick(&[Lit::TRUE, Lit::FALSE]) } else { self.any_lit() };
        let kind = if self.writes.is_empty() || self.cells.is_empty() { 0 } else { self.random.below(7) };
        if kind < 4 {
            let (from, to) = (self.any_node(), self.any_node());
            self.statements.push(Statement::Edge(lit, from, to));
            return;
        }
        let write = WriteId(self.random.below(self.writes.len()) as u32);
        let other = WriteId(self.random.below(self.writes.len()) as u32);
        let cell = CellId(self.random.below(self.cells.len()) as u32);
        self.statements.push(match kind {
            4 => Statement::Order(lit, write, other),
            5 => Statement::ReadsFrom(lit, write, cell, self.random.chance(50)),
            _ => Statement::Hit(lit, write, cell),
        });
    }
}
