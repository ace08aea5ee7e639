//! The theory of orders, for a SAT solver of any make.
//!
//! It is told which literals mean what (edges, reads-from, write order, hits), then follows the solver's assignment level
//! by level: [`Theory::assign`], [`Theory::new_level`], [`Theory::backtrack`]. It answers with clauses that hold in every
//! order: a conflict if the assignment is contradictory ([`Theory::conflict`]), literals that the order implies
//! ([`Theory::next_implied`]) and, if asked, why ([`Theory::explain`]).
//!
//! More can be stated between two searches. Then, at the root, the layout is made anew from all facts and the root's
//! literals are gone through again: simple, and cheap beside the search.

mod chains;
mod explain;
mod graph;
mod propagate;
mod reads;
#[cfg(test)]
mod tests;

use crate::faults::{Fault, seeded};
use crate::order::{Access, CellId, Lit, Node, WriteId};
use explain::Paths;
use graph::{ClosesCycle, Edge, Graph};
use propagate::{Implied, Queue, Waiting, Watch, Watches};
use reads::{FromRead, Reads};

/// What it means that a literal is true.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Edge(Node, Node),
    Order(WriteId, WriteId),
    ReadsFrom { write: WriteId, cell: CellId, external: bool },
    Hit(WriteId, CellId),
}

/// A clause, all of whose literals are false.
type Conflict = Vec<Lit>;

/// Why a literal was implied: all of it among the edges that there were then.
#[derive(Clone, Copy)]
struct Reason {
    implied: Implied,
    edges: usize,
}

/// The state at the start of a decision level.
struct Mark {
    assigned: usize,
    graph: usize,
}

#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    pub conflicts: u64,
    pub propagations: u64,
    /// Edges that went into the graph because a literal became true.
    pub edges: u64,
}

#[derive(Default)]
pub struct Theory {
    nodes: usize,
    facts: Vec<(Node, Node)>,
    /// By `code` of the literal.
    meanings: Vec<Vec<Meaning>>,
    reads: Reads,

    graph: Graph,
    watches: Watches,
    /// Something was stated since the layout was made.
    stale: bool,
    contradiction: bool,

    /// By variable.
    values: Vec<Option<bool>>,
    assigned: Vec<Lit>,
    /// How many of `assigned` are in the graph.
    done: usize,
    levels: Vec<Mark>,
    conflict: Option<Conflict>,
    implied: Queue,
    /// By variable, for those last assigned because they were implied.
    reasons: Vec<Option<Reason>>,
    paths: Paths,
    triples: Vec<FromRead>,
    statistics: Statistics,
}

impl Theory {
    pub fn new() -> Theory {
        let mut theory = Theory::default();
        theory.assign(Lit::TRUE);
        theory
    }
}

fn code(lit: Lit) -> usize {
    2 * lit.var() as usize + usize::from(!lit.is_positive())
}

/// Stating the problem. Takes effect when the solver is next at its root.
impl Theory {
    pub fn new_node(&mut self) -> Node {
        self.stale = true;
        self.nodes += 1;
        Node(self.nodes as u32 - 1)
    }

    pub fn add_edge(&mut self, lit: Lit, from: Node, to: Node) {
        self.add_meaning(lit, Meaning::Edge(from, to));
    }

    pub fn new_write(&mut self, access: Access) -> WriteId {
        self.reads.new_write(access)
    }

    pub fn new_cell(&mut self, access: Access) -> CellId {
        self.reads.new_cell(access)
    }

    pub fn add_write_order(&mut self, lit: Lit, first: WriteId, second: WriteId) {
        if lit != Lit::FALSE {
            self.reads.add_order(lit, first, second);
            self.add_meaning(lit, Meaning::Order(first, second));
        }
    }

    pub fn add_reads_from(&mut self, lit: Lit, write: WriteId, cell: CellId, external: bool) {
        if lit != Lit::FALSE {
            self.reads.add_reads_from(lit, write, cell);
            self.add_meaning(lit, Meaning::ReadsFrom { write, cell, external });
        }
    }

    pub fn add_hit(&mut self, lit: Lit, write: WriteId, cell: CellId) {
        let lit = if seeded(Fault::HitIgnored) { Lit::TRUE } else { lit };
        if lit != Lit::FALSE {
            self.reads.add_hit(lit, write, cell);
            self.add_meaning(lit, Meaning::Hit(write, cell));
        }
    }

    fn add_meaning(&mut self, lit: Lit, meaning: Meaning) {
        self.stale = true;
        if lit == Lit::FALSE || self.forgets(lit) {
            return;
        }
        if lit == Lit::TRUE {
            let edges = self.edges_of(meaning);
            self.facts.extend(edges.into_iter().flatten());
            if matches!(meaning, Meaning::Edge(..)) {
                return; // A fact, and nothing follows from it but itself.
            }
        }
        let index = code(lit);
        if self.meanings.len() <= index {
            self.meanings.resize_with(index + 1, Vec::new);
        }
        self.meanings[index].push(meaning);
    }

    /// Never, unless that is the fault under test.
    fn forgets(&self, lit: Lit) -> bool {
        let (fact, laid_out) = (lit == Lit::TRUE, self.graph.node_count() > 0);
        seeded(Fault::LateFactsLost) && fact && laid_out
            || seeded(Fault::NegativePolarityIgnored) && !lit.is_positive()
            || seeded(Fault::FixedLiteralMissed) && !fact && self.value(lit).is_some()
            || seeded(Fault::OneMeaningPerLiteral)
                && !fact
                && self.meanings.get(code(lit)).is_some_and(|m| !m.is_empty())
    }

    /// The edges that a meaning stands for by itself.
    fn edges_of(&self, meaning: Meaning) -> [Option<(Node, Node)>; 2] {
        match meaning {
            Meaning::Edge(from, to) => [Some((from, to)), None],
            Meaning::Order(first, second) => self.reads.order_edges(first, second),
            Meaning::ReadsFrom { write, cell, external } => self.reads.reads_from_edges(write, cell, external),
            Meaning::Hit(..) => [None, None],
        }
    }
}

/// Following the solver.
impl Theory {
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let value = self.values.get(lit.var() as usize).copied().flatten();
        value.map(|value| value == lit.is_positive())
    }

    /// A literal became true. Telling it again does no harm.
    pub fn assign(&mut self, lit: Lit) {
        let var = lit.var() as usize;
        if self.values.len() <= var {
            self.values.resize(var + 1, None);
        }
        if self.values[var].is_none() {
            self.values[var] = Some(lit.is_positive());
            self.assigned.push(lit);
        }
    }

    /// Everything assigned from now on belongs to a new decision level.
    pub fn new_level(&mut self) {
        // What is pending belongs to the level that ends here: done later, it would be undone too early.
        self.process();
        self.levels.push(Mark { assigned: self.assigned.len(), graph: self.graph.savepoint() });
    }

    /// Forget everything above `level`; the root is level 0.
    pub fn backtrack(&mut self, level: usize) {
        if level >= self.levels.len() {
            return;
        }
        let Mark { assigned, graph } = self.levels[level];
        self.levels.truncate(level);
        self.graph.undo_to(graph);
        for lit in self.assigned.drain(assigned..) {
            self.values[lit.var() as usize] = None;
        }
        self.done = self.done.min(assigned);
        // If the reason for it is still there, it will be found again.
        self.conflict = self.contradiction.then(Vec::new);
    }

    /// A clause that is false under the assignment but true in every order, if there is one.
    pub fn conflict(&mut self) -> Option<&[Lit]> {
        self.process();
        self.conflict.as_deref()
    }

    /// A literal not yet assigned that holds in every order that agrees with the assignment.
    pub fn next_implied(&mut self) -> Option<Lit> {
        self.process();
        if self.conflict.is_some() {
            return None;
        }
        while let Some(implied) = self.implied.pop_front() {
            let holds = self.is_before_or_same(implied.from, implied.to);
            let applies = implied.others.iter().all(|&lit| self.value(lit) == Some(true));
            if holds && applies && self.value(implied.lit).is_none() {
                self.statistics.propagations += 1;
                let var = implied.lit.var() as usize;
                if self.reasons.len() <= var {
                    self.reasons.resize(var + 1, None);
                }
                self.reasons[var] = Some(Reason { implied, edges: self.graph.edge_count() });
                return Some(if seeded(Fault::WrongPolarity) { !implied.lit } else { implied.lit });
            }
        }
        None
    }

    /// The clause that implied a literal when [`Theory::next_implied`] last gave it: the literal, and others that were
    /// false before. To be asked while the literal is still assigned for that reason, and before more is stated; `None` if
    /// there is none.
    pub fn explain(&mut self, lit: Lit) -> Option<Vec<Lit>> {
        let Reason { implied, edges } = self.reasons.get(lit.var() as usize).copied().flatten()?;
        let edges = if seeded(Fault::ReasonFromLaterEdges) { usize::MAX } else { edges };
        let mut lits = Vec::new();
        self.paths.explain(&self.graph, (implied.from, implied.to), edges, &mut lits);
        if seeded(Fault::ReasonLacksLiteral) {
            lits.pop();
        }
        lits.extend(implied.others.iter().filter(|&&lit| lit != Lit::TRUE));
        let mut clause = explain::not_all(lits);
        clause.push(lit);
        Some(clause)
    }

    /// A number for every node such that all true edges ascend. To be asked when there is no conflict.
    pub fn positions(&self) -> Vec<u64> {
        let mut positions = vec![0; self.nodes];
        let order = chains::topological(&self.graph.successors()).unwrap_or_default();
        for (position, node) in order.into_iter().enumerate() {
            positions[node.0 as usize] = position as u64;
        }
        positions
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

/// Bringing the graph up to date.
impl Theory {
    fn process(&mut self) {
        if self.stale {
            self.lay_out();
        }
        while self.conflict.is_none() && self.done < self.assigned.len() {
            let lit = self.assigned[self.done];
            let savepoint = self.graph.savepoint();
            match self.literal_is_true(lit) {
                Ok(()) => {
                    self.done += 1;
                    self.wake();
                }
                Err(conflict) => {
                    // The literal stays undone as a whole, so that it can be tried again.
                    self.graph.undo_to(savepoint);
                    self.statistics.conflicts += 1;
                    self.conflict = Some(conflict);
                }
            }
        }
    }

    fn lay_out(&mut self) {
        assert!(self.levels.is_empty(), "the problem changes at the root only");
        self.stale = false;
        self.done = 0;
        self.implied.clear();
        let meanings = self.meanings.iter().flatten();
        let possible = meanings.flat_map(|&meaning| self.edges_of(meaning)).flatten();
        let possible = possible.chain(self.reads.possible_from_reads());
        match chains::lay_out(self.nodes, &self.facts, possible) {
            Ok(graph) => self.graph = graph,
            Err(chains::Cyclic) => self.contradiction = true,
        }
        self.conflict = self.contradiction.then(Vec::new);
        if self.contradiction {
            return;
        }
        self.watches = Watches::new(&self.graph, self.nodes, self.all_watches().into_iter());
        let open: Vec<Watch> = self.watches.all().filter(|w| self.is_before_or_same(w.target, w.node)).collect();
        for watch in open {
            self.look_at(watch);
        }
    }

    fn all_watches(&self) -> Vec<Watch> {
        let mut watches = Vec::new();
        for (index, meanings) in self.meanings.iter().enumerate() {
            let var = (index / 2) as i32;
            let lit = if index % 2 == 0 { var } else { -var };
            for (from, to) in meanings.iter().flat_map(|&meaning| self.edges_of(meaning)).flatten() {
                watches.push(Watch { node: from, target: to, waiting: Waiting::Edge(Lit::from_dimacs(lit)) });
            }
        }
        for (lit, write, cell) in self.reads.hits() {
            for (from, to) in self.reads.overwrite_edges(cell, write).into_iter().flatten() {
                watches.push(Watch { node: from, target: to, waiting: Waiting::Hit(lit, write, cell) });
            }
        }
        watches
    }

    fn is_before_or_same(&self, a: Node, b: Node) -> bool {
        a == b || self.graph.before(a, b)
    }

    fn literal_is_true(&mut self, lit: Lit) -> Result<(), Conflict> {
        for k in 0..self.meanings.get(code(lit)).map_or(0, Vec::len) {
            let meaning = self.meanings[code(lit)][k];
            for (from, to) in self.edges_of(meaning).into_iter().flatten() {
                self.insert(Edge { from, to, why: [lit, Lit::TRUE, Lit::TRUE] })?;
            }
            let triples = self.triples_of(lit, meaning);
            let outcome = triples.iter().try_for_each(|&triple| self.consider(triple));
            self.triples = triples;
            outcome?;
        }
        Ok(())
    }

    /// The triples of a true literal that may still come true.
    fn triples_of(&mut self, lit: Lit, meaning: Meaning) -> Vec<FromRead> {
        let mut found = std::mem::take(&mut self.triples);
        found.clear();
        let possible = |lit| self.value(lit) != Some(false);
        match meaning {
            Meaning::Order(first, second) if !seeded(Fault::OrderLast) => {
                self.reads.triples_of_order((lit, first, second), possible, &mut found);
            }
            Meaning::ReadsFrom { write, cell, .. } if !seeded(Fault::ReadLast) => {
                self.reads.triples_of_read((lit, write, cell), possible, &mut found);
            }
            Meaning::Hit(write, cell) if !seeded(Fault::HitLast) => {
                self.reads.triples_of_hit((lit, write, cell), possible, &mut found);
            }
            _ => {}
        }
        found
    }

    /// Draw the edge if all three literals are true; rule the third out if it would close a cycle.
    fn consider(&mut self, triple: FromRead) -> Result<(), Conflict> {
        let FromRead { reads, order, hit, cell, overwrite } = triple;
        let why = [reads, order, hit];
        let all_true = why.iter().all(|&lit| self.value(lit) == Some(true));
        for (from, to) in self.reads.overwrite_edges(cell, overwrite).into_iter().flatten() {
            if all_true {
                self.insert(Edge { from, to, why })?;
            } else if self.is_before_or_same(to, from) {
                self.rule_out_third(why, to, from);
            }
        }
        Ok(())
    }

    /// Not all three can be true, because `from` comes before `to`.
    fn rule_out_third(&mut self, [a, b, c]: [Lit; 3], from: Node, to: Node) {
        let (third, others) = match [a, b, c].map(|lit| self.value(lit)) {
            [None, Some(true), Some(true)] => (a, [b, c]),
            [Some(true), None, Some(true)] => (b, [a, c]),
            [Some(true), Some(true), None] => (c, [a, b]),
            _ => return,
        };
        self.implied.push_back(Implied { lit: !third, from, to, others });
    }

    fn insert(&mut self, edge: Edge) -> Result<(), Conflict> {
        let edges = self.graph.edge_count();
        let outcome = self.graph.insert(edge);
        self.statistics.edges += (self.graph.edge_count() - edges) as u64;
        outcome.map_err(|ClosesCycle| {
            let mut lits = Vec::new();
            self.paths.explain(&self.graph, (edge.to, edge.from), edges, &mut lits);
            if seeded(Fault::CycleLacksLiteral) {
                lits.pop();
            }
            explain::push(&edge.why, &mut lits);
            explain::not_all(lits)
        })
    }

    /// Look at what waited for the nodes that now come earlier.
    fn wake(&mut self) {
        let watches = std::mem::take(&mut self.watches);
        let mut risen = std::mem::take(&mut self.graph.risen);
        for watch in risen.drain(..).flat_map(|rise| watches.woken(rise)) {
            self.look_at(watch);
        }
        self.graph.risen = risen;
        self.watches = watches;
    }

    /// The watch's target has come before its node.
    fn look_at(&mut self, watch: Watch) {
        let (from, to) = (watch.target, watch.node);
        match watch.waiting {
            Waiting::Edge(lit) => {
                if self.value(lit).is_none() {
                    self.implied.push_back(Implied { lit: !lit, from, to, others: [Lit::TRUE; 2] });
                }
            }
            Waiting::Hit(hit, write, cell) => {
                if self.value(hit) != Some(false) {
                    let mut triples = std::mem::take(&mut self.triples);
                    triples.clear();
                    let possible = |lit| self.value(lit) != Some(false);
                    self.reads.triples_of_hit((hit, write, cell), possible, &mut triples);
                    for &FromRead { reads, order, hit, .. } in &triples {
                        self.rule_out_third([reads, order, hit], from, to);
                    }
                    self.triples = triples;
                }
            }
        }
    }
}
