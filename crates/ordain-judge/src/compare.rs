//! Sets what a judge found against what somebody else reports, and says where they differ.

use crate::findings::{Findings, Line, PathClass, Verdict};
use ordain_model::failure::FailureKind;
use ordain_model::names::ThreadName;
use std::collections::BTreeSet;
use std::fmt;

/// What somebody reports about a program. What was not looked for is `None`, and not compared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    pub errors: Option<BTreeSet<(FailureKind, Line)>>,
    pub stuck: Option<BTreeSet<(FailureKind, ThreadName, Line)>>,
    pub races: Option<BTreeSet<(Line, Line)>>,
    pub exits: Option<BTreeSet<(i32, String)>>,
    pub paths: Option<BTreeSet<PathClass>>,
}

/// Where a verdict and a report differ, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Difference {
    pub only_judge: Vec<String>,
    pub only_report: Vec<String>,
}

impl Difference {
    fn of_sets<T: Ord>(
        &mut self,
        verdict: &Verdict,
        part: impl Fn(&Findings) -> &BTreeSet<T>,
        reported: &Option<BTreeSet<T>>,
        words: impl Fn(&T) -> String,
    ) {
        let Some(reported) = reported else { return };
        let found = part(&verdict.found);
        self.only_judge.extend(found.difference(reported).map(&words));
        self.only_report.extend(reported.difference(found).map(&words));
    }

    /// The program with line numbers, and the difference below it.
    pub fn explain(&self, source: &str) -> String {
        let numbered: String = source.lines().zip(1..).map(|(line, n)| format!("{n:4}  {line}\n")).collect();
        format!("{numbered}{self}")
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for item in &self.only_judge {
            writeln!(f, "not reported:   {item}")?;
        }
        for item in &self.only_report {
            writeln!(f, "does not exist: {item}")?;
        }
        Ok(())
    }
}

/// `None` if the report says what the judge found. A verdict that is not complete must not be compared.
pub fn compare(verdict: &Verdict, report: &Report) -> Option<Difference> {
    let mut difference = Difference::default();
    difference.of_sets(verdict, |f| &f.errors, &report.errors, |(kind, line)| format!("{kind} at line {line}"));
    difference.of_sets(
        verdict,
        |f| &f.stuck,
        &report.stuck,
        |(kind, thread, line)| format!("{kind} of thread {thread} at line {line}"),
    );
    difference.of_sets(verdict, |f| &f.races, &report.races, |(a, b)| format!("race of lines {a} and {b}"));
    difference.of_sets(
        verdict,
        |f| &f.exits,
        &report.exits,
        |(status, output)| format!("exit with status {status} and output {output:?}"),
    );
    difference.of_sets(verdict, |f| &f.paths, &report.paths, path_class_in_words);
    (difference != Difference::default()).then_some(difference)
}

/// One line: for every thread its branches, as `function:instruction>block`.
pub fn path_class_in_words(class: &PathClass) -> String {
    let threads = class.iter().map(|(thread, path)| {
        let branches: Vec<_> = path.iter().map(|b| format!("{}:{}>{}", b.function.0, b.pc.0, b.to.0)).collect();
        format!("{thread} [{}]", branches.join(" "))
    });
    format!("path {}", threads.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_each_side_has_alone() {
        let mut verdict = Verdict::default();
        verdict.found.races = [(3, 4), (5, 5)].into();
        let report = Report { races: Some([(5, 5), (6, 7)].into()), ..Report::default() };
        let difference = compare(&verdict, &report).expect("they differ");
        assert_eq!(difference.only_judge, ["race of lines 3 and 4"]);
        assert_eq!(difference.only_report, ["race of lines 6 and 7"]);
    }

    #[test]
    fn what_was_not_looked_for_is_not_compared() {
        let mut verdict = Verdict::default();
        verdict.found.errors = [(FailureKind::Assertion, 9)].into();
        assert_eq!(compare(&verdict, &Report::default()), None);
        assert!(compare(&verdict, &Report { errors: Some([].into()), ..Report::default() }).is_some());
    }
}
