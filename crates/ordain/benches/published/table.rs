//! A published table, and our columns beside it.

use crate::support::exploring::{Effort, Explored, explore};
use crate::support::judging::{Judgement, judge};
use crate::support::{Case, cases_in};
use serde_json::Value;
use std::io::Write;

/// For the verdict of a row.
const SECONDS: u32 = 60;
/// For the number of its path classes.
const SECONDS_FOR_PATHS: u32 = 60;

pub struct Table {
    pub title: &'static str,
    /// The columns of the paper.
    pub published: &'static [&'static str],
    pub rows: Vec<Row>,
}

pub struct Row {
    /// What the paper has in its columns; nothing where a row is ours alone.
    pub published: Vec<&'static str>,
    pub case: Case,
    /// Whether path classes are counted as well.
    pub paths: bool,
}

/// The rows of a directory's cases that the paper has, and the cases that it does not.
pub fn rows_of(directory: &str, published: &[(&str, [&'static str; 5])]) -> (Vec<Row>, Vec<Case>) {
    let row = |(name, cells): &(&str, [&'static str; 5])| Row {
        published: cells.to_vec(),
        case: case(directory, name),
        paths: true,
    };
    let is_ours = |case: &Case| published.iter().all(|(name, _)| *name != case.name);
    (published.iter().map(row).collect(), cases_in(directory).into_iter().filter(is_ours).collect())
}

#[derive(Default)]
pub struct Tally {
    pub rows: u32,
    pub right: u32,
    pub open: u32,
    pub wrong: u32,
}

impl Table {
    pub fn print(&self, tally: &mut Tally) {
        println!("{}", self.title);
        let cells: String = self.published.iter().map(|name| format!(" {name:>11}")).collect();
        println!(
            "{:28} |{cells} | {:>10} {:>4} {:>5} {:>10} | {:>7} {:>10}",
            "", "ours", "bugs", "runs", "", "--paths", ""
        );
        for row in &self.rows {
            row.print(self.published.len(), tally);
        }
        println!();
    }
}

impl Row {
    fn print(&self, columns: usize, tally: &mut Tally) {
        let cells = (0..columns).map(|at| format!(" {:>11}", self.published.get(at).unwrap_or(&"")));
        print!("{:28} |{} |", self.case.name, cells.collect::<String>());
        // Rows can take a minute.
        let _ = std::io::stdout().flush();
        tally.rows += 1;
        match outcome(&self.case, false) {
            Ok((explored, judgement)) => {
                print!(" {}", verdict(&explored, &judgement));
                match judgement {
                    Judgement::Right => tally.right += 1,
                    Judgement::Undecided(_) => tally.open += 1,
                    Judgement::Wrong(_) => tally.wrong += 1,
                }
            }
            Err(error) => {
                tally.wrong += 1;
                print!(" NO REPORT: {error}");
            }
        }
        if self.paths {
            print!(" | {}", path_classes(&self.case));
        }
        println!();
    }
}

/// The case of this name, of the programs in a directory of the project.
pub fn case(directory: &str, name: &str) -> Case {
    cases_in(directory)
        .into_iter()
        .find(|case| case.name == name)
        .unwrap_or_else(|| panic!("no case {directory}/{name}"))
}

fn outcome(case: &Case, paths: bool) -> Result<(Explored, Judgement), String> {
    let witnesses = tempfile::tempdir().map_err(|error| error.to_string())?;
    let seconds = if paths { SECONDS_FOR_PATHS } else { SECONDS };
    let effort = Effort { seconds, audit: None, paths };
    let explored = explore(case, &effort, witnesses.path()).map_err(|error| format!("{:?}", error.message()))?;
    let judgement = judge(case, &explored).map_err(|error| format!("{:?}", error.message()))?;
    Ok((explored, judgement))
}

fn verdict(explored: &Explored, judgement: &Judgement) -> String {
    let report = &explored.report;
    let word = match judgement {
        Judgement::Wrong(why) => format!("WRONG ({why})"),
        Judgement::Right if report["reason"].is_null() => report["verdict"].as_str().unwrap_or_default().to_owned(),
        // All its bugs are known, but not that there are no others.
        Judgement::Right => "bug, open".to_owned(),
        Judgement::Undecided(_) => "open".to_owned(),
    };
    format!("{word:>10} {:>4} {:>5} {:>8.2} s", explored.bugs.len(), number(&report["runs"]), seconds(report))
}

fn path_classes(case: &Case) -> String {
    match outcome(case, true) {
        Ok((explored, _)) => {
            let report = &explored.report;
            let at_least = if report["reason"].is_null() { "" } else { "> " };
            format!("{:>7} {:>8.2} s", format!("{at_least}{}", number(&report["paths"])), seconds(report))
        }
        Err(error) => format!("NO REPORT: {error}"),
    }
}

fn number(value: &Value) -> String {
    value.as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string())
}

fn seconds(report: &Value) -> f64 {
    report["seconds"].as_f64().unwrap_or(f64::NAN)
}
