//! What each event of a run needs so that it can happen as it did, if everything that happens keeps the order of the run: who wrote what it
//! reads, who created its thread or ended before it was joined, who woke it. A part of the run that has, with each event, what that needs
//! and what its thread did before, is an execution by itself, if no mutex is in the way (`cut`): every thread reads what it read in the run, so
//! it does what it did there.
//!
//! Collected in one pass over the log. Of what a thread needs from another only the latest is kept: that has all that came before it.

use crate::filter::ATOMIC_SECTIONS;
use crate::words::{Words, parts};
use ordain_ir::program::SystemCall;
use ordain_model::faults::{Fault, seeded};
use ordain_vm::{Action, Executed, ThreadId, Touched};
use rustc_hash::FxHashMap;

/// A point of a thread: the number of points that it has executed then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    pub thread: u16,
    pub point: u32,
}

/// By other thread, ascending: from which point on it is needed that the other has come how far.
#[derive(Clone, Debug, Default)]
struct Progress(Vec<Vec<(u32, u32)>>);

impl Progress {
    fn need(&mut self, point: u32, what: At) {
        let other = usize::from(what.thread);
        if self.0.len() <= other {
            self.0.resize_with(other + 1, Vec::new);
        }
        match self.0[other].last_mut() {
            Some((_, known)) if *known >= what.point => {}
            Some((from, known)) if *from == point => *known = what.point,
            _ => self.0[other].push((point, what.point)),
        }
    }

    fn needed(&self, other: u16, point: u32) -> u32 {
        let needs = self.0.get(usize::from(other)).map_or(&[][..], |needs| needs);
        let count = needs.partition_point(|&(from, _)| from <= point);
        count.checked_sub(1).map_or(0, |last| needs[last].1)
    }
}

/// What a thread does.
#[derive(Clone, Debug, Default)]
pub(super) struct OfThread {
    /// Where in the run its points are.
    positions: Vec<u32>,
    /// What it cannot do without: to be created, to be woken, the end of who is joined. And what was written before it was read: with other
    /// values it may go its way all the same.
    must: Progress,
    reads: Progress,
    /// Where it gets hold of a mutex, ascending: the point, and the mutex.
    pub acquired: Vec<(u32, u32)>,
}

/// A thread has a mutex, from one point to another, if it lets go of it at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub from: u32,
    pub to: Option<u32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Mutex {
    /// Nobody can do anything while a thread is in such a section.
    pub stops_others: bool,
    /// By thread, each ascending.
    pub sections: Vec<(u16, Vec<Section>)>,
    holder: Option<u16>,
}

impl Mutex {
    fn sections_of(&mut self, thread: u16) -> &mut Vec<Section> {
        let known = self.sections.iter().position(|(other, _)| *other == thread);
        let nth = known.unwrap_or_else(|| {
            self.sections.push((thread, Vec::new()));
            self.sections.len() - 1
        });
        &mut self.sections[nth].1
    }
}

/// Who wrote the bytes of a word last.
#[derive(Clone, Debug, Default)]
struct Writers(Vec<(At, u8)>);

#[derive(Clone, Debug, Default)]
struct Condition {
    waiting: Vec<At>,
    /// When who waits became fewer.
    left: Option<At>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    threads: Vec<OfThread>,
    /// Whose the points of the run are.
    owners: Vec<u16>,
    words: Words<Writers>,
    numbers: FxHashMap<u64, u32>,
    mutexes: Vec<Mutex>,
    conditions: FxHashMap<u64, Condition>,
    /// Who has woken a thread that has not gone on since.
    woken_by: FxHashMap<u16, At>,
    /// The last system call, if there is a pipe by which threads may hand something over.
    called: Option<At>,
}

impl Needs {
    /// Takes the next event; returns how many points all threads together have executed, this one included.
    pub fn take(&mut self, executed: &Executed) -> u64 {
        let at = self.reach(executed);
        match executed.action {
            Action::Load { address, size, .. } => self.read(at, address, size.into()),
            Action::Store { address, size, .. } => self.write(at, address, size.into()),
            Action::Rmw { address, size, .. } | Action::CmpXchg { address, size, new: Some(_), .. } => {
                self.read(at, address, size.into());
                self.write(at, address, size.into());
            }
            Action::CmpXchg { address, size, new: None, .. } => self.read(at, address, size.into()),
            Action::Input { address: Some(address), ref bytes, .. } => self.write(at, address, bytes.len() as u64),
            Action::System { call, touched: Touched { read, written }, .. } => {
                self.call(at, call);
                read.into_iter().for_each(|read| self.read(at, read.address, read.bytes));
                written.into_iter().for_each(|written| self.write(at, written.address, written.bytes));
            }
            Action::Lock { address } | Action::TryLock { address, taken: true } => self.acquire(at, address),
            Action::TryLock { address, taken: false } => self.see_held(at, address),
            Action::Unlock { address } => self.release(at, address),
            // Nobody may hold it then.
            Action::DestroyMutex { address } => {
                self.acquire(at, address);
                self.release(at, address);
            }
            Action::AtomicBegin => self.acquire(at, ATOMIC_SECTIONS),
            Action::AtomicEnd => self.release(at, ATOMIC_SECTIONS),
            Action::Enqueue { condition } => self.conditions.entry(condition).or_default().waiting.push(at),
            Action::Signal { condition, ref woken, .. } => self.signal(at, condition, woken),
            Action::Waiters { condition, .. } => self.see_waiting(at, condition),
            Action::Wake { .. } => self.wake(at),
            Action::Look { condition, woken, leaves } => {
                if woken {
                    self.wake(at);
                } else if leaves {
                    self.leave(at, condition);
                }
            }
            Action::Create { child, .. } => self.need(At { thread: child.0 as u16, point: 1 }, at),
            Action::Join { target } => {
                let target = target.0 as u16;
                let point = self.thread(target).positions.len() as u32;
                self.need(at, At { thread: target, point });
            }
            Action::Allocate { base, size, from } => {
                from.into_iter().for_each(|from| self.free(at, from));
                self.words.allocate(base, size);
            }
            Action::Free { address } => self.free(at, address),
            _ => {}
        }
        self.owners.len() as u64
    }

    /// Whose an event is, given its position in the run.
    pub(super) fn event(&self, position: u64) -> Option<At> {
        let thread = *self.owners.get(usize::try_from(position).ok()?.checked_sub(1)?)?;
        let before = self.threads[usize::from(thread)].positions.partition_point(|&at| u64::from(at) < position);
        Some(At { thread, point: before as u32 + 1 })
    }

    /// Of a point that the thread has executed in the run.
    pub(super) fn position(&self, at: At) -> u32 {
        self.threads[usize::from(at.thread)].positions[at.point as usize - 1]
    }

    /// How far every thread has come at a position in the run.
    pub(super) fn cut_at(&self, position: u64) -> Vec<u32> {
        let reached = |t: &OfThread| t.positions.partition_point(|&at| u64::from(at) <= position) as u32;
        self.threads.iter().map(reached).collect()
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.len()
    }

    pub(super) fn of(&self, thread: u16) -> &OfThread {
        &self.threads[usize::from(thread)]
    }

    pub(super) fn mutex(&self, number: u32) -> &Mutex {
        &self.mutexes[number as usize]
    }

    fn thread(&mut self, thread: u16) -> &mut OfThread {
        let thread = usize::from(thread);
        if self.threads.len() <= thread {
            self.threads.resize_with(thread + 1, OfThread::default);
        }
        &mut self.threads[thread]
    }

    /// The thread has come to another point. There are points that leave nothing in the log.
    fn reach(&mut self, executed: &Executed) -> At {
        let thread = executed.thread.0 as u16;
        let known = self.thread(thread).positions.len();
        for _ in known as u64..executed.points {
            self.owners.push(thread);
            let position = self.owners.len() as u32;
            self.thread(thread).positions.push(position);
        }
        At { thread, point: executed.points as u32 }
    }

    fn need(&mut self, at: At, what: At) {
        if at.thread != what.thread {
            self.thread(at.thread).must.need(at.point, what);
        }
    }

    fn read_from(&mut self, at: At, writer: At) {
        if at.thread != writer.thread && !seeded(Fault::WritersLeftOut) {
            self.thread(at.thread).reads.need(at.point, writer);
        }
    }

    fn read(&mut self, at: At, address: u64, bytes: u64) {
        for (number, mask) in parts(address, bytes) {
            let writers = std::mem::take(&mut self.words.word(number).0);
            for &(writer, written) in &writers {
                if written & mask != 0 {
                    self.read_from(at, writer);
                }
            }
            self.words.word(number).0 = writers;
        }
    }

    fn write(&mut self, at: At, address: u64, bytes: u64) {
        for (number, mask) in parts(address, bytes) {
            let writers = &mut self.words.word(number).0;
            if let [(writer, written)] = &mut writers[..]
                && (*written == mask || writer.thread == at.thread)
            {
                (*writer, *written) = (at, *written | mask);
                continue;
            }
            writers.iter_mut().for_each(|(_, written)| *written &= !mask);
            writers.retain(|(_, written)| *written != 0);
            writers.push((at, mask));
        }
    }

    /// What others have written to it has to be there, or it would be a use after its end.
    fn free(&mut self, at: At, base: u64) {
        let mut writers = Vec::new();
        self.words.free(base, |word| writers.extend(word.0.drain(..).map(|(writer, _)| writer)));
        writers.into_iter().for_each(|writer| self.read_from(at, writer));
    }

    /// What a thread reads from a pipe has been written there before. Which calls are about the pipe is not known.
    fn call(&mut self, at: At, call: SystemCall) {
        if self.called.is_none() && call != SystemCall::Pipe {
            return;
        }
        if let Some(before) = self.called.replace(at) {
            self.need(at, before);
        }
    }

    fn number(&mut self, address: u64) -> usize {
        let next = self.mutexes.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.mutexes.push(Mutex { stops_others: address == ATOMIC_SECTIONS, ..Mutex::default() });
        }
        number as usize
    }

    fn acquire(&mut self, at: At, address: u64) {
        let number = self.number(address);
        let mutex = &mut self.mutexes[number];
        mutex.holder = Some(at.thread);
        mutex.sections_of(at.thread).push(Section { from: at.point, to: None });
        self.thread(at.thread).acquired.push((at.point, number as u32));
    }

    fn release(&mut self, at: At, address: u64) {
        let number = self.number(address);
        let mutex = &mut self.mutexes[number];
        mutex.holder = None;
        if let Some(section) = mutex.sections_of(at.thread).last_mut() {
            section.to = Some(at.point);
        }
    }

    /// Somebody has the mutex.
    fn see_held(&mut self, at: At, address: u64) {
        let number = self.number(address);
        let mutex = &mut self.mutexes[number];
        if let Some(holder) = mutex.holder
            && let Some(section) = mutex.sections_of(holder).last()
        {
            let point = section.from;
            self.need(at, At { thread: holder, point });
        }
    }

    /// The same threads have to wait.
    fn see_waiting(&mut self, at: At, condition: u64) {
        let condition = self.conditions.entry(condition).or_default();
        let (waiting, left) = (condition.waiting.clone(), condition.left);
        waiting.into_iter().chain(left).for_each(|what| self.need(at, what));
    }

    fn signal(&mut self, at: At, condition: u64, woken: &[ThreadId]) {
        self.see_waiting(at, condition);
        let condition = self.conditions.entry(condition).or_default();
        condition.waiting.retain(|waiting| !woken.contains(&ThreadId(waiting.thread.into())));
        condition.left = Some(at);
        self.woken_by.extend(woken.iter().map(|thread| (thread.0 as u16, at)));
    }

    fn wake(&mut self, at: At) {
        if let Some(signal) = self.woken_by.remove(&at.thread) {
            self.need(at, signal);
        }
    }

    /// The thread waits no longer, although nobody has woken it.
    fn leave(&mut self, at: At, condition: u64) {
        let condition = self.conditions.entry(condition).or_default();
        condition.waiting.retain(|waiting| waiting.thread != at.thread);
        if let Some(before) = condition.left.replace(at) {
            self.need(at, before);
        }
    }
}

impl OfThread {
    /// How far another thread has to have come when this one has come to `point`.
    pub fn needed(&self, other: u16, point: u32) -> u32 {
        self.must.needed(other, point)
    }

    /// How far another thread has to have come for this one to have read what it read.
    pub fn read(&self, other: u16, point: u32) -> u32 {
        self.reads.needed(other, point)
    }
}
