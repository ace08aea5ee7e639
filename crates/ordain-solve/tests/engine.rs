//! What the engine promises beyond right answers: it can be stopped, guided, and told more.

use std::sync::atomic::Ordering;
use std::time::Instant;

use ordain_solve::engine::Engine;
use ordain_solve::order::{Answer, Lit, OrderSolver};

/// More pigeons than holes: hard for any solver by resolution.
fn pigeons(engine: &mut Engine, holes: usize) {
    let lits: Vec<Vec<Lit>> = (0..=holes).map(|_| (0..holes).map(|_| engine.new_lit()).collect()).collect();
    for (pigeon, of_pigeon) in lits.iter().enumerate() {
        engine.add_clause(of_pigeon);
        for other in &lits[..pigeon] {
            for hole in 0..holes {
                engine.add_clause(&[!of_pigeon[hole], !other[hole]]);
            }
        }
    }
}

#[test]
fn gives_up_at_its_limits() {
    let mut engine = Engine::new();
    pigeons(&mut engine, 12);
    engine.set_limit_conflicts(Some(10));
    assert_eq!(engine.solve(&[]), Answer::Unknown);
    engine.set_limit_conflicts(None);
    engine.set_deadline(Some(Instant::now()));
    assert_eq!(engine.solve(&[]), Answer::Unknown);
    engine.set_deadline(None);
    engine.interrupt().store(true, Ordering::Relaxed);
    assert_eq!(engine.solve(&[]), Answer::Unknown);
}

#[test]
fn goes_on_after_giving_up() {
    let mut engine = Engine::new();
    pigeons(&mut engine, 5);
    engine.set_limit_conflicts(Some(1));
    assert_eq!(engine.solve(&[]), Answer::Unknown);
    engine.set_limit_conflicts(None);
    assert_eq!(engine.solve(&[]), Answer::Unsat);
}

#[test]
fn tries_the_phase_first() {
    for positive in [true, false] {
        let mut engine = Engine::new();
        let lit = engine.new_lit();
        let other = engine.new_lit();
        engine.add_clause(&[lit, other]);
        engine.set_phase(if positive { lit } else { !lit });
        engine.set_phase(other);
        assert_eq!(engine.solve(&[]), Answer::Sat);
        assert_eq!(engine.value(lit), positive);
    }
}

#[test]
fn a_fixed_literal_may_get_a_meaning() {
    let mut engine = Engine::new();
    let (lit, a, b) = (engine.new_lit(), engine.new_node(), engine.new_node());
    engine.add_clause(&[lit]);
    assert_eq!(engine.solve(&[]), Answer::Sat);
    engine.add_edge(lit, b, a);
    assert_eq!(engine.solve(&[]), Answer::Sat);
    assert!(engine.position(b) < engine.position(a));
    let back = engine.new_lit();
    engine.add_edge(back, a, b);
    assert_eq!(engine.solve(&[back]), Answer::Unsat);
    assert_eq!(engine.core(), [back]);
    assert_eq!(engine.solve(&[]), Answer::Sat);
}

#[test]
fn contradictory_facts_have_an_empty_core() {
    let mut engine = Engine::new();
    let (lit, a, b) = (engine.new_lit(), engine.new_node(), engine.new_node());
    engine.add_edge(Lit::TRUE, a, b);
    assert_eq!(engine.solve(&[lit]), Answer::Sat);
    engine.add_edge(Lit::TRUE, b, a);
    assert_eq!(engine.solve(&[lit]), Answer::Unsat);
    assert_eq!(engine.core(), []);
    assert_eq!(engine.solve(&[]), Answer::Unsat);
}

#[test]
fn constants_may_be_assumed() {
    let mut engine = Engine::new();
    assert_eq!(engine.solve(&[Lit::TRUE]), Answer::Sat);
    assert_eq!(engine.solve(&[Lit::FALSE]), Answer::Unsat);
    assert_eq!(engine.core(), [Lit::FALSE]);
}
