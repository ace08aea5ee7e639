//! Fewer switches: a run along a recording that fails is rearranged, turn by turn, as long as it does.
//!
//! A turn is what a thread does before another goes on. From the first turn on, the thread that has just had one is given its next
//! one as well, before all others; from the last on, the one before is put off until then. Whether everybody still goes the
//! recorded way, and the run fails as it did, the machine says. It is asked from where the change is, and stops as soon as
//! somebody goes another way, so most attempts are short.

use crate::Goal;
use crate::stage::{Case, Stage};
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, Turn};
use ordain_vm::{Switches, switches};

/// So far a thread is let go to see whether it has to wait.
const MOST_POINTS_TO_WAIT: u32 = 64;

/// Rearranges an execution, which fails along the recording. `is_over` says when to give up.
pub fn shorten(case: Case<'_, '_>, execution: Execution, is_over: &dyn Fn() -> bool) -> Execution {
    let Case { program, facts, goal, .. } = case;
    let mut best = (switches(program, facts, &execution), execution);
    let rearrange = Rearranger { stage: Stage::new(case), goal, is_over };
    loop {
        let before = best.0;
        for pass in [Rearranger::leave_out, Rearranger::draw_together, Rearranger::put_off, Rearranger::let_wait] {
            let turns = pass(&rearrange, best.1.schedule.clone());
            let Some(execution) = rearrange.play(&turns) else { continue };
            let counted = switches(program, facts, &execution);
            if counted < best.0 {
                best = (counted, execution);
            }
        }
        if best.0 == before || is_over() || best.0 == Switches::default() {
            return best.1;
        }
    }
}

struct Rearranger<'a, 'p> {
    stage: Stage<'p, 'a>,
    goal: &'a Goal,
    is_over: &'a dyn Fn() -> bool,
}

impl<'p> Rearranger<'_, 'p> {
    /// The execution of these turns, if it fails along the recording.
    fn play(&self, turns: &[Turn]) -> Option<Execution> {
        let mut stage = self.stage.clone();
        self.fails(&mut stage, turns.iter()).then(|| stage.machine.execution())
    }

    /// Whether a run that has come to `stage` fails if it goes on with these turns.
    fn fails<'t>(&self, stage: &mut Stage<'p, '_>, turns: impl Iterator<Item = &'t Turn>) -> bool {
        for turn in turns {
            if !stage.take(turn) {
                return false;
            }
            if stage.machine.end().is_some() {
                break;
            }
        }
        stage.ends_as_recorded()
    }

    /// Leaves out the last turns of threads that need not come so far.
    fn leave_out(&self, mut turns: Vec<Turn>) -> Vec<Turn> {
        let mut i = turns.len();
        while i > 0 && !(self.is_over)() {
            i -= 1;
            let thread = turns[i].thread();
            let is_last = turns[i + 1..].iter().all(|turn| turn.thread() != thread);
            if thread != &self.goal.thread && is_last {
                let mut fewer = turns.clone();
                fewer.remove(i);
                if self.play(&fewer).is_some() {
                    turns = fewer;
                }
            }
        }
        turns
    }

    /// Gives every thread its next turn as soon as it has had one, if that is possible.
    fn draw_together(&self, mut turns: Vec<Turn>) -> Vec<Turn> {
        let mut stage = self.stage.clone();
        let mut at = 0;
        while at < turns.len() && !(self.is_over)() {
            if !stage.take(&turns[at]) || stage.machine.end().is_some() {
                break;
            }
            at += 1;
            while let Some(next) = turns[at..].iter().position(|turn| turn.thread() == turns[at - 1].thread()) {
                if next == 0 {
                    break;
                }
                let mut drawn = turns.clone();
                let turn = drawn.remove(at + next);
                drawn.insert(at, turn);
                if !self.fails(&mut stage.clone(), drawn[at..].iter()) || !stage.take(&drawn[at]) {
                    break;
                }
                turns = drawn;
                at += 1;
            }
        }
        turns
    }

    /// Lets every thread that could go on do so until it has to wait, if it soon has to.
    fn let_wait(&self, mut turns: Vec<Turn>) -> Vec<Turn> {
        let mut stage = self.stage.clone();
        let mut at = 0;
        while at < turns.len() && !(self.is_over)() {
            if !stage.take(&turns[at]) || stage.machine.end().is_some() {
                break;
            }
            at += 1;
            let thread = turns[at - 1].thread().clone();
            if turns.get(at).is_none_or(|next| *next.thread() == thread) {
                continue;
            }
            if let Some(points) = stage.points_until_waiting(&thread, MOST_POINTS_TO_WAIT)
                && let Some(moved) = moved(&turns, at, &thread, points)
                && self.fails(&mut stage.clone(), moved[at..].iter())
            {
                turns = moved;
            }
        }
        turns
    }

    /// Puts every turn off until the thread has its next one, if that is possible.
    fn put_off(&self, mut turns: Vec<Turn>) -> Vec<Turn> {
        let mut stage = self.stage.clone();
        let mut at = 0;
        while at < turns.len() && !(self.is_over)() {
            let later = turns[at + 1..].iter().position(|turn| turn.thread() == turns[at].thread());
            if let Some(distance) = later.filter(|&distance| distance > 0) {
                let mut put_off = turns.clone();
                let turn = put_off.remove(at);
                put_off.insert(at + distance, turn);
                if self.fails(&mut stage.clone(), put_off[at..].iter()) {
                    turns = put_off;
                    continue;
                }
            }
            if !stage.take(&turns[at]) {
                break;
            }
            at += 1;
        }
        turns
    }
}

/// Turns in which the thread executes so many of its next points before the `at`th turn, and not when it would have done so.
fn moved(turns: &[Turn], at: usize, thread: &ThreadName, points: u32) -> Option<Vec<Turn>> {
    let mut moved = turns[..at].to_vec();
    moved.push(Turn::Run { thread: thread.clone(), points });
    let mut left = points;
    for turn in &turns[at..] {
        match turn {
            Turn::Run { thread: own, points } if own == thread && left > 0 => {
                let now = left.min(*points);
                left -= now;
                if *points > now {
                    moved.push(Turn::Run { thread: own.clone(), points: points - now });
                }
            }
            Turn::Choose { thread: own, .. } if own == thread && left > 0 => return None,
            other => moved.push(other.clone()),
        }
    }
    Some(moved)
}
