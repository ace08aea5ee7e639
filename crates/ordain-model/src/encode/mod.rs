//! The encoding: all executions whose threads stay inside the forest, as clauses and orders.
//!
//! Executions are prefix-closed: every thread may stop anywhere. For each node of the forest there is a literal "entered",
//! for each event "executed" (then everything before it on its path is) and "active" (executed, and its guard holds).
//! What is left is said by the modules here, one aspect each: program order (`program_order`), memory (`reads`, with what
//! `certain` rules out beforehand; `counters`, `values`), synchronisation (`sync`, `conditions`), lifetimes (`life`), definedness (`defined`), what happens without further ado (`eager`).
//! Questions are asked with assumptions: goals are literals that imply what they are about (`goals`, `stuck`, `race`, `atomicity`).

mod apart;
mod atomicity;
mod blocks;
mod certain;
mod conditions;
mod counters;
mod defined;
mod eager;
mod goals;
mod life;
mod maximal;
mod program_order;
mod race;
mod reads;
mod solution;
mod stuck;
mod sync;
mod values;

pub use atomicity::{Between, Seen};
pub use blocks::{Blocks, Mistrust, Waits};
pub use certain::Certain;
pub use maximal::Maximal;
pub use reads::conflicts;
pub use solution::Solution;
pub use stuck::Blocked;

use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::{Entry, Forest, NodeEnd, NodeId, Position};
use crate::meeting::{Meeting, Way};
use crate::witness::MemoryModel;
use atomicity::Splitting;
use conditions::Wakings;
use defined::Definedness;
use ordain_expr::Term;
use ordain_solve::blast::Blaster;
use ordain_solve::order::{Access, Answer, Lit, Node, OrderSolver};
use reads::Memory;
use std::rc::Rc;
use sync::{Meetings, Sections};
use values::Values;

pub struct Encoding<S> {
    pub solver: S,
    blaster: Blaster,
    model: MemoryModel,
    entered: Vec<Lit>,
    finished: Vec<Lit>,
    executed: Vec<Lit>,
    active: Vec<Lit>,
    /// Under which literal the event writes memory.
    writing: Vec<Lit>,
    /// When the event takes place.
    moments: Vec<Access>,
    /// Before everything: when memory got its initial contents.
    origin: Access,
    certain: Certain,
    memory: Memory,
    sections: Rc<Sections>,
    meetings: Meetings,
    wakings: Wakings,
    defined: Definedness,
    splitting: Splitting,
    /// Something is missing, because nobody wanted to wait for it: then nothing is known of any question.
    abandoned: bool,
}

impl<S: OrderSolver> Encoding<S> {
    pub fn new(forest: &mut Forest, model: MemoryModel, mut solver: S) -> Self {
        let global = solver.new_node();
        let coherence = (model != MemoryModel::Sc).then(|| solver.new_node());
        let sections = Rc::new(Sections::new(forest));
        let mut this = Encoding {
            solver,
            blaster: Blaster::new(),
            model,
            entered: Vec::new(),
            finished: Vec::new(),
            executed: Vec::new(),
            active: Vec::new(),
            writing: Vec::new(),
            moments: Vec::new(),
            origin: Access { global, coherence },
            certain: Certain::new(forest, Rc::clone(&sections)),
            memory: Memory::default(),
            sections,
            meetings: Meetings::default(),
            wakings: Wakings::default(),
            defined: Definedness::new(forest),
            splitting: Splitting::default(),
            abandoned: false,
        };
        let values = Values::of(forest);
        this.fix_bits(forest, &values);
        this.declare_events(forest);
        this.enter_nodes(forest);
        this.activate_events(forest);
        this.place_events(forest);
        let aspects: [fn(&mut Self, &mut Forest); 10] = [
            |this, forest| this.encode_opening(forest),
            |this, forest| this.encode_program_order(forest),
            |this, forest| this.encode_memory(forest),
            |this, forest| this.encode_counters(forest),
            |this, forest| this.encode_sync(forest),
            |this, forest| this.encode_conditions_variables(forest),
            |this, forest| this.encode_lifetimes(forest),
            |this, forest| this.encode_conditions(forest),
            |this, forest| this.encode_eagerness(forest),
            |this, forest| this.encode_definedness(forest),
        ];
        for aspect in aspects {
            if !this.gives_up() {
                aspect(&mut this, forest);
            }
        }
        this.list_values(forest, &values);
        this
    }

    /// Looks whether anybody still waits for the encoding. What takes long has to ask now and then, and to return if not.
    fn gives_up(&mut self) -> bool {
        self.abandoned |= self.solver.gives_up();
        self.abandoned
    }

    /// What was found out beforehand.
    pub fn certain(&self) -> &Certain {
        &self.certain
    }

    /// Whether nobody has waited for all of the encoding. Nothing must be stated about it then.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        if self.abandoned {
            return Answer::Unknown;
        }
        self.solver.solve(assumptions)
    }

    fn declare_events(&mut self, forest: &Forest) {
        for _ in forest.event_ids() {
            let lit = self.solver.new_lit();
            self.executed.push(lit);
        }
    }

    /// Nodes are entered from the end of those that lead to them, under the condition of the outcome; events are executed in
    /// order.
    fn enter_nodes(&mut self, forest: &mut Forest) {
        (self.entered, self.finished) = (vec![Lit::FALSE; forest.nodes.len()], vec![Lit::FALSE; forest.nodes.len()]);
        for n in forest.tree_ids().flat_map(|tree| forest.in_order(tree)).collect::<Vec<_>>() {
            let entered = match forest.node(n).entry.clone() {
                Entry::Root => Lit::TRUE,
                Entry::Outcome(parent, outcome) => {
                    let NodeEnd::Decision(d) = &forest.node(parent).end else { unreachable!("parents decide") };
                    let on = d.on.clone();
                    let condition = forest.outcome_condition(&on, outcome);
                    let entered = self.solver.new_lit();
                    let condition = self.term(forest, condition);
                    self.imply(entered, self.finished(parent));
                    if !seeded(Fault::OutcomeUnconditional) {
                        self.imply(entered, condition);
                    }
                    entered
                }
                // Whoever comes here is here.
                Entry::Meeting(meeting) => {
                    self.name_symbols(forest, &meeting);
                    let mut ways: Vec<Lit> = meeting.ways.iter().map(|way| self.finished(way.from)).collect();
                    if seeded(Fault::FirstWayOnly) {
                        ways.truncate(1);
                    }
                    self.any(&ways)
                }
            };
            self.entered[n.0 as usize] = entered;
            let mut before = entered;
            for &e in &forest.node(n).events {
                let executed = self.executed[e.0 as usize];
                if !seeded(Fault::EventsSkipped) {
                    self.imply(executed, before);
                }
                before = executed;
            }
            self.finished[n.0 as usize] = before;
        }
        if !seeded(Fault::SiblingsTogether) {
            self.separate_siblings(forest);
        }
    }

    /// What the symbols of a meeting stand for.
    fn name_symbols(&mut self, forest: &Forest, meeting: &Meeting) {
        for (i, &symbol) in meeting.symbols.iter().enumerate() {
            let symbol = forest.terms.symbol_term(symbol);
            let given = |way: &Way| forest.terms.symbol_term(way.given[i]);
            match &meeting.ways[..] {
                [way] => self.blaster.rename(&forest.terms, &mut self.solver, given(way), symbol),
                _ if seeded(Fault::RenamedFree) => {}
                ways => {
                    for way in ways {
                        self.imply_equal(forest, &[self.finished(way.from)], symbol, given(way));
                    }
                }
            }
        }
    }

    /// Outcomes whose conditions are not about values must be kept apart.
    fn separate_siblings(&mut self, forest: &Forest) {
        for n in forest.node_ids() {
            let NodeEnd::Decision(d) = &forest.node(n).end else { continue };
            for (i, (_, a)) in d.children.iter().enumerate() {
                for (_, b) in &d.children[i + 1..] {
                    self.solver.add_clause(&[!self.entered(*a), !self.entered(*b)]);
                }
            }
        }
    }

    fn activate_events(&mut self, forest: &mut Forest) {
        for e in forest.event_ids() {
            let executed = self.executed(e);
            let guard = forest.event(e).guard;
            let guard = if seeded(Fault::GuardIgnored) { Lit::TRUE } else { self.term(forest, guard) };
            let active = self.and(executed, guard);
            let writing = match forest.event(e).kind {
                EventKind::Write { .. } => active,
                EventKind::Rmw { .. } if seeded(Fault::RmwAlwaysWrites) => active,
                EventKind::Rmw { .. } if seeded(Fault::RmwNeverWrites) => Lit::FALSE,
                EventKind::Rmw { writes, .. } => {
                    let writes = self.term(forest, writes);
                    self.and(active, writes)
                }
                _ => Lit::FALSE,
            };
            self.active.push(active);
            self.writing.push(writing);
        }
    }

    fn encode_conditions(&mut self, forest: &mut Forest) {
        for e in forest.event_ids() {
            match forest.event(e).kind {
                EventKind::Assume { condition } if !seeded(Fault::AssumeIgnored) => {
                    let condition = self.term(forest, condition);
                    self.imply(self.active(e), condition);
                }
                EventKind::Use { value } if !seeded(Fault::UndefinedUsed) => {
                    let defined = self.is_defined(forest, value);
                    self.imply(self.active(e), defined);
                }
                _ => {}
            }
        }
    }

    /// The events that the encoding is about: the forest may have grown since.
    fn encoded_events(&self) -> impl Iterator<Item = EventId> + use<S> {
        (0..self.executed.len() as u32).map(EventId)
    }

    fn entered(&self, n: NodeId) -> Lit {
        self.entered[n.0 as usize]
    }

    fn finished(&self, n: NodeId) -> Lit {
        self.finished[n.0 as usize]
    }

    fn executed(&self, e: EventId) -> Lit {
        self.executed[e.0 as usize]
    }

    fn active(&self, e: EventId) -> Lit {
        self.active[e.0 as usize]
    }

    fn writing(&self, e: EventId) -> Lit {
        self.writing[e.0 as usize]
    }

    fn moment(&self, e: EventId) -> Access {
        self.moments[e.0 as usize]
    }

    fn global(&self, e: EventId) -> Node {
        self.moment(e).global
    }

    /// What must be executed for `e` to be next in its thread.
    fn before(&self, forest: &Forest, e: EventId) -> Lit {
        let Position { node, index } = forest.position(e);
        match index {
            0 => self.entered(node),
            _ => self.executed(forest.node(node).events[index - 1]),
        }
    }

    fn term(&mut self, forest: &Forest, t: Term) -> Lit {
        self.blaster.lit(&forest.terms, &mut self.solver, t)
    }

    fn equal(&mut self, forest: &Forest, a: Term, b: Term) -> Lit {
        self.blaster.equal(&forest.terms, &mut self.solver, a, b)
    }

    fn imply_equal(&mut self, forest: &Forest, conditions: &[Lit], a: Term, b: Term) {
        if !conditions.contains(&Lit::FALSE) {
            self.blaster.imply_equal(&forest.terms, &mut self.solver, conditions, a, b);
        }
    }

    fn imply(&mut self, condition: Lit, consequence: Lit) {
        self.imply_any(&[condition], &[consequence]);
    }

    /// If all conditions hold, so does one of the consequences.
    fn imply_any(&mut self, conditions: &[Lit], consequences: &[Lit]) {
        if conditions.contains(&Lit::FALSE) || consequences.contains(&Lit::TRUE) {
            return;
        }
        let clause = conditions.iter().map(|&c| !c).chain(consequences.iter().copied());
        let clause: Vec<Lit> = clause.filter(|&l| l != Lit::FALSE).collect();
        self.solver.add_clause(&clause);
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::TRUE, l) | (l, Lit::TRUE) => l,
            (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
            _ if a == b => a,
            _ => {
                let both = self.solver.new_lit();
                self.imply(both, a);
                self.imply(both, b);
                self.imply_any(&[a, b], &[both]);
                both
            }
        }
    }

    /// A literal that is true if all the others are (and may be true without: it only ever demands something).
    fn implied(&mut self, conditions: &[Lit]) -> Lit {
        let conditions: Vec<Lit> = conditions.iter().copied().filter(|&c| c != Lit::TRUE).collect();
        match conditions[..] {
            [] => Lit::TRUE,
            [one] => one,
            _ if conditions.contains(&Lit::FALSE) => Lit::FALSE,
            _ => {
                let lit = self.solver.new_lit();
                self.imply_any(&conditions, &[lit]);
                lit
            }
        }
    }

    /// If all conditions hold, `from` comes before `to`.
    fn order(&mut self, conditions: &[Lit], from: Node, to: Node) {
        let lit = self.implied(conditions);
        if lit != Lit::FALSE {
            self.solver.add_edge(lit, from, to);
        }
    }
}
