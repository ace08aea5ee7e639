//! Several searches that work as one: each has a forest and a solver of its own, and asks its share of the questions.
//!
//! All of them take in the same runs in the same order, so they know the same. They meet after every turn (an all-to-all
//! exchange of what each has found), and whatever decides how a search goes on is part of what is exchanged: so all of them
//! come to the same exchanges. One that ends early ends the others.

use crate::ask::Question;
use crate::clock::Stopped;
use crate::search::Search;
use crate::{Error, Journal, Options, Progress, Statistics, Summary};
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_model::event::EventId;
use ordain_model::witness::Execution;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The recursion in terms may be deep.
const STACK_BYTES: usize = 64 << 20;

/// Searches with as many threads as the options say.
pub(crate) fn search(
    program: &Program,
    facts: &Facts,
    options: &Options,
    journal: Journal<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, Error> {
    if options.jobs <= 1 {
        return Search::new(program, facts, options, journal, Seat::alone()).run(progress);
    }
    let mut seats = Seat::team(options.jobs);
    let others = seats.split_off(1);
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        for seat in others {
            let earlier = journal.earlier.clone();
            let help = move || {
                let journal = Journal { earlier, ..Journal::default() };
                Search::new(program, facts, options, journal, seat).run(&mut |_| {}).map(drop)
            };
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            helpers.push(builder.spawn_scoped(scope, help).map_err(|e| Error::Threads(e.to_string()))?);
        }
        let seat = seats.pop().expect("a team has a first seat");
        let summary = Search::new(program, facts, options, journal, seat).run(progress);
        let ended = helpers.into_iter().map(|h| h.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let ended: Vec<Result<(), Error>> = ended.collect();
        match summary {
            // Whoever ended first has more to say than who was left.
            Err(Error::Abandoned) => Err(ended.into_iter().find_map(first_cause).unwrap_or(Error::Abandoned)),
            summary => summary,
        }
    })
}

fn first_cause(ended: Result<(), Error>) -> Option<Error> {
    ended.err().filter(|error| !matches!(error, Error::Abandoned))
}

/// What one search did in a turn.
#[derive(Clone, Default)]
pub(crate) struct Turn {
    pub found: Vec<Found>,
    /// What it could not decide, or has not asked and will not.
    pub open: Vec<Question>,
    /// It has nothing left to ask.
    pub done: bool,
    pub stopped: Option<Stopped>,
    /// How often it asked, and was told yes.
    pub queries: u64,
    pub satisfiable: u64,
    /// What it knows, in short: those that know the same have the same.
    pub knowledge: u64,
}

/// An execution that answers a question.
#[derive(Clone)]
pub(crate) struct Found {
    pub question: Question,
    /// If that is about races: with what else the first access races.
    pub racing: Vec<EventId>,
    pub execution: Execution,
}

/// A place in a team.
pub(crate) struct Seat {
    number: usize,
    /// `None`: alone.
    table: Option<Arc<Table>>,
}

pub(crate) struct Table {
    seats: usize,
    exchange: Mutex<Exchange>,
    changed: Condvar,
}

#[derive(Default)]
struct Exchange {
    posted: Vec<Option<Turn>>,
    /// Somebody has found something since the last exchange, and who has come to know of it.
    found: bool,
    ready: Vec<bool>,
    /// How many exchanges there have been, and what came of the last.
    completed: u64,
    turns: Arc<Vec<Turn>>,
    /// Somebody has left.
    over: bool,
}

impl Seat {
    pub fn alone() -> Seat {
        Seat { number: 0, table: None }
    }

    /// The seats of a team.
    pub fn team(seats: usize) -> Vec<Seat> {
        let exchange =
            Mutex::new(Exchange { posted: vec![None; seats], ready: vec![false; seats], ..Exchange::default() });
        let table = Arc::new(Table { seats, exchange, changed: Condvar::new() });
        (0..seats).map(|number| Seat { number, table: Some(Arc::clone(&table)) }).collect()
    }

    pub fn is_alone(&self) -> bool {
        self.table.is_none()
    }

    pub fn seats(&self) -> usize {
        self.table.as_ref().map_or(1, |table| table.seats)
    }

    /// Whether this one speaks for all.
    pub fn leads(&self) -> bool {
        self.number == 0
    }

    /// Whether a question is for this one to ask.
    pub fn takes(&self, question: Question) -> bool {
        self.table.as_ref().is_none_or(|table| question.number() as usize % table.seats == self.number)
    }

    /// Whether it is time for an exchange: somebody has found something, and nobody is in the middle of a question. Until then
    /// those who are not go on asking, instead of waiting.
    pub fn meets(&self, found: bool) -> bool {
        let Some(table) = &self.table else { return found };
        let exchange = &mut *table.lock();
        exchange.found |= found;
        exchange.ready[self.number] = exchange.found;
        exchange.ready.iter().zip(&exchange.posted).all(|(&ready, posted)| ready || posted.is_some()) && exchange.found
    }

    /// Shows what this one has, and waits for what the others have: all of it, in the order of seats.
    pub fn exchange(&self, turn: Turn) -> Result<Arc<Vec<Turn>>, Error> {
        let Some(table) = &self.table else { return Ok(Arc::new(vec![turn])) };
        let mut exchange = table.lock();
        let before = exchange.completed;
        exchange.posted[self.number] = Some(turn);
        if exchange.posted.iter().all(Option::is_some) {
            exchange.turns = Arc::new(exchange.posted.iter_mut().filter_map(Option::take).collect());
            exchange.completed += 1;
            exchange.found = false;
            exchange.ready.fill(false);
            table.changed.notify_all();
        }
        while exchange.completed == before {
            if exchange.over {
                return Err(Error::Abandoned);
            }
            exchange = table.changed.wait(exchange).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(Arc::clone(&exchange.turns))
    }
}

impl Drop for Seat {
    /// Whoever leaves, by an error or a panic even, does not leave the others waiting.
    fn drop(&mut self) {
        if let Some(table) = &self.table {
            table.lock().over = true;
            table.changed.notify_all();
        }
    }
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, Exchange> {
        // What is in there is never half changed.
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// A turn of somebody who has asked this much so far.
    pub fn after(before: &Statistics, now: &Statistics) -> Turn {
        let (queries, satisfiable) = (now.queries - before.queries, now.satisfiable - before.satisfiable);
        Turn { queries, satisfiable, ..Turn::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(queries: u64) -> Turn {
        Turn { queries, ..Turn::default() }
    }

    #[test]
    fn everybody_sees_all_turns_in_the_same_order() {
        let seats = Seat::team(3);
        let seen: Vec<Vec<Vec<u64>>> = std::thread::scope(|scope| {
            let play = |seat: Seat| {
                let rounds = (0..50).map(|round| seat.exchange(turn(10 * round + seat.number as u64)).unwrap());
                rounds.map(|turns| turns.iter().map(|turn| turn.queries).collect()).collect()
            };
            let players: Vec<_> = seats.into_iter().map(|seat| scope.spawn(move || play(seat))).collect();
            players.into_iter().map(|player| player.join().unwrap()).collect()
        });
        let expected: Vec<Vec<u64>> = (0..50).map(|round| (0..3).map(|seat| 10 * round + seat).collect()).collect();
        assert!(seen.iter().all(|seen| *seen == expected));
    }

    #[test]
    fn nobody_waits_for_one_who_has_left() {
        let mut seats = Seat::team(2);
        let leaver = seats.pop();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| seats[0].exchange(turn(1)).is_err());
            drop(leaver);
            assert!(waiting.join().unwrap());
        });
    }
}
