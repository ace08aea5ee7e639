//! Shrinks a generated program for as long as it stays interesting.
//!
//! Plain delta debugging on the tree: drop a worker, drop a statement, replace a block by its body, whatever keeps the
//! predicate true, until nothing can be dropped. Programs have a few dozen statements, so there is no need to be clever.

use crate::generator::syntax::{Body, Group, Source, Stmt};

/// The smallest program to be had from `source` by deletions, each of which kept `interesting` true.
pub fn minimise(source: &Source, mut interesting: impl FnMut(&Source) -> bool) -> Source {
    let mut smallest = source.clone();
    loop {
        let smaller = candidates(&smallest).find(|candidate| interesting(candidate));
        match smaller {
            Some(smaller) => smallest = smaller,
            None => return smallest,
        }
    }
}

/// Programs that are one deletion smaller, large deletions first.
fn candidates(source: &Source) -> impl Iterator<Item = Source> + '_ {
    let groups = (1..=source.workers.len() as u32).map(Group);
    let without_worker = groups.filter_map(|group| without_group(source, group));
    let deletions = (0..=source.workers.len()).flat_map(move |function| {
        let count = count_statements(&body(source, function).stmts);
        [Deletion::Whole, Deletion::Head].into_iter().flat_map(move |deletion| {
            (0..count).filter_map(move |nth| without_statement(source, function, nth, deletion))
        })
    });
    without_worker.chain(deletions)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Deletion {
    Whole,
    /// Of a block only the head: its body stays.
    Head,
}

/// The body of main (0) or of the nth worker (from 1).
fn body(source: &Source, function: usize) -> &Body {
    match function.checked_sub(1) {
        None => &source.main,
        Some(worker) => &source.workers[worker].body,
    }
}

fn body_mut(source: &mut Source, function: usize) -> &mut Body {
    match function.checked_sub(1) {
        None => &mut source.main,
        Some(worker) => &mut source.workers[worker].body,
    }
}

fn count_statements(stmts: &[Stmt]) -> usize {
    stmts
        .iter()
        .map(|stmt| match stmt {
            Stmt::Line { .. } => 1,
            Stmt::Block { body, other, .. } => 1 + count_statements(body) + count_statements(other),
        })
        .sum()
}

/// `None` if there is nothing of the group in main.
fn without_group(source: &Source, group: Group) -> Option<Source> {
    let mut smaller = source.clone();
    retain(&mut smaller.main.stmts, &|stmt| !matches!(stmt, Stmt::Line { group: Some(g), .. } if *g == group));
    (smaller != *source).then_some(smaller)
}

fn retain(stmts: &mut Vec<Stmt>, keep: &impl Fn(&Stmt) -> bool) {
    stmts.retain(|stmt| keep(stmt));
    for stmt in stmts {
        if let Stmt::Block { body, other, .. } = stmt {
            retain(body, keep);
            retain(other, keep);
        }
    }
}

/// `None` if that statement cannot be deleted that way.
fn without_statement(source: &Source, function: usize, nth: usize, deletion: Deletion) -> Option<Source> {
    let mut smaller = source.clone();
    let mut left = nth;
    delete(&mut body_mut(&mut smaller, function).stmts, &mut left, deletion);
    (smaller != *source).then_some(smaller)
}

/// Deletes the statement that comes after `left` others, in the order of the text; returns whether it was reached.
fn delete(stmts: &mut Vec<Stmt>, left: &mut usize, deletion: Deletion) -> bool {
    for i in 0..stmts.len() {
        if *left == 0 {
            delete_at(stmts, i, deletion);
            return true;
        }
        *left -= 1;
        if let Stmt::Block { body, other, .. } = &mut stmts[i]
            && (delete(body, left, deletion) || delete(other, left, deletion))
        {
            return true;
        }
    }
    false
}

fn delete_at(stmts: &mut Vec<Stmt>, i: usize, deletion: Deletion) {
    let inner = match (&stmts[i], deletion) {
        (Stmt::Line { group: Some(_), .. }, _) | (Stmt::Line { .. }, Deletion::Head) => return,
        // Labels and declared counters mean nothing outside of their block.
        (Stmt::Block { head, .. }, _) if contains_group(&stmts[i]) || (deletion == Deletion::Head && binds(head)) => {
            return;
        }
        (Stmt::Block { body, .. }, Deletion::Head) => body.clone(),
        (_, Deletion::Whole) => Vec::new(),
    };
    stmts.splice(i..=i, inner);
}

fn binds(head: &str) -> bool {
    head.starts_with("switch") || head.starts_with("for")
}

fn contains_group(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Line { group, .. } => group.is_some(),
        Stmt::Block { body, other, .. } => body.iter().chain(other).any(contains_group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Profile, generate};

    #[test]
    fn keeps_only_what_the_predicate_needs() {
        let wanted = "pthread_mutex_lock(&m1);";
        let has_it = |source: &Source| source.to_c().contains(wanted);
        let source = (1..).map(|seed| generate(seed, Profile::Locks)).find(has_it).expect("some program locks");
        let text = minimise(&source, has_it).to_c();
        let statements: Vec<_> = text.lines().filter(|l| l.starts_with("    ") && l.ends_with(';')).collect();
        assert!(statements.iter().any(|l| l.trim() == wanted), "{text}");
        // What is left besides: the returns, and the create and join that lead there.
        assert!(statements.len() <= 6, "{text}");
    }

    #[test]
    fn a_thread_goes_as_a_whole() {
        let source = generate(1, Profile::Atomics);
        let text = minimise(&source, |_| true).to_c();
        assert!(!text.contains("pthread_create") && !text.contains("pthread_join"), "{text}");
    }
}
