//! Whether an outcome is what a case expects, where the search may have been cut short.

use super::exploring::Explored;
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

pub fn judge(case: &Case, explored: &Explored) -> Result<Judgement, Failed> {
    let expected = case.expected.as_ref().ok_or("the header has no `explore:` line")?;
    let verdict = explored.report["verdict"].as_str().ok_or("the report has no verdict")?;
    let claims: Vec<&Claim> = explored.bugs.iter().map(|bug| &bug.claim).collect();
    if let Some(claim) = claims.iter().find(|claim| !expected.bugs.iter().any(|bug| bug.matches(claim))) {
        return Ok(Judgement::Wrong(format!("a bug that is not there: {claim:?}")));
    }
    let missed: Vec<_> = expected.bugs.iter().filter(|bug| !claims.iter().any(|claim| bug.matches(claim))).collect();
    let ended = explored.report["reason"].is_null() && explored.report["unproved"].as_array().is_none_or(Vec::is_empty);
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
