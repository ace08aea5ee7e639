//! Blasted terms have the values that the operations give, and equations between them the answers of Z3.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::SatSolver;
use ordain_expr::op::{self, BinOp, CastOp, Pred};
use ordain_expr::sample::Pool;
use ordain_expr::{Term, Terms};
use ordain_solve::blast::Blaster;
use ordain_solve::order::{Answer, Lit, OrderSolver};
use ordain_solve::smt::{self, Definitions};

/// Assumptions that give a term a value.
fn fixed(blaster: &mut Blaster, terms: &Terms, solver: &mut SatSolver, t: Term, value: u64) -> Vec<Lit> {
    let bits = blaster.bits(terms, solver, t);
    bits.iter().enumerate().map(|(i, &lit)| if value >> i & 1 == 1 { lit } else { !lit }).collect()
}

/// With the inputs fixed, every term has its value, and can have no other.
fn check_values(pool: &mut Pool, assignment: usize) {
    let (mut blaster, mut solver) = (Blaster::new(), SatSolver::new());
    let mut inputs = Vec::new();
    for symbol in &pool.symbols {
        inputs.extend(fixed(&mut blaster, &pool.terms, &mut solver, symbol.term, symbol.values[assignment]));
    }
    let mut differs = Vec::new();
    for sample in &pool.samples {
        let expected = pool.terms.constant(pool.terms.width(sample.term), sample.values[assignment]);
        differs.push(!blaster.equal(&pool.terms, &mut solver, sample.term, expected));
    }
    assert_eq!(solver.solve(&inputs), Answer::Sat);
    for sample in &pool.samples {
        let value = blaster.value(&solver, sample.term);
        assert_eq!(value, Some(sample.values[assignment]), "{}", pool.terms.display(sample.term));
    }
    let some_differs = solver.new_lit();
    differs.push(!some_differs);
    solver.add_clause(&differs);
    inputs.push(some_differs);
    assert_eq!(solver.solve(&inputs), Answer::Unsat, "a gate leaves its output open");
}

#[test]
fn blasted_terms_have_their_values() {
    for seed in 0..160 {
        let widest = if seed % 4 == 0 { 64 } else { 20 };
        let mut pool = Pool::new(3_000_000 + seed, widest);
        (0..24).for_each(|_| {
            pool.grow();
        });
        (0..2).for_each(|assignment| check_values(&mut pool, assignment));
    }
}

const BIN_OPS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];

/// Every operation, on all values of three bits, and of five (not a power of two: shifts go past the width).
#[test]
fn every_operation_is_right_on_all_small_values() {
    for width in [3, 5] {
        let mut terms = Terms::new();
        let (mut blaster, mut solver) = (Blaster::new(), SatSolver::new());
        let (a, b) = (terms.symbol(width), terms.symbol(width));
        let results = BIN_OPS.map(|op| terms.bin(op, a, b));
        let preds = [Pred::Eq, Pred::Ne, Pred::Ult, Pred::Ule, Pred::Slt, Pred::Sle];
        let orders = preds.map(|pred| terms.cmp(pred, a, b));
        for &t in results.iter().chain(&orders) {
            blaster.bits(&terms, &mut solver, t);
        }
        for (x, y) in (0..1 << width).flat_map(|x| (0..1 << width).map(move |y| (x, y))) {
            let mut inputs = fixed(&mut blaster, &terms, &mut solver, a, x);
            inputs.extend(fixed(&mut blaster, &terms, &mut solver, b, y));
            assert_eq!(solver.solve(&inputs), Answer::Sat);
            for (op, &t) in BIN_OPS.iter().zip(&results) {
                assert_eq!(blaster.value(&solver, t), Some(op::bin(*op, width, x, y)), "{op:?} {x} {y}");
            }
            for (pred, &t) in preds.iter().zip(&orders) {
                assert_eq!(blaster.value(&solver, t), Some(op::cmp(*pred, width, x, y) as u64), "{pred:?} {x} {y}");
            }
        }
    }
}

/// A question: are there inputs for which both hold?
struct Question {
    pool: Pool,
    claims: [Term; 2],
}

impl Question {
    /// Two random truth values; none if they were decided while they were built.
    fn random(seed: u64) -> Option<Question> {
        let mut pool = Pool::new(4_000_000 + seed, 7);
        let samples: Vec<Term> = (0..16).map(|_| pool.grow().term).collect();
        let claims = [0, 1].map(|i| {
            let a = samples[samples.len() - 1 - i];
            let candidates: Vec<Term> = samples.iter().copied().filter(|&b| b != a).collect();
            let b = pool.random.pick(&candidates);
            let b = resized(&mut pool, b, a);
            let pred = pool.random.pick(&[Pred::Eq, Pred::Eq, Pred::Eq, Pred::Ult, Pred::Slt, Pred::Ne]);
            pool.terms.cmp(pred, a, b)
        });
        let open = claims.iter().all(|&claim| pool.terms.as_const(claim).is_none());
        open.then_some(Question { pool, claims })
    }

    fn answer(&self) -> Answer {
        let (mut blaster, mut solver) = (Blaster::new(), SatSolver::new());
        let assumptions = self.claims.map(|claim| blaster.lit(&self.pool.terms, &mut solver, claim));
        let answer = solver.solve(&assumptions);
        if answer == Answer::Sat {
            self.check_model(&blaster, &solver);
        }
        answer
    }

    /// The values of the symbols are a solution.
    fn check_model(&self, blaster: &Blaster, solver: &SatSolver) {
        let terms = &self.pool.terms;
        for claim in self.claims {
            assert_eq!(terms.eval(claim, &mut |id| blaster.symbol_value(terms, solver, id)), 1);
        }
    }

    fn script(&self) -> String {
        let mut script = String::from("(push)\n");
        let mut definitions = Definitions::new();
        for claim in self.claims {
            definitions.define(&self.pool.terms, claim, &mut script);
            script += &format!("(assert {})\n", smt::holds(&self.pool.terms, claim));
        }
        script + "(check-sat)\n(pop)\n"
    }
}

fn resized(pool: &mut Pool, t: Term, like: Term) -> Term {
    let (from, to) = (pool.terms.width(t), pool.terms.width(like));
    let op = if from > to { CastOp::Trunc } else { CastOp::ZExt };
    pool.terms.cast(op, to, t)
}

fn z3_answers(script: &str) -> Vec<Answer> {
    let mut z3 = Command::new("z3")
        .args(["-in", "-smt2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 is needed for this test");
    let mut stdin = z3.stdin.take().expect("stdin is piped");
    stdin.write_all(script.as_bytes()).expect("z3 reads its input");
    drop(stdin);
    let output = z3.wait_with_output().expect("z3 ends");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| match line {
            "sat" => Answer::Sat,
            "unsat" => Answer::Unsat,
            other => panic!("z3 says {other}"),
        })
        .collect()
}

#[test]
fn equations_have_the_answers_of_z3() {
    let questions: Vec<Question> = (0..).filter_map(Question::random).take(500).collect();
    let script: String = questions.iter().map(Question::script).collect();
    let expected = z3_answers(&script);
    assert_eq!(expected.len(), questions.len());
    for (question, &expected) in questions.iter().zip(&expected) {
        assert_eq!(question.answer(), expected, "{}", question.script());
    }
    // Questions that all have the same answer would show little.
    for answer in [Answer::Sat, Answer::Unsat] {
        let count = expected.iter().filter(|&&a| a == answer).count();
        assert!(count >= 75, "{answer:?} only {count} times");
    }
}
