//! Regions of a recorded run that should be atomic: what can come between two accesses of one, and whether that matters.
//!
//! A candidate is a pair of accesses of a region to the same memory, and one of another thread that conflicts with both; or a pair to different
//! memory, and two accesses of another thread, in one section of a mutex, that conflict with one each. Those that
//! differ only in which time round a loop it was are one question. What the solver finds is held against executions with the region in
//! one piece (`ordain_model::encode`, `atomicity`), so what makes no difference is not reported; the rest is run in the machine.

use crate::follow::Follower;
use crate::search::{Reply, Search};
use crate::unproved::UnprovedKind;
use crate::{Aim, Bug, Error, Focus, Progress, Region, Scope};
use ordain_expr::Term;
use ordain_ir::program::{FuncId, Inst};
use ordain_model::encode::{Between, Certain, Encoding, Seen, Solution};
use ordain_model::event::{EventId, EventKind};
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::forest::{Forest, Position};
use ordain_model::names::ThreadName;
use ordain_solve::engine::Engine;
use ordain_solve::order::{Answer, Lit, OrderSolver};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many kinds of executions in which it makes no difference that a region was split are looked at before a candidate is given up.
const MOST_BENIGN: u32 = 1_000;

/// In a window, instances of the same lines that are looked at.
const MOST_INSTANCES: usize = 8;

/// Conflicts that a question about all candidates at once may cost.
const EFFORT_FOR_ALL: u64 = 20_000;

/// Two accesses of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pair {
    first: EventId,
    second: EventId,
}

/// A candidate as a person sees it.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
struct Lines {
    thread: ThreadName,
    first: Place,
    after_first: Place,
    before_second: Place,
    second: Place,
}

impl Lines {
    /// Whether a failure is a violation at these lines, whichever threads were there.
    fn are_of(&self, failure: &Failure) -> bool {
        let others: Vec<&Place> = failure.others.iter().map(|(_, place)| place).collect();
        let is_there = match others[..] {
            [first, between] => [first, between, between] == [&self.first, &self.after_first, &self.before_second],
            [first, after, before] => [first, after, before] == [&self.first, &self.after_first, &self.before_second],
            _ => false,
        };
        failure.kind == FailureKind::Atomicity && failure.place == self.second && is_there
    }
}

/// The same in the model.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    pair: Pair,
    between: Between,
    goal: Lit,
}

/// Candidates that are the same to a person.
#[derive(Clone, Debug)]
struct Group {
    lines: Lines,
    candidates: Vec<Candidate>,
    /// One of them comes true.
    any: Lit,
}

/// Where events are in the known run.
pub(crate) struct Positions(FxHashMap<EventId, u64>);

impl Positions {
    fn of(order: &[EventId]) -> Positions {
        Positions(order.iter().copied().zip(0..).collect())
    }

    /// How far apart these are; those that are not in the run are far from everything.
    pub fn apart(&self, events: &[EventId]) -> u64 {
        let at: Option<Vec<u64>> = events.iter().map(|e| self.0.get(e).copied()).collect();
        at.and_then(|at| Some(at.iter().max()? - at.iter().min()?)).unwrap_or(u64::MAX)
    }
}

impl Group {
    /// The candidate that comes true in the execution that was found last, if it was looked for.
    fn came_true(&self, encoding: &Encoding<Engine>) -> Option<Candidate> {
        let asked = encoding.solver.value(self.any);
        self.candidates.iter().copied().find(|candidate| asked && encoding.solver.value(candidate.goal))
    }
}

impl<'p> Search<'p> {
    /// Looks at every region. Says whether everything has to be asked again, which it never has: nothing here makes the forest grow.
    pub(crate) fn ask_regions(
        &mut self,
        encoding: &mut Encoding<Engine>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        let (points, order) = self.points_of_known()?;
        let possible = self.possible_splits(encoding.certain(), &points);
        if possible.is_empty() {
            return Ok(false);
        }
        encoding.prefer(&order);
        let together = self.together(&points);
        let mut open = self.candidates(encoding, possible, &Positions::of(&order));
        self.regions.candidates = open.len() as u32;
        if open.is_empty() {
            return Ok(false);
        }
        // One answer is mostly enough to know a violation, and one more that there are no others.
        let all: Vec<Lit> = open.iter().map(|group| group.any).collect();
        let any = encoding.any_of(&all);
        let effort = self.options.effort.map_or(EFFORT_FOR_ALL, |effort| effort.min(EFFORT_FOR_ALL));
        encoding.solver.set_limit_conflicts(Some(effort));
        let mut harder = Vec::new();
        let settled = self.ask_all_groups(encoding, any, &mut open, &mut harder, &together, progress)?;
        encoding.solver.set_limit_conflicts(self.options.effort);
        if !settled {
            harder.append(&mut open);
        }
        for group in harder {
            if !self.ask_group(encoding, &group, &together, progress)? {
                self.regions.undecided += 1;
                self.left.undecided.insert((UnprovedKind::Atomicity, group.lines.second.clone()));
            }
        }
        Ok(false)
    }

    /// The regions that are looked at.
    fn regions_of_interest(&self) -> &'p [Region] {
        match self.options.recorded.as_ref().map(|recorded| &recorded.aim) {
            Some(Aim::Anything(regions)) if self.looks_for(&[FailureKind::Atomicity]) => regions,
            _ => &[],
        }
    }

    /// Whether anything can come between accesses of a region, as far as that can be told without a solver.
    pub(crate) fn has_splits(&mut self, certain: &Certain) -> Result<bool, Error> {
        if self.regions_of_interest().is_empty() {
            return Ok(false);
        }
        let (points, _) = self.points_of_known()?;
        Ok(!self.possible_splits(certain, &points).is_empty())
    }

    /// What may come between accesses of regions.
    fn possible_splits(&self, certain: &Certain, points: &FxHashMap<EventId, u64>) -> Vec<(Pair, Between)> {
        let by_thread = self.by_thread(points);
        let (mut pairs, mut joint) = (Vec::new(), Vec::new());
        for region in self.regions_of_interest() {
            let inside = events_of(region, &by_thread, points);
            pairs.extend(self.pairs(region, inside, points, self.focus()));
            if region.scope == Scope::Marked {
                joint.extend(self.joint_pairs(inside, points));
            }
        }
        self.splits_of(certain, &pairs, &joint)
    }

    /// What is in one piece where everything is: all of a region that somebody has marked, of others the accesses that belong together.
    fn together(&self, points: &FxHashMap<EventId, u64>) -> Vec<Vec<EventId>> {
        let by_thread = self.by_thread(points);
        let mut together = Vec::new();
        for region in self.regions_of_interest() {
            let inside = events_of(region, &by_thread, points);
            match region.scope {
                Scope::Marked => together.push(inside.to_vec()),
                Scope::Function(_) => {
                    let pairs = self.pairs(region, inside, points, None);
                    together.extend(pairs.iter().map(|pair| vec![pair.first, pair.second]));
                }
            }
        }
        together
    }

    /// The events of each thread that are in the known run, in its order.
    fn by_thread(&self, points: &FxHashMap<EventId, u64>) -> FxHashMap<ThreadName, Vec<EventId>> {
        let forest = &self.unfolder.forest;
        let mut by_thread: FxHashMap<ThreadName, Vec<EventId>> = FxHashMap::default();
        for &e in points.keys() {
            by_thread.entry(forest.thread(e).clone()).or_default().push(e);
        }
        for events in by_thread.values_mut() {
            events.sort_unstable_by_key(|e| (points[e], forest.position(*e).node, forest.position(*e).index));
        }
        by_thread
    }

    /// Which event was which point of its thread's in the known run; of those that did not take place there, because a pointer pointed
    /// elsewhere, which point they would have been. With the events of the run in their order.
    pub(crate) fn points_of_known(&mut self) -> Result<(FxHashMap<EventId, u64>, Vec<EventId>), Error> {
        let book = Rc::clone(&self.book);
        let size_of = move |base| book.borrow().object(base).map_or(0, |o| o.size);
        let mut follower = Follower::new(&mut self.unfolder, &size_of);
        follower.follow(&self.logs[0])?;
        let (mut points, order) = (follower.points, follower.taken);
        let forest = &self.unfolder.forest;
        let of_step = |(&e, &points): (&EventId, &u64)| ((forest.thread(e), forest.event(e).step), points);
        let by_step: FxHashMap<(&ThreadName, u64), u64> = points.iter().map(of_step).collect();
        let unknown = forest.event_ids().filter(|e| !points.contains_key(e));
        let alike = |e| Some((e, *by_step.get(&(forest.thread(e), forest.event(e).step))?));
        let alike: Vec<(EventId, u64)> = unknown.filter_map(alike).collect();
        points.extend(alike);
        Ok((points, order))
    }

    /// Where events are in the known run.
    pub(crate) fn positions_in_known(&mut self) -> Result<Positions, Error> {
        Ok(Positions::of(&self.points_of_known()?.1))
    }

    /// The pairs of a region that belong together, if that is all that anybody wants to know of those at certain lines.
    fn pairs(
        &self,
        region: &Region,
        inside: &[EventId],
        points: &FxHashMap<EventId, u64>,
        focus: Option<&Focus>,
    ) -> Vec<Pair> {
        let forest = &self.unfolder.forest;
        let is_at = |e: EventId, nth: usize| {
            focus.is_none_or(|focus| focus.splits.iter().any(|lines| lines[nth] == self.line(e)))
        };
        let is_pair = |first: EventId, second: EventId| {
            let pair = (self.line(first), self.line(second));
            focus.is_none_or(|focus| focus.splits.iter().any(|&[first, _, second]| (first, second) == pair))
        };
        let of_interest = |e: &EventId| is_own_access(forest, *e) && (is_at(*e, 0) || is_at(*e, 2));
        let accesses: Vec<EventId> = inside.iter().copied().filter(of_interest).collect();
        let mut pairs = Vec::new();
        for (n, &second) in accesses.iter().enumerate().filter(|&(_, &second)| is_at(second, 2)) {
            let mut sites = FxHashSet::from_iter([forest.event(second).site]);
            for &first in accesses[..n].iter().rev() {
                // Both halves of one step are always together.
                let apart = points[&first] == points[&second]
                    || !may_overlap(forest, first, second)
                    || !forest.program_order(first, second);
                if apart || !is_pair(first, second) {
                    continue;
                }
                let belong_together = match region.scope {
                    Scope::Marked => true,
                    // What was done at the same place in an earlier round of a loop is another matter.
                    Scope::Function(function) => {
                        sites.insert(forest.event(first).site) && self.belong_together(function, inside, first, second)
                    }
                };
                if belong_together {
                    pairs.push(Pair { first, second });
                }
            }
        }
        pairs
    }

    /// Pairs of accesses to different memory, each of which a region touches only once: of what it touches twice, `pairs` know.
    fn joint_pairs(&self, inside: &[EventId], points: &FxHashMap<EventId, u64>) -> Vec<Pair> {
        let forest = &self.unfolder.forest;
        let accesses: Vec<EventId> = inside.iter().copied().filter(|&e| is_own_access(forest, e)).collect();
        let is_only = |e: &EventId| !accesses.iter().any(|&other| other != *e && may_overlap(forest, *e, other));
        let only: Vec<EventId> = accesses.iter().copied().filter(is_only).collect();
        let pairs = only
            .iter()
            .enumerate()
            .flat_map(|(n, &first)| only[n + 1..].iter().map(move |&second| Pair { first, second }));
        let apart =
            |pair: &Pair| points[&pair.first] != points[&pair.second] && forest.program_order(pair.first, pair.second);
        pairs.filter(apart).collect()
    }

    /// Whether two accesses look as if they were meant to be one thing, given all events of the call of the function that they are in.
    fn belong_together(&self, function: FuncId, inside: &[EventId], first: EventId, second: EventId) -> bool {
        let forest = &self.unfolder.forest;
        let on_the_way = |&&e: &&EventId| e == second || forest.program_order(e, second);
        let way: Vec<EventId> = inside.iter().filter(on_the_way).copied().collect();
        let is_direct = |e: EventId| forest.event(e).site.user.0 == function;
        let since = way.iter().position(|&e| e == first).unwrap_or(0);
        // It may have waited on another way than that of the run.
        let may_wait = |e: EventId| {
            waits(forest, e)
                && forest.thread(e) == forest.thread(first)
                && forest.program_order(first, e)
                && forest.program_order(e, second)
        };
        if way[since..].iter().any(|&e| waits(forest, e)) || forest.event_ids().any(may_wait) {
            return false;
        }
        is_direct(first) && is_direct(second) && self.depends(first, second)
            || in_two_sections(forest, &way, since, is_direct)
    }

    /// Whether what the second access does, or that it is made, depends on what the first one read.
    fn depends(&self, first: EventId, second: EventId) -> bool {
        let forest = &self.unfolder.forest;
        let Some(read) = forest.event(first).kind.seen() else { return false };
        let uses = |term: Term| forest.terms.cone_until(&[term], |_| false).contains(&read);
        // Whoever compares and exchanges looks again.
        let writes_it = match forest.event(second).kind {
            EventKind::Rmw { .. } => return false,
            ref kind => kind.written().is_some_and(uses),
        };
        let (from, to) = (forest.position(first), forest.position(second));
        let is_branch = |e: EventId| {
            let site = forest.event(e).site;
            let inst = &self.program.function(site.function).code[site.pc.index()];
            matches!(inst, Inst::CondBr { .. } | Inst::Switch { .. })
        };
        let decides = |&e: &EventId| match forest.event(e).kind {
            EventKind::Assume { condition } => is_branch(e) && uses(condition),
            _ => false,
        };
        writes_it || between(forest, from, to).iter().any(decides)
    }

    /// Accesses that might come in an order that no region in one piece has.
    fn splits_of(&self, certain: &Certain, pairs: &[Pair], joint: &[Pair]) -> Vec<(Pair, Between)> {
        let forest = &self.unfolder.forest;
        let accesses: Vec<EventId> = forest.event_ids().filter(|&e| is_own_access(forest, e)).collect();
        let mut possible: Vec<(Pair, Between)> = Vec::new();
        for &pair in pairs {
            let others = accesses.iter().filter(|&&e| forest.thread(e) != forest.thread(pair.first));
            let meets = |&&e: &&EventId| may_overlap(forest, pair.first, e) && may_split(forest, pair, e);
            let let_in = |&&e: &&EventId| !certain.keeps_out(forest, pair.first, e, pair.second);
            let of_interest = |&&e: &&EventId| self.is_split_of_interest(pair.first, e, pair.second);
            let others = others.filter(of_interest).filter(meets).filter(let_in);
            possible.extend(others.map(|&e| (pair, Between::one(e))));
        }
        for &pair in joint {
            let conflicts = |e: EventId, own: EventId| {
                forest.thread(e) != forest.thread(own)
                    && may_overlap(forest, e, own)
                    && (forest.event(e).kind.is_write() || forest.event(own).kind.is_write())
            };
            for &after_first in accesses.iter().filter(|&&e| conflicts(e, pair.first)) {
                let with_it = |&&e: &&EventId| {
                    forest.thread(e) == forest.thread(after_first) && certain.in_one_section(forest, after_first, e)
                };
                for &before_second in accesses.iter().filter(with_it).filter(|&&e| conflicts(e, pair.second)) {
                    if !certain.keeps_out(forest, pair.first, after_first, pair.second) {
                        possible.push((pair, Between { after_first, before_second }));
                    }
                }
            }
        }
        possible
    }

    /// These by where they are in the source, each with the question whether it comes true.
    fn candidates(
        &mut self,
        encoding: &mut Encoding<Engine>,
        possible: Vec<(Pair, Between)>,
        positions: &Positions,
    ) -> Vec<Group> {
        let forest = &self.unfolder.forest;
        let mut by_lines: BTreeMap<Lines, Vec<(Pair, Between)>> = BTreeMap::new();
        for (pair, between) in possible {
            let place = |e| self.place_of_event(e);
            let lines = Lines {
                thread: forest.thread(pair.first).clone(),
                first: place(pair.first),
                after_first: place(between.after_first),
                before_second: place(between.before_second),
                second: place(pair.second),
            };
            by_lines.entry(lines).or_default().push((pair, between));
        }
        let mut groups: BTreeMap<Lines, Vec<Candidate>> = BTreeMap::new();
        for (lines, mut instances) in by_lines {
            if self.focus().is_some() && self.bugs.iter().any(|bug| lines.are_of(&bug.failure)) {
                continue;
            }
            if self.focus().is_some() {
                // A window has many instances of the same lines: those count that are next to each other in the run.
                instances.sort_by_key(|(pair, b)| {
                    positions.apart(&[pair.first, b.after_first, b.before_second, pair.second])
                });
                instances.truncate(MOST_INSTANCES);
            }
            for (pair, between) in instances {
                let split = encoding.splits(&mut self.unfolder.forest, pair.first, between, pair.second);
                let Some(goal) = split else { continue };
                groups.entry(lines.clone()).or_default().push(Candidate { pair, between, goal });
            }
        }
        let group = |(lines, candidates): (Lines, Vec<Candidate>)| {
            let goals: Vec<Lit> = candidates.iter().map(|candidate| candidate.goal).collect();
            let any = encoding.any_of(&goals);
            Group { lines, candidates, any }
        };
        groups.into_iter().map(group).collect()
    }

    /// Asks for executions in which candidates of any group come true, until there are no more. What makes a difference is reported; groups
    /// of which one made none are `harder`. Says whether the solver came to an end.
    fn ask_all_groups(
        &mut self,
        encoding: &mut Encoding<Engine>,
        any: Lit,
        open: &mut Vec<Group>,
        harder: &mut Vec<Group>,
        together: &[Vec<EventId>],
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        while !self.is_over() {
            self.tell(progress);
            let solution = match self.ask(encoding, &[any]) {
                Reply::Yes(solution) => solution,
                Reply::No => return Ok(true),
                Reply::TooHard => return Ok(false),
            };
            let found = open.iter().enumerate().find_map(|(nth, group)| Some((nth, group.came_true(encoding)?)));
            let (nth, Candidate { pair, between, .. }) = found.expect("what was asked for comes true");
            let group = open.remove(nth);
            let seen = encoding.seen(&self.unfolder.forest, pair.second);
            let answer = self.in_one_piece(encoding, &seen, together)?;
            encoding.rule_out(group.any);
            match answer {
                Answer::Unsat => self.report_split(&group.lines, between, &solution)?,
                Answer::Sat | Answer::Unknown => harder.push(group),
            }
        }
        Ok(false)
    }

    /// Asks for an execution in which a candidate of one group comes true, and makes a difference. Says whether there was an answer.
    fn ask_group(
        &mut self,
        encoding: &mut Encoding<Engine>,
        group: &Group,
        together: &[Vec<EventId>],
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<bool, Error> {
        let goals: Vec<Lit> = group.candidates.iter().map(|candidate| candidate.goal).collect();
        let lasts: Vec<Lit> =
            group.candidates.iter().map(|c| encoding.is_last(&self.unfolder.forest, c.pair.second)).collect();
        let ends: Vec<Lit> = goals.iter().zip(lasts).map(|(&goal, last)| encoding.all_of(&[goal, last])).collect();
        let any = encoding.any_of(&ends);
        for _ in 0..MOST_BENIGN {
            if self.is_over() {
                return Ok(false);
            }
            self.tell(progress);
            let solution = match self.ask(encoding, &[any]) {
                Reply::Yes(solution) => solution,
                Reply::No => return Ok(true),
                Reply::TooHard => return Ok(false),
            };
            let came_true = ends.iter().position(|&lit| encoding.solver.value(lit));
            let Candidate { pair, between, .. } = group.candidates[came_true.expect("what was asked for comes true")];
            let seen = encoding.seen(&self.unfolder.forest, pair.second);
            match self.in_one_piece(encoding, &seen, together)? {
                Answer::Sat => {
                    self.regions.benign += 1;
                    encoding.exclude(&self.unfolder.forest, &seen, pair.second);
                }
                Answer::Unsat => return self.report_split(&group.lines, between, &solution).map(|()| true),
                Answer::Unknown => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Whether what was seen of an execution can be had with all regions in one piece.
    fn in_one_piece(
        &mut self,
        encoding: &mut Encoding<Engine>,
        seen: &Seen,
        together: &[Vec<EventId>],
    ) -> Result<Answer, Error> {
        self.statistics.queries += 1;
        let answer = encoding.in_one_piece(&mut self.unfolder.forest, seen, together);
        answer.ok_or_else(|| Error::Diverged("an execution contradicts what is seen of it".to_owned()))
    }

    /// Runs what was found. People are told once of three places, whichever thread was there.
    fn report_split(&mut self, lines: &Lines, between: Between, solution: &Solution) -> Result<(), Error> {
        let is_one = between.after_first == between.before_second;
        match is_one {
            true => self.regions.violations += 1,
            false => self.regions.joint += 1,
        }
        let other = self.unfolder.forest.thread(between.after_first).clone();
        let Lines { thread, first, after_first, before_second, second } = lines;
        let at = if is_one { format!("{after_first}") } else { format!("{after_first} and {before_second}") };
        let message = format!(
            "what thread {thread} does at {first} and {second} is not atomic: thread {other} comes between at {at}"
        );
        let mut others = vec![(thread.clone(), first.clone()), (other.clone(), after_first.clone())];
        others.extend((!is_one).then(|| (other, before_second.clone())));
        let is_known = |bug: &Bug| lines.are_of(&bug.failure);
        let (kind, thread, place) = (FailureKind::Atomicity, thread.clone(), second.clone());
        let failure = Failure { kind, thread, place, others, message, stack: Vec::new() };
        let machine = self.execute(solution, None)?;
        self.runs += 1;
        let execution = self.confirm(&failure, machine.execution())?;
        if !self.bugs.iter().any(is_known) {
            self.bugs.push(Bug { failure, execution });
        }
        Ok(())
    }
}

/// The events of a region, in the order of the run.
fn events_of<'e>(
    region: &Region,
    by_thread: &'e FxHashMap<ThreadName, Vec<EventId>>,
    points: &FxHashMap<EventId, u64>,
) -> &'e [EventId] {
    let all = by_thread.get(&region.thread).map_or(&[][..], |all| all);
    let first = all.partition_point(|e| points[e] < region.first);
    let end = all.partition_point(|e| points[e] < region.end);
    &all[first..end.max(first)]
}

/// Whether the event is an access in the user's own code.
fn is_own_access(forest: &Forest, e: EventId) -> bool {
    let event = forest.event(e);
    event.kind.access().is_some() && event.site.user == (event.site.function, event.site.pc)
}

fn may_overlap(forest: &Forest, a: EventId, b: EventId) -> bool {
    let (Some((x, n)), Some((y, m))) = (forest.event(a).kind.access(), forest.event(b).kind.access()) else {
        return false;
    };
    match (forest.terms.as_const(x.term), forest.terms.as_const(y.term)) {
        (Some(s), Some(t)) => s < t + u64::from(m) && t < s + u64::from(n),
        _ => x.object == y.object,
    }
}

/// Whether it can matter that the access comes between the two: one that only reads is in the way only of two that write.
fn may_split(forest: &Forest, pair: Pair, remote: EventId) -> bool {
    let writes = |e: EventId| forest.event(e).kind.is_write();
    writes(remote) || (writes(pair.first) && writes(pair.second))
}

/// Whether the thread waits for others there, so that it cannot have meant to be alone.
fn waits(forest: &Forest, e: EventId) -> bool {
    matches!(
        forest.event(e).kind,
        EventKind::Join { .. } | EventKind::Create { .. } | EventKind::Enqueue { .. } | EventKind::Wake { .. }
    )
}

/// Whether two accesses, the last of these events and the one at `first`, are in different sections of one mutex, which the same call
/// of a function has locked.
fn in_two_sections(forest: &Forest, way: &[EventId], first: usize, is_direct: impl Fn(EventId) -> bool) -> bool {
    let held = |at: usize| -> Vec<(u64, EventId)> {
        let mut held: Vec<(u64, EventId)> = Vec::new();
        for &e in &way[..at] {
            match forest.event(e).kind {
                EventKind::Lock { mutex, .. } if is_direct(e) => held.push((mutex, e)),
                EventKind::Unlock { lock, .. } => held.retain(|&(_, l)| l != lock),
                _ => {}
            }
        }
        held
    };
    let (one, other) = (held(first), held(way.len()));
    // Sections that begin at the same place are rounds of a loop, each of which may be meant to be a whole.
    let is_another = |a: EventId, b: EventId| forest.event(a).site != forest.event(b).site;
    one.iter().any(|&(mutex, lock)| other.iter().any(|&(m, l)| m == mutex && is_another(l, lock)))
}

/// The events of a thread's path from one position to another.
fn between(forest: &Forest, from: Position, to: Position) -> Vec<EventId> {
    let path = forest.path_to(to.node);
    let Some(start) = path.iter().position(|&n| n == from.node) else { return Vec::new() };
    let mut events = Vec::new();
    for (i, &n) in path[start..].iter().enumerate() {
        let all = &forest.node(n).events;
        let first = if i == 0 { from.index } else { 0 };
        let last = if n == to.node { to.index } else { all.len() };
        events.extend(&all[first.min(last)..last]);
    }
    events
}
