//! What generated programs are like: how many have something wrong, and what judging them costs.

use crate::enumerate::Limits;
use crate::findings::Verdict;
use crate::generator::{Profile, generate};
use crate::judge::{JudgeError, judge};
use ordain_model::witness::MemoryModel;
use std::fmt;
use std::time::{Duration, Instant};

/// Counts over the programs of one profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    pub programs: u32,
    pub with_errors: u32,
    pub with_stuck: u32,
    pub with_races: u32,
    pub incomplete: u32,
    pub states: usize,
    pub most_states: usize,
    pub time: Duration,
    pub longest: Duration,
}

impl Stats {
    fn add(&mut self, verdict: &Verdict, time: Duration) {
        self.programs += 1;
        self.with_errors += u32::from(!verdict.found.errors.is_empty());
        self.with_stuck += u32::from(!verdict.found.stuck.is_empty());
        self.with_races += u32::from(!verdict.found.races.is_empty());
        self.incomplete += u32::from(verdict.incomplete.is_some());
        self.states += verdict.states;
        self.most_states = self.most_states.max(verdict.states);
        self.time += time;
        self.longest = self.longest.max(time);
    }

    fn percent(&self, count: u32) -> u32 {
        (100 * count).checked_div(self.programs).unwrap_or(0)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "errors {}%, stuck {}%, races {}%, incomplete {}%, states {} (most {}), {:.1} s (longest {:.2} s)",
            self.percent(self.with_errors),
            self.percent(self.with_stuck),
            self.percent(self.with_races),
            self.percent(self.incomplete),
            self.states,
            self.most_states,
            self.time.as_secs_f64(),
            self.longest.as_secs_f64(),
        )
    }
}

/// Judges the programs of the seeds below `seeds`.
pub fn stats(profile: Profile, seeds: u64, memory: MemoryModel, limits: Limits) -> Result<Stats, JudgeError> {
    let mut stats = Stats::default();
    for seed in 0..seeds {
        let source = generate(seed, profile).to_c();
        let start = Instant::now();
        let verdict = judge(&source, memory, limits)?;
        stats.add(&verdict, start.elapsed());
    }
    Ok(stats)
}
