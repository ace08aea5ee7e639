//! How far each thread has to go so that some of them come where they should, and everything on the way can happen as in the run.

use super::needs::{At, Needs, Section};
use ordain_model::faults::{Fault, seeded};

/// How many points each thread has executed.
pub(super) type Cut = Vec<u32>;

/// What it costs to find cuts: events that were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Budget(u64);

impl Budget {
    pub fn new(events: u64) -> Budget {
        Budget(events)
    }

    pub fn is_used_up(self) -> bool {
        self.0 == 0
    }

    pub fn take(&mut self, events: u64) -> bool {
        self.0 = self.0.saturating_sub(events);
        !self.is_used_up()
    }
}

/// Whether all that is read has to be what it was in the run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Reads {
    AsTheyWere,
    /// Unless that takes a thread further than it is to come: then it is an attempt, and no more.
    IfPossible,
}

struct Closing<'n> {
    needs: &'n Needs,
    cut: Cut,
    /// How far what is needed has been looked at.
    looked: Cut,
    /// Threads that go no further than this.
    most: &'n [At],
    reads: Reads,
    open: Vec<u16>,
    touched: Vec<u32>,
}

/// The least cut that goes on from `base`, which has to be one that the run has gone through, and has `ends`: these threads have come so
/// far, and no further. `None` if there is none, or if the budget is used up.
///
/// Sections of a mutex keep the order of the run, so that the last of them may be left open, and no other.
pub(super) fn close(needs: &Needs, base: &[u32], ends: &[At], reads: Reads, budget: &mut Budget) -> Option<Cut> {
    let mut base = base.to_vec();
    base.resize(needs.threads(), 0);
    let (open, touched) = (Vec::new(), Vec::new());
    let mut closing = Closing { needs, cut: base.clone(), looked: base, most: ends, reads, open, touched };
    for &end in ends {
        closing.reach(end)?;
    }
    loop {
        while let Some(thread) = closing.open.pop() {
            closing.look_at(thread, budget)?;
        }
        let mut touched = std::mem::take(&mut closing.touched);
        if touched.is_empty() {
            return Some(closing.cut);
        }
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().try_for_each(|mutex| closing.shut(mutex))?;
    }
}

impl Closing<'_> {
    fn most_of(&self, thread: u16) -> u32 {
        self.most.iter().find(|most| most.thread == thread).map_or(u32::MAX, |most| most.point)
    }

    fn reach(&mut self, at: At) -> Option<()> {
        if at.point > self.most_of(at.thread) {
            return None;
        }
        let reached = &mut self.cut[usize::from(at.thread)];
        if *reached < at.point {
            *reached = at.point;
            self.open.push(at.thread);
        }
        Some(())
    }

    /// What the thread has come by since needs others to have come so far.
    fn look_at(&mut self, thread: u16, budget: &mut Budget) -> Option<()> {
        let nth = usize::from(thread);
        let (from, to) = (self.looked[nth], self.cut[nth]);
        self.looked[nth] = to;
        let needs = self.needs;
        for other in (0..needs.threads() as u16).filter(|&other| other != thread) {
            let most = match self.reads {
                Reads::AsTheyWere => u32::MAX,
                Reads::IfPossible => self.most_of(other),
            };
            let point = needs.of(thread).read(other, to).min(most).max(needs.of(thread).needed(other, to));
            self.reach(At { thread: other, point })?;
        }
        let acquired = &needs.of(thread).acquired;
        let first = acquired.partition_point(|&(point, _)| point <= from);
        let acquired = acquired[first..].iter().take_while(|&&(point, _)| point <= to).map(|&(_, mutex)| mutex);
        let before = self.touched.len();
        self.touched.extend(acquired);
        budget.take((self.touched.len() - before + needs.threads()) as u64).then_some(())
    }

    /// All sections that have begun are over, but for the last.
    fn shut(&mut self, number: u32) -> Option<()> {
        if seeded(Fault::SectionsLeftOpen) {
            return Some(());
        }
        let mutex = self.needs.mutex(number);
        let mut begun = Vec::new();
        for (thread, sections) in &mutex.sections {
            let reached = self.cut[usize::from(*thread)];
            let count = sections.partition_point(|section| section.from <= reached);
            if let Some(last) = count.checked_sub(1) {
                begun.push((*thread, sections[last]));
            }
        }
        let position =
            |&(thread, Section { from: point, .. }): &(u16, Section)| self.needs.position(At { thread, point });
        let last = if mutex.stops_others { None } else { begun.iter().map(position).max() };
        let others: Vec<_> = begun.iter().filter(|section| Some(position(section)) != last).copied().collect();
        for (thread, section) in others {
            self.reach(At { thread, point: section.to? })?;
        }
        Some(())
    }
}
