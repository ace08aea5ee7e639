//! The oracle: Z3, a subprocess, asked with integers for nodes and every from-read written out.
//!
//! It is slow and plain on purpose. It serves tests only, as the judge of the engine: nothing is shared between the two
//! but the interface.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use thiserror::Error;

use crate::order::{Access, Answer, CellId, Lit, Node, OrderSolver, WriteId};

#[derive(Debug, Error)]
pub enum OracleError {
    #[error("cannot run z3 (is it installed?): {0}")]
    Start(std::io::Error),
    #[error("lost the connection to z3: {0}")]
    Talk(#[from] std::io::Error),
    #[error("z3 answered {0:?}")]
    Answer(String),
}

/// All that was stated, as it was stated.
#[derive(Clone, Default, Debug)]
pub struct Problem {
    pub variables: u32,
    pub nodes: u32,
    pub clauses: Vec<Vec<Lit>>,
    pub edges: Vec<(Lit, Node, Node)>,
    pub writes: Vec<Access>,
    pub cells: Vec<Access>,
    pub orders: Vec<(Lit, WriteId, WriteId)>,
    pub reads: Vec<(Lit, WriteId, CellId, bool)>,
    pub hits: Vec<(Lit, WriteId, CellId)>,
}

impl Problem {
    /// Every edge with the literals that make it true together.
    pub fn conditional_edges(&self) -> Vec<(Vec<Lit>, Node, Node)> {
        let mut all: Vec<_> = self.edges.iter().map(|&(lit, from, to)| (vec![lit], from, to)).collect();
        for &(lit, first, second) in &self.orders {
            let (first, second) = (self.writes[first.0 as usize], self.writes[second.0 as usize]);
            all.push((vec![lit], first.global, second.global));
            if let (Some(from), Some(to)) = (first.coherence, second.coherence) {
                all.push((vec![lit], from, to));
            }
        }
        for &(lit, write, cell, external) in &self.reads {
            let (write, cell) = (self.writes[write.0 as usize], self.cells[cell.0 as usize]);
            let coherence = write.coherence.zip(cell.coherence);
            if let Some((from, to)) = coherence {
                all.push((vec![lit], from, to));
            }
            if external || coherence.is_none() {
                all.push((vec![lit], write.global, cell.global));
            }
        }
        self.add_from_reads(&mut all);
        all
    }

    fn add_from_reads(&self, all: &mut Vec<(Vec<Lit>, Node, Node)>) {
        let mut later: HashMap<WriteId, Vec<(Lit, WriteId)>> = HashMap::new();
        for &(order, first, second) in &self.orders {
            later.entry(first).or_default().push((order, second));
        }
        let mut hits: HashMap<(WriteId, CellId), Vec<Lit>> = HashMap::new();
        for &(hit, overwrite, cell) in &self.hits {
            hits.entry((overwrite, cell)).or_default().push(hit);
        }
        for &(read, source, cell, _) in &self.reads {
            for &(order, second) in later.get(&source).map_or(&[][..], |l| l) {
                for &hit in hits.get(&(second, cell)).map_or(&[][..], |h| h) {
                    let (cell, write) = (self.cells[cell.0 as usize], self.writes[second.0 as usize]);
                    let lits = vec![read, order, hit];
                    all.push((lits.clone(), cell.global, write.global));
                    if let (Some(from), Some(to)) = (cell.coherence, write.coherence) {
                        all.push((lits, from, to));
                    }
                }
            }
        }
    }

    fn to_smt(&self, assumptions: &[Lit]) -> String {
        let mut text = String::from("(reset)\n(set-option :produce-unsat-assumptions true)\n");
        for var in 1..=self.variables {
            let _ = writeln!(text, "(declare-const b{var} Bool)");
        }
        for node in 0..self.nodes {
            let _ = writeln!(text, "(declare-const n{node} Int)");
        }
        for clause in &self.clauses {
            let lits: Vec<String> = clause.iter().map(|&lit| term(lit)).collect();
            let _ = writeln!(text, "(assert (or false {}))", lits.join(" "));
        }
        for (lits, from, to) in self.conditional_edges() {
            let lits: Vec<String> = lits.iter().map(|&lit| term(lit)).collect();
            let _ = writeln!(text, "(assert (=> (and {}) (< n{} n{})))", lits.join(" "), from.0, to.0);
        }
        let lits: Vec<String> = assumptions.iter().map(|&lit| term(lit)).collect();
        let _ = writeln!(text, "(check-sat-assuming ({}))", lits.join(" "));
        text
    }
}

fn term(lit: Lit) -> String {
    let var = lit.var();
    if lit.is_positive() { format!("b{var}") } else { format!("(not b{var})") }
}

struct Process {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Process {
    fn start() -> Result<Process, OracleError> {
        let mut child = Command::new("z3")
            .arg("-in")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(OracleError::Start)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(to), Some(from)) => Ok(Process { child, to, from: BufReader::new(from) }),
            _ => Err(OracleError::Answer("no pipes".into())),
        }
    }

    fn send(&mut self, text: &str) -> Result<(), OracleError> {
        self.to.write_all(text.as_bytes())?;
        Ok(self.to.flush()?)
    }

    fn line(&mut self) -> Result<String, OracleError> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// One S-expression, which may span lines.
    fn expression(&mut self) -> Result<String, OracleError> {
        let mut text = String::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Err(OracleError::Answer(text));
            }
            text.push_str(&line);
            text.push(' ');
            if text.matches('(').count() == text.matches(')').count() {
                return Ok(text);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself, and nobody waits for what it says.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Z3Oracle {
    process: Process,
    problem: Problem,
    values: HashMap<String, i64>,
    core: Vec<Lit>,
}

impl Z3Oracle {
    pub fn new() -> Result<Z3Oracle, OracleError> {
        let process = Process::start()?;
        let mut oracle = Z3Oracle { process, problem: Problem::default(), values: HashMap::new(), core: Vec::new() };
        oracle.reset();
        Ok(oracle)
    }

    /// Start over with an empty problem, in the same process.
    pub fn reset(&mut self) {
        self.problem = Problem::default();
        let constant = self.new_lit();
        self.add_clause(&[constant]);
    }

    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Like `solve`, for callers who want to know what went wrong.
    pub fn try_solve(&mut self, assumptions: &[Lit]) -> Result<Answer, OracleError> {
        self.process.send(&self.problem.to_smt(assumptions))?;
        match self.process.line()?.as_str() {
            "sat" => self.read_model().map(|()| Answer::Sat),
            "unsat" => {
                self.process.send("(get-unsat-assumptions)\n")?;
                let answer = self.process.expression()?;
                self.core = assumptions.iter().copied().filter(|&lit| mentions(&answer, lit)).collect();
                Ok(Answer::Unsat)
            }
            "unknown" => Ok(Answer::Unknown),
            other => Err(OracleError::Answer(other.to_owned())),
        }
    }

    fn read_model(&mut self) -> Result<(), OracleError> {
        let names = (1..=self.problem.variables).map(|var| format!("b{var}"));
        let names: Vec<String> = names.chain((0..self.problem.nodes).map(|node| format!("n{node}"))).collect();
        self.process.send(&format!("(get-value ({}))\n", names.join(" ")))?;
        let answer = self.process.expression()?;
        self.values.clear();
        let words: Vec<&str> = answer.split(|c: char| c.is_whitespace() || "()".contains(c)).collect();
        let mut words = words.into_iter().filter(|word| !word.is_empty());
        while let Some(name) = words.next() {
            let value = match words.next() {
                Some("true") => 1,
                Some("false") => 0,
                Some("-") => -number(words.next())?,
                word => number(word)?,
            };
            self.values.insert(name.to_owned(), value);
        }
        Ok(())
    }
}

fn number(word: Option<&str>) -> Result<i64, OracleError> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| OracleError::Answer(word.unwrap_or_default().to_owned()))
}

/// Is the literal one of a list like `(b1 (not b2))`?
fn mentions(list: &str, lit: Lit) -> bool {
    let name = format!("b{}", lit.var());
    let mut previous = "";
    for word in list.split(|c: char| c.is_whitespace() || "()".contains(c)).filter(|word| !word.is_empty()) {
        if word == name && (previous == "not") != lit.is_positive() {
            return true;
        }
        previous = word;
    }
    false
}

impl OrderSolver for Z3Oracle {
    fn new_lit(&mut self) -> Lit {
        self.problem.variables += 1;
        Lit::from_dimacs(self.problem.variables as i32)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.problem.clauses.push(clause.to_vec());
    }

    fn new_node(&mut self) -> Node {
        self.problem.nodes += 1;
        Node(self.problem.nodes - 1)
    }

    fn add_edge(&mut self, lit: Lit, from: Node, to: Node) {
        self.problem.edges.push((lit, from, to));
    }

    fn new_write(&mut self, access: Access) -> WriteId {
        self.problem.writes.push(access);
        WriteId(self.problem.writes.len() as u32 - 1)
    }

    fn new_cell(&mut self, access: Access) -> CellId {
        self.problem.cells.push(access);
        CellId(self.problem.cells.len() as u32 - 1)
    }

    fn add_write_order(&mut self, lit: Lit, first: WriteId, second: WriteId) {
        self.problem.orders.push((lit, first, second));
    }

    fn add_reads_from(&mut self, lit: Lit, write: WriteId, cell: CellId, external: bool) {
        self.problem.reads.push((lit, write, cell, external));
    }

    fn add_hit(&mut self, lit: Lit, write: WriteId, cell: CellId) {
        self.problem.hits.push((lit, write, cell));
    }

    /// Panics if Z3 fails: a test without its oracle must not pass.
    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.try_solve(assumptions).unwrap_or_else(|error| panic!("oracle: {error}"))
    }

    fn value(&self, lit: Lit) -> bool {
        (self.values.get(&format!("b{}", lit.var())) == Some(&1)) == lit.is_positive()
    }

    fn position(&self, node: Node) -> u64 {
        // Z3's integers may be negative; only their order matters.
        let value = self.values.get(&format!("n{}", node.0)).copied().unwrap_or_default();
        (value as u64) ^ (1 << 63)
    }

    fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }
}
