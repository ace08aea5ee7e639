//! `predict`: this run passed. What could have gone wrong in it?
//!
//! A run is made in the machine (`run`), and what is kept of it is which way each thread went, branch by branch: a *script*, as a
//! recording would be. The search of `explore` then looks along the script for whatever can go wrong when the same events happen in
//! another order: races, threads that are stuck, memory that is used after it was freed, regions that somebody comes between
//! (`regions` says which there are). Threads may stop anywhere, so what leads to a branch that the run did not take is found as well:
//! up to that branch. All values that threads read from each other are unknown, so that two accesses happened one after the other
//! in the run means nothing, unless something orders them.
//!
//! The idea, and that of three accesses, is from Wang, Limaye, Ganai and Gupta, *Trace-Based Symbolic Analysis for Atomicity Violations*
//! (TACAS 2010). Where this goes further: all of pthreads as it is in `explore`; races and threads that are stuck; and what is called a
//! violation is one by what can be seen of it, not by the kinds of three accesses (`ordain_model::encode`, `atomicity`).

mod filter;
mod findings;
mod fit;
mod long;
mod omission;
mod plan;
mod regions;
mod run;
mod window;
mod words;

pub use filter::{Candidate, Filter, Kind, Span};
pub use long::Windows;
pub use omission::Omitted;
pub use regions::Which;
pub use run::{Ended, Run, is_left_open, run};
pub use window::Window;

use ordain_explore::{Aim, Error, Options, Progress, Recorded, Summary, Unproved, UnprovedKind, Verdict};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_unfold::script;
use std::sync::Arc;

/// Looks for everything that could have gone wrong in a run, as far as `options` ask for it.
pub fn predict(
    program: &Program,
    run: &Run,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Prediction, Error> {
    let (mut summary, windows) = match run.is_long {
        true => long::predict(program, run, options, progress)?,
        false => (at_once(program, run, options, progress)?, Windows::default()),
    };
    summary.assumptions.push("every thread goes the way that it went in the run, or a part of it".to_owned());
    summary.assumptions.push("what system calls return does not depend on the order of threads".to_owned());
    summary.assumptions.push("an index that depends on other threads stays inside its object".to_owned());
    Ok(Prediction { summary, windows })
}

/// What comes of a prediction.
pub struct Prediction {
    pub summary: Summary,
    /// Of a long run, the windows that it was looked at in.
    pub windows: Windows,
}

/// What shows if parts of a run are left out, and the rest keeps its order.
pub fn by_omission(program: &Program, facts: &Facts, run: &Run, options: &Options) -> Result<Omitted, Error> {
    let all: Vec<usize> = (0..run.candidates.len()).collect();
    let empty = run::empty_script(program, facts);
    omission::find(omission::Known { program, facts, empty: &empty, run, options }, &all, &mut |_| {})
}

/// Looks at the whole run.
fn at_once(
    program: &Program,
    run: &Run,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    let script = Arc::new(run.script.clone());
    let recorded =
        Recorded { script, known: Some(run.execution.clone()), aim: Aim::Anything(run.regions.clone()), focus: None };
    let options = Options { recorded: Some(recorded), memory: run.execution.memory, ..options.clone() };
    let mut summary = ordain_explore::explore(program, &options, progress)?;
    if summary.bugs.is_empty() {
        summary.verdict = verdict(&summary);
    }
    Ok(summary)
}

/// Why nothing was found: because there is nothing, among the orders of one run's events, or because not all of it was looked at.
fn verdict(summary: &Summary) -> Verdict {
    let open = summary.unproved.iter().find(|open| !is_end_of_script(open));
    match (summary.stopped, open) {
        (Some(stopped), _) => Verdict::Unknown(stopped.reason().to_owned()),
        (None, Some(open)) => Verdict::Unknown(open.why.clone()),
        (None, None) => Verdict::Bounded("only the events of one run were looked at, in every order".to_owned()),
    }
}

/// Whether this is a place where a thread would go another way than in the run: there nothing is looked at, which is what predictions are.
pub fn is_end_of_script(open: &Unproved) -> bool {
    open.kind == UnprovedKind::Bound && script::is_end_of_script(&open.why)
}
