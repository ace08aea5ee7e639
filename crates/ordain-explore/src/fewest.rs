//! The fewest preemptions, and then the fewest switches, with which a recorded run can fail as it did.
//!
//! Executions are divided into blocks (`ordain_model::encode::Blocks`), and asked for with no, one, two preemptions, until
//! there is one. What the solver says no to is a lower bound: for that there have to be blocks enough, and executions that
//! leave the forest with so few preemptions must not exist either. What it says yes to is run and counted by the machine: an
//! upper bound. Where the two meet, the number is proved.

use crate::ask::{Goal, Prepared, Question};
use crate::search::{Reply, Search};
use crate::{Bug, Error};
use ordain_model::encode::{Blocks, Encoding, Mistrust, Waits};
use ordain_model::event::{Event, EventKind};
use ordain_model::failure::Failure;
use ordain_model::forest::Position;
use ordain_model::witness::Execution;
use ordain_solve::engine::Engine;
use ordain_solve::order::Lit;
use ordain_unfold::Script;
use ordain_unfold::script::{Step, What};
use ordain_vm::{Branch, End, Machine, Switches, ThreadId};
use rustc_hash::FxHashSet;

/// Literals that a division into blocks may take: one for each event and block.
const MOST_LITERALS: usize = 100_000;
/// Blocks to begin with, besides three for each thread.
const FEW_BLOCKS: usize = 4;
/// Conflicts that a question may cost whose answer proves nothing.
const QUICK_EFFORT: u64 = 30_000;
/// Conflicts that a question about switches may cost: they only make the schedule nicer.
const EFFORT_FOR_SWITCHES: u64 = 20_000;

/// So often a question is asked again because threads were taken to wait that could go on.
const MOST_MISTRUST: usize = 30;

/// How few preemptions it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fewest {
    /// Of the execution that was found.
    pub found: Switches,
    /// No execution of the recorded paths fails so with fewer preemptions than this.
    pub at_least: u32,
    /// None with as many preemptions has fewer switches.
    pub fewest_switches: bool,
}

/// What is looked for, and what is known of it.
struct Quest {
    failure: Failure,
    /// An execution along the recorded paths.
    best: Option<(Switches, Execution)>,
    at_least: u32,
    fewest_switches: bool,
}

impl Quest {
    /// So many preemptions suffice.
    fn most(&self) -> usize {
        self.best.as_ref().map_or(0, |(found, _)| found.preemptions as usize)
    }
}

/// The model, and what is asked of it.
struct Asking {
    encoding: Encoding<Engine>,
    /// It fails.
    failing: Lit,
    /// It does something that is not in the forest.
    leaving: Lit,
    waits: Waits,
}

/// What has come of asking.
enum Asked {
    /// An execution that fails. Threads may have been taken to wait that do not have to.
    Found {
        better: bool,
        mistrusts: Vec<Mistrust>,
    },
    No,
    /// The forest has grown.
    Grown,
    Open,
}

impl<'p> Search<'p> {
    /// Makes the failure that was found, if it is one of a recorded run, one with as few preemptions as possible.
    pub(crate) fn minimise(&mut self) -> Result<Option<Fewest>, Error> {
        let Some(Bug { failure, .. }) = self.bugs.first().cloned() else { return Ok(None) };
        let known = self.options.recorded.as_ref().and_then(|recorded| recorded.known.clone());
        let best = known.map(|execution| (self.count(&execution), execution));
        let mut quest = Quest { failure, best, at_least: 0, fewest_switches: false };
        if !quest.failure.kind.is_stuck() {
            while self.clock.look().is_none() && self.ask_downwards(&mut quest)? {}
            while self.clock.look().is_none() && self.ask_upwards(&mut quest)? {}
        }
        if let Some((_, execution)) = &quest.best {
            self.bugs[0].execution = execution.clone();
        }
        let found = self.count(&self.bugs[0].execution);
        Ok(Some(Fewest { found, at_least: quest.at_least, fewest_switches: quest.fewest_switches }))
    }

    fn count(&self, execution: &Execution) -> Switches {
        ordain_vm::switches(self.program, self.facts, execution)
    }

    /// With as many blocks as are quick to ask about: for fewer and fewer preemptions, as long as that is easy. Says whether
    /// more is to be asked, of a forest that has grown.
    fn ask_downwards(&mut self, quest: &mut Quest) -> Result<bool, Error> {
        let mut asking = self.begin();
        if quest.best.is_none() {
            // Whatever comes of the rest: along the recorded paths, it can fail.
            match self.ask_for_any(&mut asking, quest)? {
                Asked::Found { .. } => {}
                Asked::Grown => return Ok(true),
                Asked::No | Asked::Open => return Ok(false),
            }
        }
        self.shorten_along(quest);
        let threads = self.threads();
        let count = self.blocks_that_suffice(quest.most(), &asking.waits).min(3 * threads + FEW_BLOCKS);
        let blocks = asking.encoding.divide(&self.unfolder.forest, count, &asking.waits);
        let last = blocks.last_is(&quest.failure.thread);
        asking.encoding.solver.set_limit_conflicts(Some(QUICK_EFFORT));
        while quest.most() > 0 {
            let fewer = quest.most() - 1;
            match self.ask_warily(&mut asking.encoding, (&blocks, fewer), [asking.failing, last], quest)? {
                Asked::Found { better: true, .. } => {}
                Asked::Grown => return Ok(true),
                Asked::Found { .. } | Asked::No | Asked::Open => break,
            }
        }
        asking.encoding.solver.set_limit_conflicts(Some(EFFORT_FOR_SWITCHES));
        let goals = [&[asking.failing, last][..], &[]];
        self.ask_for_fewer_switches(&mut asking.encoding, &blocks, goals, quest)?;
        Ok(false)
    }

    /// Asks for an execution along the recorded paths. Threads must not end where nobody knows that they did.
    fn ask_for_any(&mut self, asking: &mut Asking, quest: &mut Quest) -> Result<Asked, Error> {
        loop {
            let asked = self.ask_once(&mut asking.encoding, &[asking.failing], quest)?;
            let Asked::Found { mistrusts, .. } = &asked else { return Ok(asked) };
            let ended: Vec<Position> = mistrusts.iter().filter(|m| m.ended).map(|m| m.position).collect();
            if ended.is_empty() {
                return Ok(asked);
            }
            ended.into_iter().for_each(|end| asking.encoding.stop_before(&self.unfolder.forest, end));
        }
    }

    /// Leaves out switches that nobody needs, as long as threads stay on the recorded paths.
    fn shorten_along(&self, quest: &mut Quest) {
        let (Some(recorded), Some((found, execution))) = (&self.options.recorded, &mut quest.best) else { return };
        let accepts = |machine: &Machine<'_>| machine.thread_ids().all(|t| is_along(&recorded.script, machine, t));
        let shorter = ordain_vm::shorten_within(self.program, self.facts, execution, &quest.failure, Some(&accepts));
        let counted = self.count(&shorter);
        if counted < *found {
            (*found, *execution) = (counted, shorter);
        }
    }

    /// With as many blocks as any execution may need: for no preemption, one, two, until there is one with so many. Says
    /// whether more is to be asked, of a forest that has grown.
    fn ask_upwards(&mut self, quest: &mut Quest) -> Result<bool, Error> {
        let mut asking = self.begin();
        let count = self.blocks_that_suffice(quest.most(), &asking.waits);
        if quest.best.is_none() || count * self.unfolder.forest.events.len() > MOST_LITERALS {
            return Ok(false);
        }
        let blocks = asking.encoding.divide(&self.unfolder.forest, count, &asking.waits);
        let (failing, leaving, encoding) = (asking.failing, asking.leaving, &mut asking.encoding);
        let last = blocks.last_is(&quest.failure.thread);
        encoding.solver.set_limit_conflicts(self.options.effort);
        // How many are asked for: more than are known to be needed, once it is open whether those suffice.
        let mut asked = quest.at_least as usize;
        while asked < quest.most() {
            match self.ask_warily(encoding, (&blocks, asked), [failing, last], quest)? {
                Asked::Found { .. } => {
                    asked += 1;
                    continue;
                }
                Asked::Grown => return Ok(true),
                Asked::Open => return Ok(false),
                Asked::No => {}
            }
            match self.ask_once(encoding, &[leaving, blocks.at_most_preemptions(asked)], quest)? {
                Asked::Grown => return Ok(true),
                Asked::Found { .. } | Asked::Open => return Ok(false),
                Asked::No => {}
            }
            asked += 1;
            quest.at_least = asked as u32;
        }
        encoding.solver.set_limit_conflicts(Some(EFFORT_FOR_SWITCHES));
        self.ask_for_fewer_switches(encoding, &blocks, [&[failing, last], &[leaving]], quest)
    }

    /// The model as it is now, and what is asked of it.
    fn begin(&mut self) -> Asking {
        let (stubs, failures): (Vec<Goal>, Vec<Goal>) =
            self.goals().into_iter().partition(|goal| matches!(goal, Goal::Stub(_)));
        let mut encoding = self.encode();
        let failing = self.any_goal(&mut encoding, failures);
        let leaving = self.any_goal(&mut encoding, stubs);
        Asking { encoding, failing, leaving, waits: self.unfolder.waits().clone() }
    }

    fn any_goal(&mut self, encoding: &mut Encoding<Engine>, goals: Vec<Goal>) -> Lit {
        let mut prepared = Prepared::default();
        let literal = |goal| self.literal(encoding, &mut prepared, Question::Goal(goal));
        let lits: Vec<Lit> = goals.into_iter().filter_map(literal).collect();
        encoding.any_of(&lits)
    }

    /// The same for switches, with as many preemptions as the best has.
    fn ask_for_fewer_switches(
        &mut self,
        encoding: &mut Encoding<Engine>,
        blocks: &Blocks,
        [failing, leaving]: [&[Lit]; 2],
        quest: &mut Quest,
    ) -> Result<bool, Error> {
        while let Some((found, _)) = quest.best.as_ref().filter(|(found, _)| found.all > 0) {
            let few = blocks.at_most_preemptions(found.preemptions as usize);
            let fewer = blocks.at_most_switches(found.all as usize - 1);
            match self.ask_once(encoding, &[failing, &[few, fewer]].concat(), quest)? {
                Asked::Found { better: true, .. } => continue,
                Asked::Grown => return Ok(true),
                Asked::Found { .. } | Asked::Open => return Ok(false),
                Asked::No => {}
            }
            if leaving.is_empty() {
                // There may be some with more blocks.
                return Ok(false);
            }
            return match self.ask_once(encoding, &[leaving, &[few, fewer]].concat(), quest)? {
                Asked::Grown => Ok(true),
                Asked::Found { .. } | Asked::Open => Ok(false),
                Asked::No => {
                    quest.fewest_switches = true;
                    Ok(false)
                }
            };
        }
        Ok(false)
    }

    /// Asks for an execution with at most so many preemptions, and again with less trust where the machine counts more than the
    /// model. Then it is not certain that there is none.
    fn ask_warily(
        &mut self,
        encoding: &mut Encoding<Engine>,
        (blocks, most): (&Blocks, usize),
        [failing, last]: [Lit; 2],
        quest: &mut Quest,
    ) -> Result<Asked, Error> {
        let few = blocks.at_most_preemptions(most);
        let mut answer = self.ask_once(encoding, &[failing, last, few], quest)?;
        let mut found_better = false;
        for _ in 0..MOST_MISTRUST {
            match &answer {
                Asked::Found { better, mistrusts } if quest.most() > most && !mistrusts.is_empty() => {
                    found_better |= better;
                    for mistrust in mistrusts {
                        encoding.distrust(&self.unfolder.forest, blocks, mistrust);
                    }
                }
                _ => return Ok(answer),
            }
            answer = match self.ask_once(encoding, &[failing, last, few, blocks.wary()], quest)? {
                Asked::No => break,
                answer => answer,
            };
        }
        Ok(match self.ask_once(encoding, &[failing, last, few, blocks.no_trust()], quest)? {
            Asked::No => Asked::Found { better: found_better, mistrusts: Vec::new() },
            answer => answer,
        })
    }

    /// Asks, runs what is found, and keeps it if it is better.
    fn ask_once(
        &mut self,
        encoding: &mut Encoding<Engine>,
        assumptions: &[Lit],
        quest: &mut Quest,
    ) -> Result<Asked, Error> {
        let solution = match self.ask(encoding, assumptions) {
            Reply::Yes(solution) => solution,
            Reply::No => return Ok(Asked::No),
            Reply::TooHard => return Ok(Asked::Open),
        };
        let (machine, mistrusts) = self.execute_in_turns(&solution, &quest.failure.thread)?;
        if matches!(machine.end(), Some(End::Failed(failed)) if failed.same_claim(&quest.failure)) {
            let execution = machine.execution();
            let counted = self.count(&execution);
            // That a thread has ended is something that others may notice: if that is not known, it is another way.
            let is_along = !mistrusts.iter().any(|mistrust| mistrust.ended);
            let better = is_along && quest.best.as_ref().is_none_or(|(best, _)| counted < *best);
            if better {
                quest.best = Some((counted, execution));
            }
            return Ok(Asked::Found { better, mistrusts });
        }
        let nodes = self.unfolder.forest.nodes.len();
        let rebuilt = self.take_in(&machine)?;
        Ok(if rebuilt || self.unfolder.forest.nodes.len() != nodes { Asked::Grown } else { Asked::Open })
    }

    /// So many blocks any execution with fewer than `preemptions` preemptions can do with: each of the others ends where a
    /// thread ends, or stands before something that it has to wait for, which it does once.
    fn blocks_that_suffice(&self, preemptions: usize, waits: &Waits) -> usize {
        let has_to_wait = |e: &&Event| {
            matches!(e.kind, EventKind::Lock { waits: true, .. } | EventKind::Join { .. } | EventKind::Wake { .. })
        };
        let waiting = self.unfolder.forest.events.iter().filter(has_to_wait).count();
        let elsewhere = waits.rounds.len() + waits.ends.len() + waits.open_ends.len();
        waiting + elsewhere + self.threads() + preemptions + 1
    }

    fn threads(&self) -> usize {
        let trees = &self.unfolder.forest.trees;
        trees.iter().map(|tree| &tree.key.thread).collect::<FxHashSet<_>>().len()
    }
}

/// Whether a thread has taken more branches than were recorded. Of what ran natively nothing was.
pub(crate) fn is_beyond(script: &Script, machine: &Machine<'_>, thread: ThreadId) -> bool {
    let (recorded, taken) = (recorded_branches(script, machine, thread), taken_branches(script, machine, thread));
    taken.count() > recorded.count()
}

fn recorded_branches<'s>(
    script: &'s Script,
    machine: &Machine<'_>,
    thread: ThreadId,
) -> impl Iterator<Item = &'s Step> + use<'s> {
    let steps = script.steps.get(machine.name(thread)).map_or(&[][..], |steps| steps);
    steps.iter().filter(|step| matches!(step.what, What::Branch { .. }))
}

fn taken_branches<'m>(
    script: &'m Script,
    machine: &'m Machine<'_>,
    thread: ThreadId,
) -> impl Iterator<Item = &'m Branch> {
    machine.branches(thread).iter().filter(|branch| !script.unrecorded.contains(&branch.function))
}

/// Whether a thread has gone as recorded, as far as it has come.
fn is_along(script: &Script, machine: &Machine<'_>, thread: ThreadId) -> bool {
    let mut recorded = recorded_branches(script, machine, thread);
    taken_branches(script, machine, thread).all(|branch| {
        let next = recorded.next().map(|step| (step.function, step.pc, step.what));
        next == Some((branch.function, branch.pc, What::Branch { to: branch.to }))
    })
}
