//! A thread of a recorded run, and whether a thread of the machine goes the same way.
//!
//! A *tape* is what is known of the way a thread went, step by step. Rounds of a loop in which a thread waits count for nothing:
//! how many there were is a matter of who was faster, so a thread may leave such a loop earlier than the recorded one did.

use crate::log::Branch;
use crate::trail::Passed;
use ordain_ir::program::{BlockId, FuncId, Pc};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Something that a recorded thread did, at `pc` of `function`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub function: FuncId,
    pub pc: Pc,
    pub what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A branch or switch led to this block.
    Branch { to: BlockId },
    /// It had to do with other threads, at this time.
    Time(u64),
    /// It called something that returned this.
    Result(u64),
}

#[derive(Clone, Debug, Default)]
pub struct Tape {
    pub steps: Vec<Step>,
    /// When the thread began, and when it is known to have ended.
    pub began: u64,
    pub ended: Option<u64>,
    pub knowledge: Arc<Knowledge>,
}

impl Tape {
    /// How many branches there are, but for those of loops in which a thread may have waited.
    pub fn branches_besides_waiting(&self) -> usize {
        let counts = |step: &&Step| match step.what {
            What::Branch { to } => !self.knowledge.waiting.contains_key(&(step.function, step.pc, to)),
            _ => false,
        };
        self.steps.iter().filter(counts).count()
    }

    /// Whether these steps do nothing but go round in loops of this function in which a thread may wait.
    fn waits(&self, steps: &[Step], function: FuncId) -> bool {
        let waits = |step: &Step| self.goes_round(step) || matches!(step.what, What::Time(_));
        steps.iter().all(|step| step.function == function && waits(step))
    }

    /// Whether the thread may have gone round in a loop in which it waited.
    pub fn has_waited(&self) -> bool {
        self.steps.iter().any(|step| self.goes_round(step))
    }

    /// Whether a step is a branch that stays in a loop in which a thread may wait.
    fn goes_round(&self, step: &Step) -> bool {
        match step.what {
            What::Branch { to } => self.knowledge.waiting.get(&(step.function, step.pc, to)) == Some(&false),
            What::Time(_) | What::Result(_) => false,
        }
    }
}

/// What is known of the branches of the program.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// The ways of those of loops in which a thread may wait for memory to change, and whether they lead out of one.
    pub waiting: FxHashMap<(FuncId, Pc, BlockId), bool>,
    /// Those that are on no tape: which way they go follows from the others.
    pub computed: FxHashSet<(FuncId, Pc)>,
}

/// How far a thread has come on its tape.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Along {
    /// The next step.
    at: usize,
}

/// A thread does something else than the recorded one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apart {
    /// It goes on where the tape is over.
    Over,
    /// It goes another way.
    Elsewhere,
}

impl Along {
    pub fn is_over(&self, tape: &Tape) -> bool {
        self.at >= tape.steps.len()
    }

    /// The steps that are still to come.
    pub fn rest<'t>(&self, tape: &'t Tape) -> &'t [Step] {
        &tape.steps[self.at..]
    }

    /// Whether no branch is still to come but those of rounds in which the thread may wait.
    pub fn only_waits(&self, tape: &Tape) -> bool {
        self.rest(tape).iter().all(|step| tape.goes_round(step) || !matches!(step.what, What::Branch { .. }))
    }

    /// When the thread next had to do with others, and the number of the step in which it did.
    pub fn next_time(&self, tape: &Tape) -> Option<(usize, u64)> {
        let time = |(nth, step): (usize, &Step)| match step.what {
            What::Time(time) => Some((self.at + nth, time)),
            _ => None,
        };
        self.rest(tape).iter().enumerate().find_map(time)
    }

    /// What the next call whose result is known returned.
    pub fn next_result(&self, tape: &Tape) -> Option<u64> {
        let result = |step: &Step| match step.what {
            What::Result(value) => Some(value),
            _ => None,
        };
        self.rest(tape).iter().find_map(result)
    }

    /// The thread has done this. Says how often it had to do with others.
    pub fn go(&mut self, tape: &Tape, passed: &[Passed]) -> Result<usize, Apart> {
        let mut times = 0;
        for done in passed {
            match *done {
                Passed::Branch(branch) => self.branch(tape, branch)?,
                Passed::Done { function, pc, result } => times += self.done(tape, (function, pc), result)?,
                Passed::Entered { function, pc } => times += self.entered(tape, (function, pc)),
            }
        }
        Ok(times)
    }

    fn branch(&mut self, tape: &Tape, Branch { function, pc, to }: Branch) -> Result<(), Apart> {
        if tape.knowledge.computed.contains(&(function, pc)) {
            return Ok(());
        }
        let Some(step) = tape.steps.get(self.at) else { return Err(Apart::Over) };
        if (step.function, step.pc) != (function, pc) {
            return Err(Apart::Elsewhere);
        }
        match step.what {
            What::Branch { to: recorded } if recorded == to => {
                self.at += 1;
                Ok(())
            }
            What::Branch { .. } => {
                let leaves = self.after_waiting(tape, Step { function, pc, what: What::Branch { to } });
                self.at = leaves.ok_or(Apart::Elsewhere)?;
                Ok(())
            }
            _ => Err(Apart::Elsewhere),
        }
    }

    /// Of a call that has two times, the first is that of its beginning.
    fn entered(&mut self, tape: &Tape, place: (FuncId, Pc)) -> usize {
        let is_time = |step: &Step| matches!(step.what, What::Time(_)) && (step.function, step.pc) == place;
        let rest = self.rest(tape);
        // Of one that did not return, there is only the first.
        let begins = match rest {
            [last] => is_time(last),
            [first, second, ..] => is_time(first) && is_time(second),
            [] => false,
        };
        self.at += usize::from(begins);
        usize::from(begins)
    }

    fn done(&mut self, tape: &Tape, place: (FuncId, Pc), result: Option<u64>) -> Result<usize, Apart> {
        let is_here = |step: &&Step| (step.function, step.pc) == place;
        let mut times = 0;
        if let Some(Step { what: What::Time(_), .. }) = tape.steps.get(self.at).filter(is_here) {
            self.at += 1;
            times = 1;
        }
        if let Some(Step { what: What::Result(recorded), .. }) = tape.steps.get(self.at).filter(is_here) {
            if result.is_some_and(|result| result != *recorded) {
                return Err(Apart::Elsewhere);
            }
            self.at += 1;
        }
        Ok(times)
    }

    /// The thread goes one way in a loop where the recorded one went another, and went round again: where it goes on, if all that
    /// the recorded one did until it went the same way was to wait.
    fn after_waiting(&self, tape: &Tape, now: Step) -> Option<usize> {
        let What::Branch { to } = now.what else { return None };
        let leads_out = *tape.knowledge.waiting.get(&(now.function, now.pc, to))?;
        let rest = self.rest(tape);
        let same = if leads_out { after_same_rounds(rest, &now) } else { None };
        let waited = same.or_else(|| {
            rest.iter().position(|step| *step == now).filter(|&at| tape.waits(&rest[..at], now.function))
        })?;
        Some(self.at + waited + 1)
    }

    /// The thread has gone round in a loop to no avail, since this step of its tape. Leaves out what is the same round once more.
    pub fn skip_rounds(&mut self, tape: &Tape, since: usize) {
        let round: Vec<Step> = ways(&tape.steps[since..self.at]).map(|(_, step)| *step).collect();
        if round.is_empty() {
            return;
        }
        let mut same = 0;
        for (nth, ((at, step), before)) in ways(self.rest(tape)).zip(round.iter().cycle()).enumerate() {
            if step != before {
                break;
            }
            if (nth + 1).is_multiple_of(round.len()) {
                same = at + 1;
            }
        }
        self.at += same;
    }

    /// How many steps lie behind.
    pub fn steps(&self) -> usize {
        self.at
    }
}

/// The steps that say which way a thread went, and their numbers.
fn ways(steps: &[Step]) -> impl Iterator<Item = (usize, &Step)> {
    steps.iter().enumerate().filter(|(_, step)| !matches!(step.what, What::Time(_)))
}

/// Where in `rest` a thread leaves a loop by `leaves`, if all that it does before is the same round again and again.
fn after_same_rounds(rest: &[Step], leaves: &Step) -> Option<usize> {
    let is_exit = |step: &Step| (step.function, step.pc) == (leaves.function, leaves.pc);
    let round = 1 + ways(rest).skip(1).position(|(_, step)| is_exit(step))?;
    let first: Vec<&Step> = ways(rest).take(round).map(|(_, step)| step).collect();
    for (nth, (at, step)) in ways(rest).enumerate() {
        if nth.is_multiple_of(round) && step == leaves {
            return Some(at);
        }
        if step != first[nth % round] {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: (FuncId, Pc) = (FuncId(0), Pc(7));

    fn step(what: What) -> Step {
        Step { function: PLACE.0, pc: PLACE.1, what }
    }

    fn other(what: What) -> Step {
        Step { pc: Pc(3), ..step(what) }
    }

    fn branch(to: u32) -> Passed {
        Passed::Branch(Branch { function: PLACE.0, pc: PLACE.1, to: BlockId(to) })
    }

    fn done() -> Passed {
        Passed::Done { function: PLACE.0, pc: Pc(3), result: None }
    }

    /// Rounds of an atomic load and a branch back, then one that leaves.
    fn waiting(rounds: usize) -> Tape {
        let again = [other(What::Time(5)), step(What::Branch { to: BlockId(1) })];
        let leaves = [other(What::Time(6)), step(What::Branch { to: BlockId(2) })];
        let steps = std::iter::repeat_n(again, rounds).flatten().chain(leaves);
        let knowledge = Knowledge {
            waiting: FxHashMap::from_iter([((PLACE.0, PLACE.1, BlockId(2)), true)]),
            ..Knowledge::default()
        };
        Tape { steps: steps.collect(), knowledge: Arc::new(knowledge), ..Tape::default() }
    }

    #[test]
    fn a_thread_may_leave_a_loop_early() {
        let tape = waiting(3);
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(1), done(), branch(2)]), Ok(2));
        assert!(along.is_over(&tape));
        assert_eq!(along.go(&tape, &[branch(2)]), Err(Apart::Over));
    }

    #[test]
    fn but_not_late() {
        let tape = waiting(1);
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(1), done()]), Ok(2));
        assert_eq!(along.go(&tape, &[branch(1)]), Err(Apart::Elsewhere));
    }

    #[test]
    fn nor_does_it_wait_where_the_recorded_one_left() {
        // Twice the way out, once with a round before it.
        let mut tape = waiting(0);
        tape.steps.extend(waiting(1).steps);
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(1)]), Err(Apart::Elsewhere));
    }

    #[test]
    fn nor_where_rounds_differ() {
        let mut tape = waiting(3);
        tape.steps.insert(4, other(What::Branch { to: BlockId(9) }));
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(2)]), Err(Apart::Elsewhere));
    }

    #[test]
    fn it_may_also_leave_by_another_way_through_the_loop() {
        // Rounds by 1 and back, then one by 2 and out.
        let back = Step { pc: Pc(8), ..step(What::Branch { to: BlockId(0) }) };
        let out = Step { pc: Pc(8), ..step(What::Branch { to: BlockId(4) }) };
        let rounds = [[step(What::Branch { to: BlockId(1) }), back]; 3];
        let leaves = [step(What::Branch { to: BlockId(2) }), out];
        let ways = [(Pc(7), 1, false), (Pc(7), 2, false), (Pc(8), 0, false), (Pc(8), 4, true)];
        let waiting = ways.map(|(pc, to, out)| ((PLACE.0, pc, BlockId(to)), out)).into_iter().collect();
        let knowledge = Arc::new(Knowledge { waiting, ..Knowledge::default() });
        let tape = Tape { steps: [rounds.as_flattened(), &leaves].concat(), knowledge, ..Tape::default() };
        let mut along = Along::default();
        let way_out = Passed::Branch(Branch { function: PLACE.0, pc: Pc(8), to: BlockId(4) });
        assert_eq!(along.go(&tape, &[branch(2), way_out]), Ok(0));
        assert!(along.is_over(&tape));
    }

    #[test]
    fn nor_where_it_cannot_wait() {
        let tape = Tape { knowledge: Arc::default(), ..waiting(3) };
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(2)]), Err(Apart::Elsewhere));
    }

    #[test]
    fn times_are_known_only_where_something_changed() {
        // The first round and the last have times.
        let mut tape = waiting(3);
        for at in [4, 2] {
            tape.steps.remove(at);
        }
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(2)]), Ok(1));
        assert!(along.is_over(&tape));
        let mut along = Along::default();
        assert_eq!(
            along.go(&tape, &[done(), branch(1), done(), branch(1), done(), branch(1), done(), branch(2)]),
            Ok(2)
        );
        assert!(along.is_over(&tape));
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(1)]), Ok(1));
        along.skip_rounds(&tape, 0);
        assert_eq!(along.next_time(&tape), Some((4, 6)));
    }

    #[test]
    fn rounds_to_no_avail_are_skipped() {
        let tape = waiting(1000);
        let mut along = Along::default();
        assert_eq!(along.go(&tape, &[done(), branch(1)]), Ok(1));
        along.skip_rounds(&tape, 0);
        assert_eq!(along.next_time(&tape), Some((2000, 6)));
        assert_eq!(along.go(&tape, &[done(), branch(2)]), Ok(1));
        assert!(along.is_over(&tape));
    }
}
