//! The search: ask for an execution that leaves the forest, run it, let the forest grow; until there is none.

use crate::ask::{Claim, Goal, Prepared, Question};
use crate::clock::Clock;
use crate::follow::{Follower, Log, is_event};
use crate::guide::Guide;
use crate::team::Seat;
use crate::unproved::Left;
use crate::{Aimed, Bug, Classes, Error, Journal, Options, Paths, Progress, Regions, Statistics, Summary, Verdict};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::encode::{Encoding, Mistrust, Solution, conflicts};
use ordain_model::event::{EventKind, Site};
use ordain_model::failure::{Failure, Place};
use ordain_model::forest::{Cut, NodeId};
use ordain_model::memory::AddressBook;
use ordain_model::names::ThreadName;
use ordain_model::scene::Scene;
use ordain_model::witness::{Execution, MemoryModel};
use ordain_solve::engine::Engine;
use ordain_solve::order::{Answer, Lit};
use ordain_unfold::{Patience, Sharing, Unfolder};
use ordain_vm::schedulers::{self, Choice, Follow, Outcome, Scheduler, candidates};
use ordain_vm::{Config, End, Executed, Inputs, Machine, RaceMode, Status, Watch};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Steps after which a run is left alone: what it has shown until then counts.
const RUN_LIMIT: u64 = 20_000;
/// The same in the middle of a run, which goes on for long: what a run was made for may be far ahead of its thread, but what others could
/// notice before are few things; the rest is of no interest.
const RUN_LIMIT_IN_SCENE: u64 = 200_000;
const MOST_NOTICED_IN_SCENE: u32 = 32;
const RUN_LIMIT_BESIDES: u64 = 1_000;

/// Pairs of conflicting accesses that are given to a solver: more do not fit into the memory of ordinary machines.
const MOST_CONFLICTS: u64 = 8_000_000;

/// The same in one of many parts of a run: what takes longer shows no more than a smaller part.
const MOST_CONFLICTS_IN_FOCUS: u64 = 12_000;

/// How often threads go on in a run because time is up, when nobody else can: after that nothing new comes of it.
const MOST_EXPIRIES: u32 = 8;

/// Conflicts that the first attempt at a question may cost. What takes more is put off until the easier questions have been
/// asked: often their answers make the forest grow, and the hard question has an easy answer then.
const FIRST_EFFORT: u64 = 2_000;
const EFFORT_FACTOR: u64 = 8;

/// What comes of asking the solver.
pub(crate) enum Reply {
    Yes(Solution),
    No,
    /// Not decided with the effort, or in the time, that was allowed.
    TooHard,
}

pub struct Search<'p> {
    pub(crate) program: &'p Program,
    pub(crate) facts: &'p Facts,
    pub(crate) options: &'p Options,
    pub(crate) book: Rc<RefCell<AddressBook>>,
    pub(crate) unfolder: Unfolder<'p>,
    /// Of all runs so far; if one was known, it is the first.
    pub(crate) logs: Vec<Log>,
    /// Nodes at whose end some run failed.
    pub(crate) failed: FxHashSet<NodeId>,
    /// Goals that took the solver more than a first attempt.
    pub(crate) hard: FxHashSet<Goal>,
    /// Who was seen stuck where.
    pub(crate) stuck: FxHashSet<(ThreadName, Place)>,
    pub(crate) bugs: Vec<Bug>,
    pub(crate) runs: u32,
    pub(crate) statistics: Statistics,
    /// What the run that is being taken in was made for.
    pub(crate) claimed: Option<Claim>,
    /// Where runs could not go on.
    pub(crate) limits: Vec<(Cut, Option<Place>)>,
    pub(crate) journal: Journal<'p>,
    /// The place of this search among those that share the work.
    pub(crate) seat: Seat,
    /// How many goals are still to be asked, in this round.
    pub(crate) unasked: usize,
    /// What is still to be asked about the forest as it is.
    pub(crate) left: Left,
    pub(crate) clock: Rc<Clock>,
    /// What came of looking at regions.
    pub(crate) regions: Regions,
    /// Sees every run.
    pub(crate) watch: Rc<Watch>,
    /// Where runs begin, if not at the start of the program.
    scene: Option<Rc<Machine<'p>>>,
}

impl<'p> Search<'p> {
    pub fn new(program: &'p Program, facts: &'p Facts, options: &'p Options, journal: Journal<'p>, seat: Seat) -> Self {
        Self::beginning_at(None, program, facts, options, journal, seat)
    }

    /// A search whose executions go on from where a machine is.
    pub fn in_scene(machine: Machine<'p>, facts: &'p Facts, options: &'p Options) -> Self {
        let program = machine.program();
        Self::beginning_at(Some(Rc::new(machine)), program, facts, options, Journal::default(), Seat::alone())
    }

    fn beginning_at(
        scene: Option<Rc<Machine<'p>>>,
        program: &'p Program,
        facts: &'p Facts,
        options: &'p Options,
        journal: Journal<'p>,
        seat: Seat,
    ) -> Self {
        let book = match &scene {
            Some(machine) => Rc::clone(machine.book()),
            None => Rc::new(RefCell::new(AddressBook::new(program))),
        };
        let deadline = options.time.map(|t| Instant::now() + t);
        let clock = Rc::new(Clock::new(deadline, options.interrupt.clone()));
        let patience = patience(&clock);
        // What is shared decides how all threads of a scene are unfolded, so it had better be known before.
        let sharing = scene.as_ref().map_or_else(Sharing::default, |scene| shared_in_known(scene, options));
        let begins = scene.clone().map(|machine| machine as Rc<dyn Scene + 'p>);
        let unfolder = Unfolder::new(program, facts, unfolding(options), Rc::clone(&book), sharing, patience, begins);
        Search {
            program,
            facts,
            options,
            book,
            unfolder,
            logs: Vec::new(),
            failed: FxHashSet::default(),
            hard: FxHashSet::default(),
            stuck: FxHashSet::default(),
            bugs: Vec::new(),
            runs: 0,
            statistics: Statistics::default(),
            claimed: None,
            limits: Vec::new(),
            journal,
            seat,
            unasked: 0,
            left: Left::all(Vec::new()),
            clock,
            regions: Regions::default(),
            watch: Rc::new(Watch::new(program, options.interrupt.flag())),
            scene,
        }
    }

    pub fn run(mut self, progress: &mut dyn FnMut(&Progress)) -> Result<Summary, Error> {
        self.take_up_journal()?;
        self.take_up_known()?;
        if self.runs == 0 {
            let mut machine = self.machine(Inputs::zero());
            self.finish(&mut machine, None);
            self.absorb(&machine)?;
        }
        self.left = Left::all(self.goals());
        while self.goes_on()? && self.round(progress)? {
            // The forest has grown: there is more to ask, and what was asked may have another answer.
            self.left = Left::all(self.goals());
        }
        let fewest = match self.aimed() {
            Some(_) => self.minimise()?,
            None => None,
        };
        let mut paths = None;
        if let Some(wanted) = self.options.paths.filter(|_| self.seat.leads() && !self.is_over()) {
            paths = Some(match wanted {
                Paths::Run => Classes::Run(self.run_paths()?),
                Paths::Count => Classes::Counted(self.count_paths()),
            });
        }
        let mut verdict = self.verdict();
        if verdict == Verdict::Safe && self.options.audit > 0 && self.seat.leads() {
            self.audit()?;
            // Whoever wants an audit wants all of it.
            verdict = self.verdict();
        }
        Ok(Summary { fewest, ..self.conclude(verdict, paths) })
    }

    /// Of a recorded run, an execution that fails as it did may be known: then it need not be looked for.
    fn take_up_known(&mut self) -> Result<(), Error> {
        let Some(known) = self.options.recorded.as_ref().and_then(|recorded| recorded.known.as_ref()) else {
            return Ok(());
        };
        let machine = self.run_again(known)?;
        if self.aimed().is_none() {
            self.claimed = Some(Claim::Anything);
        } else if let Some(End::Failed(failure)) = machine.end() {
            self.bugs.push(Bug { failure: failure.clone(), execution: known.clone() });
        }
        self.take_in(&machine)?;
        self.claimed = None;
        Ok(())
    }

    /// Whether runs begin in the middle of another.
    pub(crate) fn is_in_scene(&self) -> bool {
        self.scene.is_some()
    }

    /// The failure of a recorded run that is looked for, if that is all.
    pub(crate) fn aimed(&self) -> Option<&'p Aimed> {
        self.options.recorded.as_ref()?.aimed()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.clock.look().is_some() || self.ends_at_first()
    }

    /// Whether one bug is enough, and there is one.
    pub(crate) fn ends_at_first(&self) -> bool {
        self.options.first && !self.bugs.is_empty()
    }

    /// Asks everything once; says whether anything new came of it.
    fn round(&mut self, progress: &mut dyn FnMut(&Progress)) -> Result<bool, Error> {
        self.statistics.rounds += 1;
        if self.options.memory != MemoryModel::Sc
            && let Some(section) = self.atomic_section()
        {
            let what = "atomic sections are modelled under sequential consistency only".to_owned();
            self.limits.push((Cut::Unsupported(what), Some(self.place(section))));
            return Ok(false);
        }
        if conflicts(&self.unfolder.forest) > MOST_CONFLICTS {
            let what = "there are too many accesses to the same memory for the solver".to_owned();
            self.limits.push((Cut::Unsupported(what), None));
            return Ok(false);
        }
        if let Some(focus) = self.focus()
            && !self.has_questions(focus)?
        {
            self.left = Left::default();
            return Ok(false);
        }
        if self.focus().is_some() && conflicts(&self.unfolder.forest) > MOST_CONFLICTS_IN_FOCUS {
            let what = "threads have too much to do with each other in this part of the run".to_owned();
            self.limits.push((Cut::Unsupported(what), None));
            return Ok(false);
        }
        let mut encoding = self.encode();
        if !self.goes_on()? {
            return Ok(false);
        }
        if let Some(focus) = self.focus() {
            return self.ask_in_focus(focus, &mut encoding, progress);
        }
        let mut prepared = Prepared::default();
        let most = self.options.effort.unwrap_or(u64::MAX);
        let mut effort = FIRST_EFFORT.min(most);
        // What can be reached is mostly reached at the first attempt. What is left then can mostly not be.
        let mut guided = true;
        // What was hard will be hard again: the first attempt is for the others.
        let is_hard = |goal: &Goal| effort < most && self.hard.contains(goal);
        let (mut put_off, mut goals): (Vec<Goal>, Vec<Goal>) = self.left.goals.iter().partition(|goal| is_hard(goal));
        loop {
            encoding.solver.set_limit_conflicts(Some(effort));
            encoding.solver.set_guided(guided);
            self.unasked = goals.len();
            let asked = self.ask_all(&mut encoding, &mut prepared, goals.into_iter().map(Question::Goal), progress)?;
            goals = asked.goals();
            goals.append(&mut put_off);
            self.hard.extend(&goals);
            self.left.goals.clone_from(&goals);
            if asked.grown || !asked.complete {
                return Ok(asked.grown);
            }
            if guided && self.unfold_failing_rounds(&encoding)? {
                return Ok(true);
            }
            if effort == most || goals.is_empty() {
                // What is left stays open.
                break;
            }
            effort = effort.saturating_mul(EFFORT_FACTOR).min(most);
            guided = false;
        }
        encoding.solver.set_limit_conflicts(self.options.effort);
        encoding.solver.set_guided(false);
        Ok(self.ask_stuck(&mut encoding, progress)?
            || self.ask_races(&mut encoding, progress)?
            || self.ask_regions(&mut encoding, progress)?)
    }

    fn atomic_section(&self) -> Option<Site> {
        self.unfolder.forest.events.iter().find(|e| e.kind == EventKind::AtomicBegin).map(|e| e.site)
    }

    pub(crate) fn encode(&mut self) -> Encoding<Engine> {
        let mut engine = Engine::interrupted_by(self.clock.interrupt.flag());
        engine.set_deadline(self.clock.deadline);
        Encoding::new(&mut self.unfolder.forest, self.options.memory, engine)
    }

    pub(crate) fn place(&self, site: Site) -> Place {
        let location = self.program.location(site.user.0, site.user.1);
        Place { file: self.program.files[location.file as usize].clone(), line: location.line }
    }

    pub(crate) fn ask(&mut self, encoding: &mut Encoding<Engine>, assumptions: &[Lit]) -> Reply {
        self.statistics.queries += 1;
        match encoding.solve(assumptions) {
            Answer::Sat => {
                self.statistics.satisfiable += 1;
                Reply::Yes(encoding.solution(&self.unfolder.forest))
            }
            Answer::Unsat => Reply::No,
            Answer::Unknown => {
                self.clock.look();
                Reply::TooHard
            }
        }
    }

    /// A machine at the start of a run that counts.
    pub(crate) fn machine(&self, inputs: Inputs) -> Machine<'p> {
        self.machine_with(self.config(), inputs)
    }

    fn machine_with(&self, config: Config, inputs: Inputs) -> Machine<'p> {
        let (book, watch) = (Rc::clone(&self.book), Rc::clone(&self.watch));
        let mut machine = match &self.scene {
            Some(scene) => scene.begin_here(config, Some(watch)),
            None => Machine::watched(self.program, self.facts, config, book, watch),
        };
        machine.provide_inputs(self.with_recorded(inputs));
        machine
    }

    /// What was recorded is not for the solver to choose.
    fn with_recorded(&self, mut inputs: Inputs) -> Inputs {
        for (key, bytes) in self.options.recorded.iter().flat_map(|recorded| &recorded.script.inputs) {
            inputs.set(key.thread.clone(), key.nth, bytes.clone());
        }
        match &self.options.recorded {
            Some(recorded) => inputs.with_answers(recorded.script.answers.clone()),
            None => inputs,
        }
    }

    fn config(&self) -> Config {
        Config {
            memory: self.options.memory,
            races: RaceMode::Full,
            record: true,
            stop_when_stuck: false,
            spurious: self.options.spurious,
            ..Config::default()
        }
    }

    /// Runs a solution, and then on to the end: first the given thread, as far as it goes.
    pub(crate) fn execute(&mut self, solution: &Solution, first: Option<&ThreadName>) -> Result<Machine<'p>, Error> {
        let mut machine = self.machine(Inputs::given(&solution.inputs));
        let book = Rc::clone(&self.book);
        let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
        let mut guide = Guide::new(&self.unfolder, &size_of, &mut machine, solution);
        guide.run()?;
        if first.is_none() {
            guide.settle();
        }
        self.finish(&mut machine, first);
        Ok(machine)
    }

    /// Runs a solution turn by turn, then lets the given thread go on as far as it goes. With what it was wrong to trust in.
    pub(crate) fn execute_in_turns(
        &mut self,
        solution: &Solution,
        last: &ThreadName,
    ) -> Result<(Machine<'p>, Vec<Mistrust>), Error> {
        let config = Config { branches: true, ..self.config() };
        let mut machine = self.machine_with(config, Inputs::given(&solution.inputs));
        let book = Rc::clone(&self.book);
        let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
        let script = self.options.recorded.as_ref().map(|recorded| &*recorded.script);
        let guide = Guide::new(&self.unfolder, &size_of, &mut machine, solution);
        let mistrusts = guide.within(script).run_in_turns(last)?;
        self.finish(&mut machine, Some(last));
        Ok((machine, mistrusts))
    }

    fn finish(&self, machine: &mut Machine<'p>, first: Option<&ThreadName>) {
        let mut expired = 0;
        let mut limit = RUN_LIMIT;
        if self.scene.is_some() {
            if let Some(first) = first {
                self.go_on(machine, first);
            }
            limit = RUN_LIMIT_BESIDES;
        }
        for _ in 0..limit {
            if machine.end().is_some() || expired > MOST_EXPIRIES || self.clock.interrupt.is_raised() {
                return;
            }
            let preferred = first.and_then(|name| machine.thread_by_name(name));
            let preferred = preferred.filter(|&t| machine.status(t) == Status::Ready);
            match preferred.or_else(|| candidates(machine).first().copied()) {
                Some(t) if machine.status(t) == Status::Ready => machine.step(t),
                other => match (machine.commits().first(), other) {
                    (Some(&(t, nth)), _) => machine.commit(t, nth),
                    (None, Some(t)) if machine.may_expire(t) => {
                        machine.step_with(t, 1);
                        expired += 1;
                    }
                    (None, Some(t)) => machine.step(t),
                    (None, None) => return,
                },
            }
        }
    }

    /// In the middle of a run, a thread goes on until it has come to what the run was made for, if it can.
    fn go_on(&self, machine: &mut Machine<'p>, first: &ThreadName) {
        let book = Rc::clone(&self.book);
        let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
        let Some(t) = machine.thread_by_name(first) else { return };
        let mut noticed = 0;
        for _ in 0..RUN_LIMIT_IN_SCENE {
            let may = machine.end().is_none() && machine.status(t) == Status::Ready;
            if !may || noticed == MOST_NOTICED_IN_SCENE || self.clock.interrupt.is_raised() {
                return;
            }
            let before = machine.log().len();
            machine.step(t);
            let new = &machine.log()[before.min(machine.log().len())..];
            let is_noticed = |e: &&Executed| is_event(&self.unfolder, first, &e.action, false, &size_of);
            noticed += u32::from(new.iter().any(|e| is_noticed(&e)));
        }
    }

    /// Writes a run down, and takes in what it has shown; says whether the model had to be built anew.
    pub(crate) fn absorb(&mut self, machine: &Machine<'p>) -> Result<bool, Error> {
        (self.journal.record)(&machine.execution()).map_err(Error::Journal)?;
        self.take_in(machine)
    }

    pub(crate) fn take_in(&mut self, machine: &Machine<'p>) -> Result<bool, Error> {
        self.runs += 1;
        match machine.end() {
            Some(End::Failed(failure)) => self.report(failure, machine)?,
            Some(End::Unsupported { what, place }) => {
                self.limits.push((Cut::Unsupported(what.clone()), Some(place.clone())));
            }
            _ => {}
        }
        for failure in machine.stuck().iter().chain(machine.races()) {
            self.report(failure, machine)?;
        }
        let log = Log::of(machine);
        let book = Rc::clone(&self.book);
        let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
        let settles = self.unfolder.settles();
        log.note(&mut self.unfolder.sharing, settles, &size_of);
        self.logs.push(log);
        let counts = matches!(machine.end(), Some(End::Failed(failure)) if self.counts(failure));
        if !self.unfolder.is_stale() {
            let mut follower = Follower::new(&mut self.unfolder, &size_of);
            if follower.follow(&self.logs[self.logs.len() - 1])? {
                if counts {
                    self.failed.extend(follower.failed);
                }
                return Ok(false);
            }
        }
        self.rebuild()?;
        Ok(true)
    }

    /// Memory that was taken to be private is shared: unfold again everything that the runs so far have shown.
    pub(crate) fn rebuild(&mut self) -> Result<(), Error> {
        let book = Rc::clone(&self.book);
        let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
        let all_count = !self.counts_only_asked();
        'again: loop {
            self.statistics.restarts += 1;
            self.failed.clear();
            self.hard.clear();
            let sharing = std::mem::take(&mut self.unfolder.sharing);
            let options = unfolding(self.options);
            let (book, patience) = (Rc::clone(&self.book), patience(&self.clock));
            let scene = self.scene.clone().map(|machine| machine as Rc<dyn Scene + 'p>);
            self.unfolder = Unfolder::new(self.program, self.facts, options, book, sharing, patience, scene);
            for log in &self.logs {
                let mut follower = Follower::new(&mut self.unfolder, &size_of);
                if !follower.follow(log)? {
                    continue 'again;
                }
                if all_count {
                    self.failed.extend(follower.failed);
                }
            }
            return Ok(());
        }
    }

    /// Whether what runs show besides does not count. Of a recorded run, it need not be along the recorded paths.
    fn counts_only_asked(&self) -> bool {
        self.options.only_asked || self.options.recorded.is_some()
    }

    fn counts(&self, failure: &Failure) -> bool {
        if self.options.recorded.as_ref().is_some_and(|recorded| !recorded.is_about(failure)) {
            return false;
        }
        !self.counts_only_asked() || self.claimed.as_ref().is_some_and(|claim| claim.is_about(failure))
    }

    fn report(&mut self, failure: &Failure, machine: &Machine<'p>) -> Result<(), Error> {
        if !self.counts(failure) {
            return Ok(());
        }
        let stuck = failure.kind.is_stuck();
        let mut new = !self.bugs.iter().any(|b| b.failure.same_places(failure));
        if stuck {
            let here = [(failure.thread.clone(), failure.place.clone())];
            new = false;
            for waiting in here.into_iter().chain(failure.others.iter().cloned()) {
                new |= self.stuck.insert(waiting);
            }
        }
        if new && self.options.check.contains(&failure.kind) {
            let execution = self.confirm(failure, machine.execution())?;
            self.bugs.push(Bug { failure: failure.clone(), execution });
        }
        Ok(())
    }

    /// Runs an execution again, up to the failure: nothing is reported that has not been replayed.
    pub(crate) fn confirm(&self, failure: &Failure, execution: Execution) -> Result<Execution, Error> {
        // Nobody watches: this one goes to the end, whoever interrupts.
        let mut machine = match &self.scene {
            Some(scene) => scene.begin_here(self.config(), None),
            None => Machine::new(self.program, self.facts, self.config(), Rc::clone(&self.book)),
        };
        machine.provide_inputs(Inputs::of(&execution));
        let mut follow = Follow::new(&execution.schedule);
        loop {
            let failed = match machine.end() {
                Some(End::Failed(f)) => Some(f),
                _ => None,
            };
            let mut shown = failed.into_iter().chain(machine.races()).chain(machine.stuck());
            if shown.any(|f| f.same_claim(failure)) || machine.shows_split(failure) {
                return Ok(machine.execution());
            }
            if machine.end().is_some() {
                break;
            }
            match follow.choose(&machine) {
                Choice::Run(t, _) => machine.step(t),
                Choice::Decide(t, outcome) => machine.step_with(t, outcome),
                Choice::Commit(t, nth) => machine.commit(t, nth),
                Choice::Stop => break,
            }
        }
        Err(Error::Diverged(format!("a run that showed {failure:?} did not show it again")))
    }
}

/// Who touches what in the known execution from here on.
fn shared_in_known(scene: &Machine<'_>, options: &Options) -> Sharing {
    let mut sharing = Sharing::default();
    if let Some(known) = options.recorded.as_ref().and_then(|recorded| recorded.known.as_ref()) {
        let config = Config { record: true, stop_when_stuck: false, ..*scene.config() };
        let mut machine = scene.begin_here(config, None);
        machine.provide_inputs(Inputs::of(known));
        let _: Outcome = schedulers::run(&mut machine, &mut Follow::new(&known.schedule), u64::MAX);
        let book = scene.book().borrow();
        Log::of(&machine).note(&mut sharing, false, &|base| book.object(base).map_or(0, |o| o.size));
    }
    sharing
}

fn unfolding(options: &Options) -> ordain_unfold::Options {
    ordain_unfold::Options {
        merge: options.paths.is_none(),
        weak: options.memory != MemoryModel::Sc,
        spurious: options.spurious,
        unroll: options.unroll,
        script: options.recorded.as_ref().map(|recorded| Arc::clone(&recorded.script)),
    }
}

fn patience(clock: &Rc<Clock>) -> Patience {
    let clock = Rc::clone(clock);
    Rc::new(move || clock.look().is_some())
}
