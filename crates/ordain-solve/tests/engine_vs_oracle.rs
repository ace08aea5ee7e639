//! The engine against the oracle, on random order problems.
//!
//! Both must give the same answer; every model is checked by itself; every core must be contradictory by the oracle's
//! word. `ORDAIN_FUZZ_CASES` sets how many cases are tried, `ORDAIN_FUZZ_SEED` where to begin.

mod judge;

use judge::{checker, generator, script};
use ordain_solve::engine::Engine;
use ordain_solve::oracle::Z3Oracle;
use ordain_solve::order::{Answer, OrderSolver};

#[derive(Default, Debug)]
struct Tally {
    sat: u32,
    unsat: u32,
    /// Contradictory only under the assumptions.
    with_core: u32,
}

fn number_from(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text}: not a number")),
        Err(_) => default,
    }
}

fn judge_case(seed: u64, oracle: &mut Z3Oracle, tally: &mut Tally) {
    let mut engine = Engine::new();
    oracle.reset();
    let mut statements = Vec::new();
    for (number, round) in generator::case(seed).into_iter().enumerate() {
        let place = format!("round {number} of seed {seed} (replay with ORDAIN_FUZZ_SEED={seed} ORDAIN_FUZZ_CASES=1)");
        script::tell(&mut engine, &round.statements);
        script::tell(oracle, &round.statements);
        statements.extend(round.statements);
        let answer = engine.solve(&round.assumptions);
        assert_eq!(answer, oracle.solve(&round.assumptions), "engine and oracle differ in {place}");
        match answer {
            Answer::Sat => {
                tally.sat += 1;
                let flaw = checker::flaw(&engine, &statements, &round.assumptions);
                assert_eq!(flaw, None, "the model is none in {place}");
            }
            Answer::Unsat => {
                tally.unsat += 1;
                let core = engine.core();
                tally.with_core += u32::from(!core.is_empty());
                assert!(core.iter().all(|lit| round.assumptions.contains(lit)), "strange core in {place}");
                assert_eq!(oracle.solve(&core), Answer::Unsat, "the core is satisfiable in {place}");
                if core.is_empty() {
                    return; // Nothing that is added later can change this.
                }
            }
            Answer::Unknown => panic!("no answer in {place}"),
        }
    }
}

#[test]
fn engine_agrees_with_oracle() {
    let mut oracle = Z3Oracle::new().unwrap_or_else(|error| panic!("{error}"));
    let first = number_from("ORDAIN_FUZZ_SEED", 0);
    let cases = number_from("ORDAIN_FUZZ_CASES", 400);
    let mut tally = Tally::default();
    for seed in first..first + cases {
        judge_case(seed, &mut oracle, &mut tally);
    }
    println!("{cases} cases: {tally:?}");
    if cases >= 300 {
        // A generator that only makes one kind of problem judges nothing.
        let rounds = tally.sat + tally.unsat;
        assert!(tally.sat > rounds / 5 && tally.unsat > rounds / 5 && tally.with_core > 10, "one-sided: {tally:?}");
    }
}
