//! How many path classes there are, without going through them where that can be helped.
//!
//! Threads that decide alone (`ordain_model::alone`) are not followed at first. Once the ways of all the others are settled,
//! one more question is asked: can the others go these ways to where no decision is left, while all threads that decide
//! alone stand apart? If so, they can then be run one after the other, each along any of its paths, and what is left of the
//! others after that: every combination of their paths is a class, and their number is a product. What the product does
//! not have are the classes in which one of them does not come to its end: those are gone through, and mostly there are
//! none. If not, the solver's reasons name threads that cannot stand apart. These are followed like the others, and the
//! question is asked again about the rest; in the end there is no rest, and the class counts as one.

use crate::Count;
use crate::paths::{Classes, Prefix};
use crate::search::{Reply, Search};
use ordain_model::alone::Alone;
use ordain_model::encode::Encoding;
use ordain_model::forest::{NodeEnd, TreeId};
use ordain_solve::engine::Engine;
use ordain_solve::order::{Lit, OrderSolver};
use rustc_hash::FxHashMap;

/// Conflicts that the question may cost whether threads can be left for last.
const MOST_EFFORT: u64 = 10_000;

/// Ways that are settled, and the trees whose ways are to be.
struct Open {
    prefix: Prefix,
    /// By place in the prefix.
    follow: Vec<bool>,
}

struct Counting {
    encoding: Encoding<Engine>,
    classes: Classes,
    alone: Alone,
    /// That a thread which decides alone stands apart.
    apart: FxHashMap<TreeId, Lit>,
    /// That the process goes on.
    goes_on: Lit,
    /// By threads: that one of them does not come to its end.
    short: FxHashMap<Vec<TreeId>, Lit>,
    count: Count,
}

/// Whether threads can be left for last.
enum Rest {
    /// They can, and have this many combinations of paths.
    Product(Count),
    /// These cannot, or nobody knows which.
    Blamed(Vec<TreeId>),
}

impl Search<'_> {
    pub(crate) fn count_paths(&mut self) -> Count {
        let Some((mut encoding, classes)) = self.begin_paths() else { return Count::default() };
        let forest = &self.unfolder.forest;
        let alone = Alone::new(forest);
        let trees = forest.tree_ids().filter(|&tree| alone.leaves(tree).is_some());
        let apart = trees.map(|tree| (tree, encoding.stands_apart(forest, tree))).collect();
        let goes_on = encoding.goes_on(forest);
        let (short, count) = (FxHashMap::default(), Count::default());
        let mut counting = Counting { encoding, classes, alone, apart, goes_on, short, count };
        let at = self.roots();
        let follow = at.iter().map(|&root| !counting.apart.contains_key(&forest.node(root).tree)).collect();
        let mut open = vec![Open { prefix: Prefix { lits: Vec::new(), at }, follow }];
        while let Some(next) = open.pop() {
            if self.is_over() || !self.count_below(&mut counting, next, &mut open) {
                break;
            }
        }
        counting.count
    }

    /// Counts what can be counted at once, and leaves the rest open. Says whether the solver is still up to it.
    fn count_below(&mut self, counting: &mut Counting, next: Open, open: &mut Vec<Open>) -> bool {
        let Open { prefix, mut follow } = next;
        let Counting { encoding, classes, .. } = counting;
        let mut others = Vec::new();
        let mut prefix = match self.ask_prefix(encoding, classes, &prefix) {
            Reply::Yes(_) => self.follow_model(encoding, prefix, |place| follow[place], &mut others),
            Reply::No => return true,
            Reply::TooHard => return false,
        };
        open.extend(others.into_iter().map(|prefix| Open { prefix, follow: follow.clone() }));
        let trees: Vec<TreeId> = prefix.at.iter().map(|&node| self.unfolder.forest.node(node).tree).collect();
        let rest = trees.iter().zip(&follow).filter(|(_, follow)| !**follow).map(|(&tree, _)| tree);
        let rest: Vec<TreeId> = rest.collect();
        if rest.is_empty() {
            counting.count += 1u32;
            return true;
        }
        match self.ask_rest(counting, &prefix, &follow, &rest) {
            Rest::Product(product) => {
                counting.count += &product;
                prefix.lits.push(counting.stops_short(rest));
                follow.fill(true);
            }
            Rest::Blamed(blamed) => {
                let nobody_knows = blamed.is_empty();
                for (follow, tree) in follow.iter_mut().zip(&trees) {
                    *follow |= nobody_knows || blamed.contains(tree);
                }
            }
        }
        open.push(Open { prefix, follow });
        true
    }

    /// Whether the threads of the rest can be left for last, given the ways of all the others.
    fn ask_rest(&mut self, counting: &mut Counting, prefix: &Prefix, follow: &[bool], rest: &[TreeId]) -> Rest {
        let Some(out) = self.run_out(counting, prefix, follow) else { return Rest::Blamed(Vec::new()) };
        let apart = rest.iter().map(|tree| counting.apart[tree]);
        let assumptions = [counting.goes_on].into_iter().chain(apart).chain(out).chain(prefix.lits.iter().copied());
        let assumptions: Vec<Lit> = assumptions.collect();
        counting.encoding.solver.set_limit_conflicts(Some(MOST_EFFORT));
        let reply = self.ask(&mut counting.encoding, &assumptions);
        counting.encoding.solver.set_limit_conflicts(None);
        match reply {
            Reply::Yes(_) => {
                let mut product = Count::from(1u32);
                rest.iter().for_each(|&tree| product *= counting.alone.leaves(tree).map_or(0, <[_]>::len) as u32);
                Rest::Product(product)
            }
            Reply::No => {
                let core = counting.encoding.solver.core();
                let is_blamed = |tree: &&TreeId| core.contains(&counting.apart[*tree]);
                Rest::Blamed(rest.iter().filter(is_blamed).copied().collect())
            }
            // It was worth a try.
            Reply::TooHard => Rest::Blamed(Vec::new()),
        }
    }

    /// What to assume so that the trees that were followed have no decisions left. `None` if they may have.
    fn run_out(&self, counting: &Counting, prefix: &Prefix, follow: &[bool]) -> Option<Vec<Lit>> {
        let forest = &self.unfolder.forest;
        let followed = || prefix.at.iter().zip(follow).filter(|(_, follow)| **follow).map(|(&node, _)| node);
        let (undecided, ends): (Vec<_>, Vec<_>) =
            followed().partition(|&node| matches!(forest.node(node).end, NodeEnd::Decision(_)));
        if !ends.iter().all(|&end| counting.alone.runs_out(end)) {
            return None;
        }
        // A thread that is not there, and that nobody is going to create, decides nothing.
        let absent = undecided.into_iter().map(|node| {
            let tree = forest.tree(forest.node(node).tree);
            let created = ends.iter().any(|&end| Alone::creates(forest, end, &tree.key));
            (node == tree.root && !created).then(|| counting.encoding.is_absent(forest, forest.node(node).tree))
        });
        absent.collect()
    }
}

impl Counting {
    fn stops_short(&mut self, threads: Vec<TreeId>) -> Lit {
        if let Some(&lit) = self.short.get(&threads) {
            return lit;
        }
        let leaves: Vec<_> = threads.iter().filter_map(|&tree| self.alone.leaves(tree)).collect();
        let lit = self.encoding.stops_short(&leaves);
        self.short.insert(threads, lit);
        lit
    }
}
