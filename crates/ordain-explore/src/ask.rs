//! Asking: one question after the other; what the solver finds is run, and taken in.
//!
//! Several searches share the questions (`team`): each asks those that are its own, and all of them run what any of them
//! has found. One that is alone asks them all.

use crate::Error;
use crate::Progress;
use crate::clock::Stopped;
use crate::search::{Reply, Search};
use crate::team::{Found, Seat, Turn};
use crate::unproved::UnprovedKind;
use ordain_model::encode::{Blocked, Encoding, Solution};
use ordain_model::event::{EventId, EventKind};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::forest::{Entry, NodeEnd, NodeId, Stub};
use ordain_model::names::ThreadName;
use ordain_solve::engine::Engine;
use ordain_solve::order::{Lit, OrderSolver};
use ordain_vm::{End, Machine};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

/// What one search finds before it waits for the others.
const MOST_FOUND: usize = 8;

/// A question whose answer makes the forest grow, or is a failure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Goal {
    Stub(Stub),
    /// A failure that a thread's own path leads to, but no run has.
    Leaf(NodeId),
    Freed(EventId),
    Undefined(EventId),
    /// A thread is joined or detached that another has joined or detached.
    PartedAgain(EventId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Question {
    Goal(Goal),
    /// Can a thread wait here for ever?
    Stuck(Blocked),
    /// Can anything race with this access?
    Races(EventId),
}

impl Question {
    /// Questions with the same number have work in common.
    pub fn number(self) -> u32 {
        match self {
            Question::Goal(Goal::Stub(Stub { node, .. }) | Goal::Leaf(node)) => node.0,
            Question::Goal(Goal::Freed(e) | Goal::Undefined(e) | Goal::PartedAgain(e)) => e.0,
            Question::Stuck(Blocked::At(e)) => e.0,
            Question::Stuck(Blocked::Await(node)) => node.0,
            Question::Races(a) => a.0,
        }
    }
}

/// What came of asking.
#[derive(Default)]
pub(crate) struct Asked {
    /// Something was found.
    pub grown: bool,
    /// The model was built anew, or has grown where it should not: there are other questions now.
    pub outdated: bool,
    /// Questions without an answer, if they were goals also those that were not asked.
    pub open: Vec<Question>,
    /// Nothing was left out because the search has to end.
    pub complete: bool,
}

/// What is kept from question to question, about one encoding.
#[derive(Default)]
pub(crate) struct Prepared {
    pub stuck: FxHashMap<Blocked, Lit>,
    /// By first access, those that may race with it, each with the literal that says that it does.
    pub races: FxHashMap<EventId, Vec<(EventId, Lit)>>,
    /// What has to be asked once more: there may be more than one answer.
    again: Option<Question>,
}

impl Prepared {
    pub fn for_stuck(goals: Vec<(Blocked, Lit)>) -> Prepared {
        Prepared { stuck: goals.into_iter().collect(), ..Prepared::default() }
    }

    pub fn for_races(races: impl Iterator<Item = (EventId, Vec<(EventId, Lit)>)>) -> Prepared {
        Prepared { races: races.collect(), ..Prepared::default() }
    }

    /// The accesses that race with this one in the solver's answer.
    fn racing(&self, encoding: &Encoding<Engine>, question: Question) -> Vec<EventId> {
        let Question::Races(a) = question else { return Vec::new() };
        let seconds = self.races.get(&a).map_or(&[][..], |seconds| seconds);
        seconds.iter().filter(|&&(_, lit)| encoding.solver.value(lit)).map(|&(b, _)| b).collect()
    }
}

/// What a run has to show, said before it is taken in: that may change what events are called.
pub(crate) enum Claim {
    Goal {
        goal: Goal,
        children: usize,
    },
    Stuck(ThreadName, Place),
    Races(Vec<(Place, Place)>),
    /// Whatever it shows counts.
    Anything,
}

impl Claim {
    /// Whether a failure of the run is what it was made for.
    pub fn is_about(&self, failure: &Failure) -> bool {
        match self {
            Claim::Anything => true,
            Claim::Goal { goal: Goal::Stub(_), .. } => false,
            Claim::Goal { .. } => failure.kind != FailureKind::Race && !failure.kind.is_stuck(),
            Claim::Stuck(..) => failure.kind.is_stuck(),
            Claim::Races(pairs) => {
                failure.kind == FailureKind::Race && pairs.iter().any(|(a, b)| is_race_at(failure, a, b))
            }
        }
    }
}

impl Asked {
    pub fn goals(&self) -> Vec<Goal> {
        let goal = |question: &Question| match question {
            Question::Goal(goal) => Some(*goal),
            _ => None,
        };
        self.open.iter().filter_map(goal).collect()
    }
}

impl<'p> Search<'p> {
    pub(crate) fn ask_all(
        &mut self,
        encoding: &mut Encoding<Engine>,
        prepared: &mut Prepared,
        questions: impl Iterator<Item = Question>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Asked, Error> {
        let questions: &mut dyn Iterator<Item = Question> = &mut { questions };
        let mut asked = Asked { complete: true, ..Asked::default() };
        loop {
            let (turn, mut made) = self.take_turn(encoding, prepared, questions, progress)?;
            let turns = self.exchange(turn)?;
            let agreed = turns.iter().all(|t| t.stopped.is_none() && t.knowledge == turns[0].knowledge);
            let nodes = self.unfolder.forest.nodes.len();
            for turn in turns.iter() {
                asked.open.extend(&turn.open);
                asked.complete &= turn.stopped.is_none();
                asked.grown |= !turn.found.is_empty();
            }
            for found in turns.iter().flat_map(|turn| &turn.found) {
                // What a question is about is sure only while all know the same.
                let question = Some(found.question).filter(|_| agreed && !asked.outdated);
                let machine = match made.take().filter(|_| self.seat.is_alone()) {
                    Some(machine) => machine,
                    None if question.is_some() && self.is_known(found.question, &found.racing) => continue,
                    None => self.run_again(&found.execution)?,
                };
                let grown = self.unfolder.forest.nodes.len() != nodes;
                let claim = question.and_then(|question| self.claim(question, &found.racing, grown));
                asked.outdated |= self.pursue(claim, &machine)?;
                let is_goal = matches!(found.question, Question::Goal(_));
                asked.outdated |= !is_goal && self.unfolder.forest.nodes.len() != nodes;
            }
            asked.complete &= !self.ends_at_first();
            if !agreed && turns.iter().all(|t| t.stopped.is_none()) {
                // Shares of different questions: nothing that was asked counts.
                (asked.grown, asked.outdated) = (true, true);
            }
            if asked.outdated || turns.iter().all(|t| t.done) {
                return Ok(asked);
            }
        }
    }

    /// Asks until something is found, by this search or another, or nothing is left. Also returns the last run that it made.
    fn take_turn(
        &mut self,
        encoding: &mut Encoding<Engine>,
        prepared: &mut Prepared,
        questions: &mut dyn Iterator<Item = Question>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(Turn, Option<Machine<'p>>), Error> {
        let before = self.statistics.clone();
        let mut open = Vec::new();
        let (mut found, mut made, mut done) = (Vec::new(), None, false);
        while found.len() < MOST_FOUND && !self.seat.meets(!found.is_empty()) {
            if self.is_over() {
                // Goals that are not asked are listed; the others are too many.
                let goals = questions.take_while(|q| matches!(q, Question::Goal(_)));
                open.extend(goals.filter(|&question| self.seat.takes(question)));
                done = true;
                break;
            }
            let Some(question) = prepared.again.take().or_else(|| questions.next()) else {
                done = true;
                break;
            };
            self.unasked = self.unasked.saturating_sub(1);
            if !self.seat.takes(question) || self.is_known(question, &[]) {
                continue;
            }
            let Some(lit) = self.literal(encoding, prepared, question) else { continue };
            self.tell(progress);
            match self.ask(encoding, &[lit]) {
                Reply::Yes(solution) => {
                    let racing = prepared.racing(encoding, question);
                    prepared.again = matches!(question, Question::Races(_)).then_some(question);
                    let machine = self.execute_for(question, &solution)?;
                    found.push(Found { question, racing, execution: machine.execution() });
                    made = Some(machine);
                    if prepared.again.is_some() {
                        // Before it is taken in, the same would be found again.
                        break;
                    }
                }
                Reply::No => encoding.rule_out(lit),
                Reply::TooHard => open.push(question),
            }
        }
        let (stopped, knowledge) = (self.clock.stopped(), self.knowledge());
        Ok((Turn { found, open, done, stopped, knowledge, ..Turn::after(&before, &self.statistics) }, made))
    }

    /// Shows what this search has, and sees what the others have.
    pub(crate) fn exchange(&mut self, turn: Turn) -> Result<Arc<Vec<Turn>>, Error> {
        let own = (turn.queries, turn.satisfiable);
        let turns = self.seat.exchange(turn)?;
        if let Some(stopped) = turns.iter().find_map(|t| t.stopped) {
            self.clock.stop(stopped);
        }
        // One's own are counted already.
        self.statistics.queries += turns.iter().map(|t| t.queries).sum::<u64>() - own.0;
        self.statistics.satisfiable += turns.iter().map(|t| t.satisfiable).sum::<u64>() - own.1;
        Ok(turns)
    }

    /// Differs, most likely, between searches that know something else: `fingerprint` says it for sure, but takes its time.
    fn knowledge(&self) -> u64 {
        let forest = &self.unfolder.forest;
        (forest.nodes.len() as u64) << 32 | forest.events.len() as u64
    }

    /// Whether there is another round. All of a team say the same; if they do not know the same any more, the one that speaks
    /// for all goes on alone.
    pub(crate) fn goes_on(&mut self) -> Result<bool, Error> {
        let (stopped, knowledge) = (self.clock.look(), self.fingerprint());
        let turns = self.exchange(Turn { stopped, knowledge, ..Turn::default() })?;
        if turns.iter().any(|t| t.stopped.is_some()) || self.ends_at_first() {
            return Ok(false);
        }
        if turns.iter().any(|t| t.knowledge != knowledge) {
            if !self.seat.leads() {
                return Ok(false);
            }
            self.seat = Seat::alone();
        }
        Ok(true)
    }

    /// Of everything that questions are about.
    fn fingerprint(&self) -> u64 {
        if self.seat.is_alone() {
            return 0;
        }
        let forest = &self.unfolder.forest;
        let mut hasher = FxHasher::default();
        for node in &forest.nodes {
            node.tree.0.hash(&mut hasher);
            match &node.entry {
                Entry::Root => {}
                Entry::Outcome(parent, outcome) => (parent.0, outcome).hash(&mut hasher),
                Entry::Meeting(meeting) => meeting.ways.iter().for_each(|way| way.from.0.hash(&mut hasher)),
            }
            match &node.end {
                NodeEnd::Decision(decision) => (1, decision.site).hash(&mut hasher),
                NodeEnd::Exit => 2.hash(&mut hasher),
                NodeEnd::ProcessEnd => 3.hash(&mut hasher),
                NodeEnd::Failure(kind) => (4, kind).hash(&mut hasher),
                NodeEnd::Again(position) => (5, position.node.0, position.index).hash(&mut hasher),
                NodeEnd::Cut(_) => 6.hash(&mut hasher),
                NodeEnd::Onward(to) => (7, to.0).hash(&mut hasher),
            }
        }
        for (event, position) in forest.events.iter().zip(&forest.positions) {
            (event.site, event.step, position.node.0, position.index).hash(&mut hasher);
        }
        hasher.finish()
    }

    pub(crate) fn tell(&self, progress: &mut dyn FnMut(&Progress)) {
        let (queries, bugs) = (self.statistics.queries, self.bugs.len());
        progress(&Progress { runs: self.runs, open: self.unasked, queries, bugs });
    }

    /// Whether a run has answered the question already; of races, whether it has shown these.
    fn is_known(&self, question: Question, racing: &[EventId]) -> bool {
        match question {
            Question::Goal(goal) => self.is_settled(goal),
            Question::Stuck(blocked) => self.stuck.contains(&self.waits_at(blocked)),
            Question::Races(a) => !racing.is_empty() && racing.iter().all(|&b| self.knows_race(a, b)),
        }
    }

    pub(crate) fn literal(
        &mut self,
        encoding: &mut Encoding<Engine>,
        prepared: &mut Prepared,
        question: Question,
    ) -> Option<Lit> {
        let forest = &mut self.unfolder.forest;
        match question {
            Question::Goal(Goal::Stub(stub)) => Some(encoding.reaches_stub(forest, stub)),
            Question::Goal(Goal::Leaf(node)) => Some(encoding.reaches_end(node)),
            Question::Goal(Goal::Freed(e)) => encoding.touches_freed(forest, e),
            Question::Goal(Goal::Undefined(e)) => encoding.uses_undefined(forest, e),
            Question::Goal(Goal::PartedAgain(e)) => encoding.parts_again(forest, e),
            Question::Stuck(blocked) => prepared.stuck.get(&blocked).copied(),
            Question::Races(a) => {
                let seconds = prepared.races.get_mut(&a)?;
                seconds.retain(|&(b, _)| !self.knows_race(a, b));
                let lits: Vec<Lit> = seconds.iter().map(|&(_, lit)| lit).collect();
                (!lits.is_empty()).then(|| encoding.any_of(&lits))
            }
        }
    }

    /// Runs a solution. In a team nothing may be different afterwards: runs count when all take them in.
    fn execute_for(&mut self, question: Question, solution: &Solution) -> Result<Machine<'p>, Error> {
        let thread = match question {
            Question::Goal(Goal::Stub(Stub { node, .. }) | Goal::Leaf(node)) => {
                Some(self.unfolder.forest.thread_of_node(node).clone())
            }
            Question::Goal(Goal::Freed(e) | Goal::Undefined(e) | Goal::PartedAgain(e)) => {
                Some(self.unfolder.forest.thread(e).clone())
            }
            Question::Stuck(_) | Question::Races(_) => None,
        };
        if self.seat.is_alone() {
            return self.execute(solution, thread.as_ref());
        }
        let scratch = Rc::new(RefCell::new(self.book.borrow().clone()));
        let book = std::mem::replace(&mut self.book, scratch);
        let machine = self.execute(solution, thread.as_ref());
        self.book = book;
        machine
    }

    /// What a run for this question has to show. After others, which have made the forest grow, one for "any other outcome"
    /// may find that its outcome is known.
    fn claim(&self, question: Question, racing: &[EventId], grown: bool) -> Option<Claim> {
        Some(match question {
            Question::Goal(Goal::Stub(Stub { outcome: None, .. })) if grown => return None,
            Question::Goal(goal) => Claim::Goal { goal, children: self.children(goal) },
            Question::Stuck(blocked) => {
                let (thread, place) = self.waits_at(blocked);
                Claim::Stuck(thread, place)
            }
            Question::Races(a) => {
                let place = |e| self.place_of_event(e);
                Claim::Races(racing.iter().map(|&b| (place(a), place(b))).collect())
            }
        })
    }

    /// Takes in a run that was made to show something; says whether the model was built anew.
    fn pursue(&mut self, claim: Option<Claim>, machine: &Machine<'p>) -> Result<bool, Error> {
        self.claimed = claim;
        let rebuilt = self.absorb(machine)?;
        let end = machine.end();
        match self.claimed.take() {
            Some(Claim::Goal { goal, children }) if !rebuilt && !self.is_reached(goal, children, machine) => {
                self.diverged(format!("{goal:?} was not reached by a run that should; it ended with {end:?}"))?;
            }
            Some(Claim::Stuck(thread, place)) if !self.stuck.contains(&(thread.clone(), place.clone())) => {
                self.diverged(format!("thread {thread} should be stuck at {place}, but the run ended with {end:?}"))?;
            }
            Some(Claim::Races(pairs)) => {
                if let Some((a, b)) = pairs.iter().find(|(a, b)| !self.knows_race_at(a, b)) {
                    self.diverged(format!("{a} and {b} should race, but the run shows no race"))?;
                }
            }
            _ => {}
        }
        Ok(rebuilt)
    }

    /// A run did not get where it should. That is an internal error, unless it was interrupted on its way.
    fn diverged(&self, what: String) -> Result<(), Error> {
        match self.clock.look() {
            Some(Stopped::Interrupt) => Ok(()),
            _ => Err(Error::Diverged(what)),
        }
    }

    pub(crate) fn goals(&self) -> Vec<Goal> {
        let forest = &self.unfolder.forest;
        let failing = |n: &NodeId| matches!(forest.node(*n).end, NodeEnd::Failure(_));
        let leaves = forest.node_ids().filter(failing).map(Goal::Leaf);
        let stubs = forest.stubs().into_iter().map(Goal::Stub);
        let of_events = forest.event_ids().filter_map(|e| match forest.event(e).kind {
            EventKind::Use { .. } => Some(Goal::Undefined(e)),
            EventKind::Join { .. } | EventKind::Detach { .. } => Some(Goal::PartedAgain(e)),
            EventKind::Read { .. }
            | EventKind::Write { .. }
            | EventKind::Rmw { .. }
            | EventKind::Lock { .. }
            | EventKind::Unlock { .. }
            | EventKind::Busy { .. }
            | EventKind::Enqueue { .. }
            | EventKind::Signal { .. }
            | EventKind::Waiters { .. }
            | EventKind::Free { .. } => Some(Goal::Freed(e)),
            _ => None,
        });
        let mut goals: Vec<Goal> = leaves.chain(of_events).chain(stubs).filter(|&goal| self.is_wanted(goal)).collect();
        // What was hard will be hard again, and may not have to be asked before the forest has grown.
        goals.sort_by_key(|goal| self.hard.contains(goal));
        goals
    }

    /// Of a part of a run, only what was asked for is of interest. Definedness is not, which most values have from before.
    fn is_wanted_in_scene(&self, goal: Goal) -> bool {
        let kind = match goal {
            Goal::Stub(_) => return true,
            Goal::Undefined(_) | Goal::PartedAgain(_) => return false,
            Goal::Leaf(node) => match self.unfolder.forest.node(node).end {
                NodeEnd::Failure(kind) => kind,
                _ => return false,
            },
            Goal::Freed(e) => self.freed_kind(e),
        };
        self.options.check.contains(&kind)
    }

    /// Whether anybody wants to know: of a recorded run, only its failure is of interest, and what leads there.
    fn is_wanted(&self, goal: Goal) -> bool {
        if self.is_in_scene() && !self.is_wanted_in_scene(goal) {
            return false;
        }
        let Some(aimed) = self.aimed() else { return true };
        let forest = &self.unfolder.forest;
        let event = |e: EventId| (forest.thread(e), Some(forest.event(e).site));
        let (kind, (thread, site)) = match goal {
            Goal::Stub(_) => return true,
            Goal::PartedAgain(_) => return false,
            Goal::Leaf(node) => match forest.node(node).end {
                NodeEnd::Failure(kind) => (kind, (forest.thread_of_node(node), self.unfolder.end_site(node))),
                _ => return false,
            },
            Goal::Freed(e) => (self.freed_kind(e), event(e)),
            Goal::Undefined(e) => (FailureKind::Uninitialised, event(e)),
        };
        aimed.kinds.contains(&kind) && *thread == aimed.thread && site.is_none_or(|site| aimed.is_at(&self.place(site)))
    }

    /// Whether a run has answered the question already.
    pub(crate) fn is_settled(&self, goal: Goal) -> bool {
        match goal {
            Goal::Stub(Stub { node, outcome: Some(outcome) }) => self.unfolder.forest.child(node, outcome).is_some(),
            Goal::Stub(Stub { outcome: None, .. }) => false,
            Goal::Leaf(node) => self.failed.contains(&node),
            Goal::Undefined(e) => self.knows(FailureKind::Uninitialised, e),
            Goal::Freed(e) => self.knows(self.freed_kind(e), e),
            Goal::PartedAgain(e) => {
                let place = Some(self.place_of_event(e));
                self.limits.iter().any(|(_, at)| *at == place)
            }
        }
    }

    fn freed_kind(&self, e: EventId) -> FailureKind {
        match self.unfolder.forest.event(e).kind {
            EventKind::Free { .. } => FailureKind::DoubleFree,
            _ => FailureKind::UseAfterFree,
        }
    }

    /// Whether a bug of this kind is known at the place of an event.
    fn knows(&self, kind: FailureKind, e: EventId) -> bool {
        let place = self.place(self.unfolder.forest.event(e).site);
        !self.options.check.contains(&kind)
            || self.bugs.iter().any(|b| b.failure.kind == kind && b.failure.place == place)
    }

    fn children(&self, goal: Goal) -> usize {
        match goal {
            Goal::Stub(Stub { node, .. }) => match &self.unfolder.forest.node(node).end {
                NodeEnd::Decision(d) => d.children.len(),
                _ => 0,
            },
            _ => 0,
        }
    }

    fn is_reached(&self, goal: Goal, known: usize, machine: &Machine<'_>) -> bool {
        match goal {
            Goal::Stub(Stub { outcome: None, .. }) => self.children(goal) > known,
            Goal::Stub(_) | Goal::Leaf(_) => self.is_settled(goal),
            Goal::Undefined(_) => failed_with(machine, FailureKind::Uninitialised),
            Goal::Freed(e) => failed_with(machine, self.freed_kind(e)),
            Goal::PartedAgain(_) => matches!(machine.end(), Some(End::Unsupported { .. })),
        }
    }

    /// Whether one of these kinds counts as a bug.
    pub(crate) fn looks_for(&self, kinds: &[FailureKind]) -> bool {
        kinds.iter().any(|kind| self.options.check.contains(kind))
    }

    fn waits_at(&self, blocked: Blocked) -> (ThreadName, Place) {
        let forest = &self.unfolder.forest;
        match blocked {
            Blocked::At(e) => (forest.thread(e).clone(), self.place(forest.event(e).site)),
            Blocked::Await(n) => (forest.thread_of_node(n).clone(), self.place(self.unfolder.await_site(n))),
        }
    }

    /// What was asked that is no goal, and has no answer.
    pub(crate) fn undecided(&self, asked: &Asked) -> Vec<(UnprovedKind, Place)> {
        let about = |question: &Question| match *question {
            Question::Goal(_) => None,
            Question::Stuck(blocked) => Some((UnprovedKind::Stuck, self.waits_at(blocked).1)),
            Question::Races(a) => Some((UnprovedKind::Race, self.place_of_event(a))),
        };
        asked.open.iter().filter_map(about).collect()
    }

    pub(crate) fn place_of_event(&self, e: EventId) -> Place {
        self.place(self.unfolder.forest.event(e).site)
    }

    pub(crate) fn knows_race(&self, a: EventId, b: EventId) -> bool {
        self.knows_race_at(&self.place_of_event(a), &self.place_of_event(b))
    }

    fn knows_race_at(&self, a: &Place, b: &Place) -> bool {
        let races = self.bugs.iter().map(|bug| &bug.failure).filter(|failure| failure.kind == FailureKind::Race);
        races.into_iter().any(|race| is_race_at(race, a, b))
    }
}

/// Whether a race is between these two places.
fn is_race_at(race: &Failure, a: &Place, b: &Place) -> bool {
    let (x, y) = (&race.place, &race.others[0].1);
    (x == a && y == b) || (x == b && y == a)
}

fn failed_with(machine: &Machine<'_>, kind: FailureKind) -> bool {
    matches!(machine.end(), Some(End::Failed(f)) if f.kind == kind)
}
