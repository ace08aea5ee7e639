//! Whether an outcome is what a case expects, where the search may have been cut short.

use super::exploring::{Effort, Explored};
use super::{Case, Claim};
use libtest_mimic::Failed;

pub enum Judgement {
    /// The verdict is the expected one, with all its bugs.
    Right,
    /// Nothing speaks against what is expected, but it was not reached; with the reason.
    Undecided(String),
    /// A verdict, or a bug, that the program cannot have.
    Wrong(String),
}

pub fn judge(case: &Case, explored: &Explored, effort: &Effort) -> Result<Judgement, Failed> {
    let expected = case.expected.as_ref().ok_or("the header has no `explore:` line")?;
    let verdict = explored.report["verdict"].as_str().ok_or("the report has no verdict")?;
    let claims: Vec<&Claim> = explored.bugs.iter().map(|bug| &bug.claim).collect();
    if let Some(claim) = claims.iter().find(|claim| !expected.bugs.iter().any(|bug| bug.matches(claim))) {
        return Ok(Judgement::Wrong(format!("a bug that is not there: {claim:?}")));
    }
    let missed: Vec<_> = expected.bugs.iter().filter(|bug| !claims.iter().any(|claim| bug.matches(claim))).collect();
    // A search that found a bug does not say whether it came to its end.
    let ended = explored.report["seconds"].as_f64().is_some_and(|seconds| seconds < f64::from(effort.seconds));
    Ok(match verdict {
        "bounded" | "unknown" if expected.verdict != verdict => Judgement::Undecided(reason(explored)),
        _ if expected.verdict != verdict => Judgement::Wrong(format!("{} was expected", expected.verdict)),
        "bug" if !missed.is_empty() && ended => Judgement::Wrong(format!("missed {missed:?}")),
        "bug" if !missed.is_empty() => Judgement::Undecided(format!("not yet found: {missed:?}")),
        _ => Judgement::Right,
    })
}

fn reason(explored: &Explored) -> String {
    explored.report["reason"].as_str().unwrap_or("no reason given").to_owned()
}
