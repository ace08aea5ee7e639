//! The theory alone, walked up and down at random, against recomputing everything from the statements.

use super::Theory;
use crate::oracle::Problem;
use crate::order::{Access, CellId, Lit, Node, WriteId};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A theory, and the statements it was told.
struct Walk {
    random: Random,
    theory: Theory,
    told: Problem,
    /// What the solver would have on its trail, by level.
    levels: Vec<Vec<Lit>>,
    /// Implied literals on the trail, and how many were before them.
    implied: Vec<(Lit, usize)>,
}

impl Walk {
    fn new(seed: u64) -> Walk {
        let mut walk = Walk {
            random: Random(seed),
            theory: Theory::new(),
            told: Problem { variables: 1, ..Problem::default() },
            levels: vec![vec![Lit::TRUE]],
            implied: Vec::new(),
        };
        let coherent = walk.random.below(2) == 0;
        let sparse = walk.random.below(2) == 0;
        for _ in 0..2 + walk.random.below(6) {
            walk.new_node();
        }
        for _ in 0..walk.random.below(4) {
            let access = walk.access(coherent);
            walk.told.writes.push(access);
            walk.theory.new_write(access);
        }
        for _ in 0..walk.random.below(4) {
            let access = walk.access(coherent);
            walk.told.cells.push(access);
            walk.theory.new_cell(access);
        }
        walk.told.variables += 5 + walk.random.below(30) as u32;
        let statements = if sparse { 30 } else { 90 };
        for _ in 0..5 + walk.random.below(statements) {
            walk.state();
        }
        walk
    }

    fn new_node(&mut self) -> Node {
        self.told.nodes += 1;
        self.theory.new_node()
    }

    fn access(&mut self, coherent: bool) -> Access {
        let global = self.new_node();
        Access { global, coherence: coherent.then(|| self.new_node()) }
    }

    fn any_lit(&mut self) -> Lit {
        let var = 1 + self.random.below(self.told.variables as usize) as i32;
        Lit::from_dimacs(if var > 1 && self.random.below(3) == 0 { -var } else { var })
    }

    /// Say something. Facts are few and mostly ascend, or else there would be nothing left to decide.
    fn state(&mut self) {
        let lit = self.any_lit();
        let kind = if self.told.writes.is_empty() || self.told.cells.is_empty() { 0 } else { self.random.below(6) };
        if kind < 3 {
            let ends = [0; 2].map(|_| Node(self.random.below(self.told.nodes as usize) as u32));
            let ascend = lit == Lit::TRUE && self.random.below(50) > 0;
            let [from, to] = if ascend { [ends[0].min(ends[1]), ends[0].max(ends[1])] } else { ends };
            if ascend && from == to {
                return;
            }
            self.told.edges.push((lit, from, to));
            return self.theory.add_edge(lit, from, to);
        }
        let [write, other] = [0; 2].map(|_| WriteId(self.random.below(self.told.writes.len()) as u32));
        if lit == Lit::TRUE && kind == 3 && write >= other {
            return;
        }
        let cell = CellId(self.random.below(self.told.cells.len()) as u32);
        match kind {
            3 => {
                self.told.orders.push((lit, write, other));
                self.theory.add_write_order(lit, write, other);
            }
            4 => {
                let external = self.random.below(2) == 0;
                self.told.reads.push((lit, write, cell, external));
                self.theory.add_reads_from(lit, write, cell, external);
            }
            _ => {
                self.told.hits.push((lit, write, cell));
                self.theory.add_hit(lit, write, cell);
            }
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        let mut assigned = self.levels.iter().flatten();
        assigned.find(|other| other.var() == lit.var()).map(|&other| other == lit)
    }

    fn assign(&mut self, lit: Lit) {
        self.levels.last_mut().expect("the root is a level").push(lit);
        self.theory.assign(lit);
    }

    /// `reach[a][b]`: some path of edges whose literals are all among `lits` leads from `a` to `b`.
    fn reachable(&self, lits: &[Lit]) -> Vec<Vec<bool>> {
        let nodes = self.told.nodes as usize;
        let mut reach = vec![vec![false; nodes]; nodes];
        for (needed, from, to) in self.told.conditional_edges() {
            if needed.iter().all(|lit| *lit == Lit::TRUE || lits.contains(lit)) {
                reach[from.0 as usize][to.0 as usize] = true;
            }
        }
        for via in 0..nodes {
            for from in 0..nodes {
                for to in 0..nodes {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        reach
    }

    fn is_cyclic(&self, lits: &[Lit]) -> bool {
        self.reachable(lits).iter().enumerate().any(|(node, reach)| reach[node])
    }

    /// A clause is a lemma if its literals cannot all be false.
    fn assert_lemma(&self, clause: &[Lit]) {
        let negated: Vec<Lit> = clause.iter().map(|&lit| !lit).collect();
        assert!(self.is_cyclic(&negated), "{clause:?} is no lemma");
    }

    /// Is there a conflict, rightly or rightly not?
    fn conflict(&mut self) -> bool {
        let conflict = self.theory.conflict().map(<[Lit]>::to_vec);
        let assigned: Vec<Lit> = self.levels.iter().flatten().copied().collect();
        assert_eq!(conflict.is_some(), self.is_cyclic(&assigned), "{conflict:?} under {assigned:?}");
        if let Some(clause) = &conflict {
            assert!(clause.iter().all(|&lit| self.value(lit) == Some(false)), "{clause:?} is not false");
            self.assert_lemma(clause);
        }
        conflict.is_some()
    }

    /// Assign what is implied; afterwards no open literal's edge may close a cycle. False if there is a conflict.
    fn propagate(&mut self) -> bool {
        while let Some(lit) = self.theory.next_implied() {
            assert_eq!(self.value(lit), None);
            self.implied.push((lit, self.levels.iter().map(Vec::len).sum()));
            self.assign(lit);
            if self.random.below(4) == 0 {
                self.check_reasons();
            }
        }
        self.check_reasons();
        if self.conflict() {
            return false;
        }
        let assigned: Vec<Lit> = self.levels.iter().flatten().copied().collect();
        let reach = self.reachable(&assigned);
        for (needed, from, to) in self.told.conditional_edges() {
            let open: Vec<&Lit> = needed.iter().filter(|&&lit| self.value(lit) != Some(true)).collect();
            if let [&lit] = open[..]
                && self.value(lit).is_none()
            {
                assert!(!reach[to.0 as usize][from.0 as usize], "{lit:?} should be implied false");
            }
        }
        true
    }

    /// Reasons may be asked for late, but may only name what was assigned before.
    fn check_reasons(&mut self) {
        let trail: Vec<Lit> = self.levels.iter().flatten().copied().collect();
        for (lit, before) in self.implied.clone() {
            if self.random.below(3) > 0 {
                continue;
            }
            let clause = self.theory.explain(lit).expect("it was implied");
            let others: Vec<Lit> = clause.iter().copied().filter(|&other| other != lit).collect();
            assert_eq!(others.len() + 1, clause.len());
            assert!(others.iter().all(|&other| trail[..before].contains(&!other)), "{clause:?} implies nothing");
            self.assert_lemma(&clause);
        }
    }

    fn check_positions(&self) {
        let positions = self.theory.positions();
        let assigned: Vec<Lit> = self.levels.iter().flatten().copied().collect();
        for (from, reach) in self.reachable(&assigned).iter().enumerate() {
            assert!((0..reach.len()).all(|to| !reach[to] || positions[from] < positions[to]));
        }
    }

    fn backtrack(&mut self, level: usize) {
        self.levels.truncate(level + 1);
        let assigned: usize = self.levels.iter().map(Vec::len).sum();
        self.implied.retain(|&(_, before)| before < assigned);
        self.theory.backtrack(level);
    }

    /// One step up or down. False when the problem has no solution at all.
    fn step(&mut self) -> bool {
        if !self.propagate() {
            if self.levels.len() == 1 {
                return false;
            }
            let level = self.random.below(self.levels.len() - 1);
            self.backtrack(level);
            return true;
        }
        self.check_positions();
        let assigned: usize = self.levels.iter().map(Vec::len).sum();
        if assigned == self.told.variables as usize || self.random.below(8) == 0 {
            let level = self.random.below(self.levels.len());
            self.backtrack(level);
        }
        let at_root = self.levels.len() == 1;
        if at_root && self.random.below(4) == 0 {
            // At the root a solver asks for reasons at once, and never again.
            self.implied.clear();
            self.state();
        } else if at_root && self.random.below(20) > 0 || self.random.below(3) > 0 {
            self.levels.push(Vec::new());
            self.theory.new_level();
        }
        // Several at once, as unit propagation would.
        for _ in 0..1 + self.random.below(8) {
            let lit = self.any_lit();
            if self.value(lit).is_none() {
                self.assign(lit);
            }
        }
        true
    }
}

#[test]
fn theory_agrees_with_recomputation() {
    let (mut conflicts, mut propagations) = (0, 0);
    for seed in 0..2500 {
        let mut walk = Walk::new(seed);
        for _ in 0..100 {
            if !walk.step() {
                break;
            }
        }
        conflicts += walk.theory.statistics().conflicts;
        propagations += walk.theory.statistics().propagations;
    }
    // Walks on which nothing happens would prove nothing.
    assert!(conflicts > 1_500 && propagations > 9_000, "{conflicts} conflicts, {propagations} propagations");
}
