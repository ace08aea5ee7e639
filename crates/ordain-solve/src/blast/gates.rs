//! Gates: literals that are functions of other literals.
//!
//! A gate is written as clauses only if its inputs do not decide it and it has not been made before. Inputs are brought
//! into a normal order and polarity first, so that more gates are the same.

use rustc_hash::FxHashMap;

use crate::order::{Lit, OrderSolver};

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// If the first then the second else the third.
    Choose(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
    All(Vec<Lit>),
}

/// The gates that exist in a solver.
#[derive(Default)]
pub struct Gates {
    outputs: FxHashMap<Gate, Lit>,
}

/// A place to make gates.
pub struct Circuit<'a, S> {
    gates: &'a mut Gates,
    solver: &'a mut S,
}

impl<'a, S: OrderSolver> Circuit<'a, S> {
    pub fn new(gates: &'a mut Gates, solver: &'a mut S) -> Self {
        Circuit { gates, solver }
    }

    /// The output of a gate; a new one is defined by clauses.
    fn output(&mut self, gate: Gate, define: impl FnOnce(&mut S, Lit)) -> Lit {
        if let Some(&output) = self.gates.outputs.get(&gate) {
            return output;
        }
        let output = self.solver.new_lit();
        define(self.solver, output);
        self.gates.outputs.insert(gate, output);
        output
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
            (Lit::TRUE, other) | (other, Lit::TRUE) => other,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.output(Gate::And(a, b), |solver, o| {
                solver.add_clause(&[!o, a]);
                solver.add_clause(&[!o, b]);
                solver.add_clause(&[o, !a, !b]);
            }),
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::FALSE, other) | (other, Lit::FALSE) => return other,
            (Lit::TRUE, other) | (other, Lit::TRUE) => return !other,
            _ if a == b => return Lit::FALSE,
            _ if a == !b => return Lit::TRUE,
            _ => {}
        }
        // Negations of inputs negate the output.
        let negated = a.is_positive() != b.is_positive();
        let (a, b) = (positive(a), positive(b));
        let (a, b) = (a.min(b), a.max(b));
        let output = self.output(Gate::Xor(a, b), |solver, o| {
            solver.add_clause(&[!o, a, b]);
            solver.add_clause(&[!o, !a, !b]);
            solver.add_clause(&[o, !a, b]);
            solver.add_clause(&[o, a, !b]);
        });
        if negated { !output } else { output }
    }

    /// `a` if `c`, else `b`.
    pub fn choose_bit(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if !c.is_positive() {
            return self.choose_bit(!c, b, a);
        }
        match () {
            () if c == Lit::TRUE || a == b => return a,
            () if a == Lit::TRUE || a == c => return self.or(c, b),
            () if a == Lit::FALSE || a == !c => return self.and(!c, b),
            () if b == Lit::TRUE || b == !c => return self.or(!c, a),
            () if b == Lit::FALSE || b == c => return self.and(c, a),
            () if a == !b => return !self.xor(c, a),
            () => {}
        }
        if !a.is_positive() {
            return !self.choose_bit(c, !a, !b);
        }
        self.output(Gate::Choose(c, a, b), |solver, o| {
            solver.add_clause(&[!c, !a, o]);
            solver.add_clause(&[!c, a, !o]);
            solver.add_clause(&[c, !b, o]);
            solver.add_clause(&[c, b, !o]);
            // Implied, but lets the output propagate before the choice is made.
            solver.add_clause(&[!a, !b, o]);
            solver.add_clause(&[a, b, !o]);
        })
    }

    /// At least two of three: a carry.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        // Two inputs that are equal or opposite decide it, wherever they are.
        for [x, y, z] in [[a, b, c], [a, c, b], [b, c, a]] {
            if x == y {
                return x;
            }
            if x == !y {
                return z;
            }
        }
        for [x, y, z] in [[a, b, c], [b, a, c], [c, a, b]] {
            match x {
                Lit::TRUE => return self.or(y, z),
                Lit::FALSE => return self.and(y, z),
                _ => {}
            }
        }
        // The majority of the negations is the negation of the majority: at most one input stays negated.
        if inputs.iter().filter(|lit| !lit.is_positive()).count() > 1 {
            return !self.majority(!a, !b, !c);
        }
        let [a, b, c] = inputs;
        self.output(Gate::Majority(a, b, c), |solver, o| {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                solver.add_clause(&[!x, !y, o]);
                solver.add_clause(&[x, y, !o]);
            }
        })
    }

    /// Whether all of the literals hold.
    pub fn all(&mut self, mut inputs: Vec<Lit>) -> Lit {
        inputs.sort_unstable_by_key(|lit| (lit.var(), lit.is_positive()));
        inputs.dedup();
        inputs.retain(|&lit| lit != Lit::TRUE);
        if inputs.contains(&Lit::FALSE) || inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Lit::FALSE;
        }
        match inputs[..] {
            [] => Lit::TRUE,
            [only] => only,
            [a, b] => self.and(a, b),
            _ => self.output(Gate::All(inputs.clone()), |solver, o| {
                inputs.iter().for_each(|&lit| solver.add_clause(&[!o, lit]));
                let mut clause: Vec<Lit> = inputs.iter().map(|&lit| !lit).collect();
                clause.push(o);
                solver.add_clause(&clause);
            }),
        }
    }

    pub fn any(&mut self, inputs: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(inputs.into_iter().map(|lit| !lit).collect())
    }
}

fn positive(lit: Lit) -> Lit {
    if lit.is_positive() { lit } else { !lit }
}
