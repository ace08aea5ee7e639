//! What the progress line says: how far the search is, how fast it goes, and how long it may still take.

use ordain_explore::Progress;
use std::time::Duration;

/// More often nobody can read it.
const BETWEEN_LINES: Duration = Duration::from_millis(100);
/// The rate is that of the last while, of this length at least.
const WHILE: Duration = Duration::from_secs(1);

/// Makes a line now and then of what the search tells.
pub struct Teller {
    limit: Option<Duration>,
    /// When the last line was made.
    told: Option<Duration>,
    /// When the while began that the rate is about, and how many queries there had been.
    began: (Duration, u64),
    per_second: Option<f64>,
}

impl Teller {
    /// `limit`: when the search will be stopped.
    pub fn new(limit: Option<Duration>) -> Self {
        Teller { limit, told: None, began: (Duration::ZERO, 0), per_second: None }
    }

    /// The line to show when so much time has passed since the beginning, if it is time for one.
    pub fn tell(&mut self, progress: &Progress, now: Duration) -> Option<String> {
        if self.told.is_some_and(|told| now.saturating_sub(told) < BETWEEN_LINES) {
            return None;
        }
        self.told = Some(now);
        let (then, queries) = self.began;
        let passed = now.saturating_sub(then);
        if passed >= WHILE {
            self.per_second = Some(progress.queries.saturating_sub(queries) as f64 / passed.as_secs_f64());
            self.began = (now, progress.queries);
        }
        Some(self.words(progress, now))
    }

    fn words(&self, progress: &Progress, now: Duration) -> String {
        let Progress { runs, open, queries, bugs } = progress;
        let rate = self.per_second.map(|rate| format!(" ({rate:.0}/s)")).unwrap_or_default();
        let seconds = now.as_secs();
        let left = self.limit.map(|limit| format!(", {} s left", limit.saturating_sub(now).as_secs()));
        let left = left.unwrap_or_default();
        format!("exploring: {runs} runs, {open} stubs open, {queries} queries{rate}, {bugs} bugs, {seconds} s{left}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(queries: u64) -> Progress {
        Progress { runs: 4, open: 7, queries, bugs: 1 }
    }

    #[test]
    fn the_rate_is_that_of_the_last_while() {
        let mut teller = Teller::new(Some(Duration::from_secs(60)));
        let start = teller.tell(&at(0), Duration::ZERO).unwrap();
        assert_eq!(start, "exploring: 4 runs, 7 stubs open, 0 queries, 1 bugs, 0 s, 60 s left");
        teller.tell(&at(500), Duration::from_secs(10)).unwrap();
        let later = teller.tell(&at(700), Duration::from_secs(12)).unwrap();
        assert_eq!(later, "exploring: 4 runs, 7 stubs open, 700 queries (100/s), 1 bugs, 12 s, 48 s left");
    }

    #[test]
    fn not_every_query_is_told() {
        let mut teller = Teller::new(None);
        assert!(teller.tell(&at(1), Duration::from_millis(5)).is_some());
        assert_eq!(teller.tell(&at(2), Duration::from_millis(6)), None);
        assert!(teller.tell(&at(3), Duration::from_millis(106)).is_some());
    }
}
