//! The same problems for Z3, in the ways of saying "before" that it has.

use ordain_solve::oracle::Problem;
use ordain_solve::order::{Answer, Lit, Node};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// Integers, as the papers have it.
    Integers,
    /// Integers in difference logic: Z3 takes its solver for that.
    DifferenceLogic,
    /// Its theory of linear orders.
    LinearOrder,
}

impl Variant {
    pub const ALL: [Variant; 3] = [Variant::Integers, Variant::DifferenceLogic, Variant::LinearOrder];

    fn before(self, from: Node, to: Node) -> String {
        match self {
            Variant::Integers | Variant::DifferenceLogic => format!("(< n{} n{})", from.0, to.0),
            // A linear order is reflexive: no two nodes are the same.
            Variant::LinearOrder => format!("(not (before n{} n{}))", to.0, from.0),
        }
    }
}

pub fn text(problem: &Problem, assumptions: &[Lit], variant: Variant) -> String {
    let mut text = String::new();
    let sort = match variant {
        Variant::Integers => "Int",
        Variant::DifferenceLogic => {
            text.push_str("(set-logic QF_IDL)\n");
            "Int"
        }
        Variant::LinearOrder => {
            text.push_str(
                "(declare-sort Event)\n(define-fun before ((a Event) (b Event)) Bool ((_ linear-order 0) a b))\n",
            );
            "Event"
        }
    };
    for var in 1..=problem.variables {
        let _ = writeln!(text, "(declare-const b{var} Bool)");
    }
    for node in 0..problem.nodes {
        let _ = writeln!(text, "(declare-const n{node} {sort})");
    }
    for clause in &problem.clauses {
        let lits: Vec<String> = clause.iter().map(|&lit| literal(lit)).collect();
        let _ = writeln!(text, "(assert (or false {}))", lits.join(" "));
    }
    for (lits, from, to) in problem.conditional_edges() {
        let lits: Vec<String> = lits.iter().map(|&lit| literal(lit)).collect();
        let _ = writeln!(text, "(assert (=> (and true {}) {}))", lits.join(" "), variant.before(from, to));
    }
    for &lit in assumptions {
        let _ = writeln!(text, "(assert {})", literal(lit));
    }
    text.push_str("(check-sat)\n");
    text
}

fn literal(lit: Lit) -> String {
    let var = lit.var();
    if lit.is_positive() { format!("b{var}") } else { format!("(not b{var})") }
}

/// `Unknown` if it takes longer than it may.
pub fn solve(text: &str, seconds: u32) -> Answer {
    let mut child = Command::new("z3")
        .args(["-in", "-smt2", &format!("-T:{seconds}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 starts (scripts/setup installs it)");
    let mut to = child.stdin.take().expect("a pipe");
    // It may be over before it has read everything.
    let _ = to.write_all(text.as_bytes());
    drop(to);
    let output = child.wait_with_output().expect("z3 ends");
    match String::from_utf8_lossy(&output.stdout).trim() {
        "sat" => Answer::Sat,
        "unsat" => Answer::Unsat,
        "unknown" | "timeout" | "" => Answer::Unknown,
        other => panic!("z3 says {other}"),
    }
}
