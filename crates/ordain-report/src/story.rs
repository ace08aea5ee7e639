//! From the log of a run to the steps worth telling.
//!
//! Left out is what no other thread notices: reads of what only the reader writes, writes that only the writer reads, locks
//! that only one thread takes, output. What the failure is about is always told.

use crate::Recorded;
use crate::naming::Namer;
use crate::origin::{Origins, Writer};
use crate::source::Sources;
use ordain_model::failure::{Failure, FailureKind, Place};
use ordain_model::names::ThreadName;
use ordain_model::witness::MemoryModel;
use ordain_vm::{Action, Decides, Executed, ThreadId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Consecutive points of one thread on one source line.
pub struct Step {
    /// Index into `Story::threads`.
    pub thread: usize,
    pub file: u32,
    pub line: u32,
    /// The source line, if it can be read.
    pub text: String,
    /// What happened, a line each.
    pub details: Vec<String>,
    /// The failure is about this step.
    pub failing: bool,
}

pub struct Story {
    /// What stands over each thread's column.
    pub threads: Vec<String>,
    /// Base names, if the story is about more than one file.
    pub files: Vec<String>,
    pub steps: Vec<Step>,
}

pub fn tell(run: &Recorded, failure: &Failure) -> Story {
    let names = thread_names(run.log);
    let teller = Teller {
        run,
        failure,
        namer: Namer { program: run.program, book: run.book },
        uses: Uses::of(run.log),
        names: &names,
    };
    let mut steps = teller.steps();
    let mut shown: Vec<ThreadId> = steps.iter().map(|s| ThreadId(s.thread as u32)).collect();
    shown.sort_by_key(|t| &names[t]);
    shown.dedup();
    for step in &mut steps {
        step.thread = shown.iter().position(|t| t.index() == step.thread).expect("every step's thread is shown");
    }
    let threads = shown.iter().map(|&t| teller.heading(t)).collect();
    Story { threads, files: file_names(run, &steps), steps }
}

/// Base names of the files, empty where one file is enough.
fn file_names(run: &Recorded, steps: &[Step]) -> Vec<String> {
    if steps.iter().all(|s| s.file == steps[0].file) {
        return Vec::new();
    }
    run.program.files.iter().map(|f| f.rsplit('/').next().unwrap_or(f).to_owned()).collect()
}

fn thread_names(log: &[Executed]) -> HashMap<ThreadId, ThreadName> {
    let mut names = HashMap::from([(ThreadId(0), ThreadName::main())]);
    for executed in log {
        if let Action::Create { child, name } = &executed.action {
            names.insert(*child, name.clone());
        }
    }
    names
}

/// Which threads look at a byte of memory (or a lock) while the program runs, and which change it.
#[derive(Default)]
struct Uses {
    bytes: BTreeMap<u64, Use>,
}

#[derive(Default)]
struct Use {
    users: BTreeSet<ThreadId>,
    writers: BTreeSet<ThreadId>,
}

impl Uses {
    fn of(log: &[Executed]) -> Self {
        let mut uses = Uses::default();
        for executed in log {
            let mut touch = |address: u64, bytes: u64, changes: bool| {
                for byte in address..address + bytes {
                    let entry = uses.bytes.entry(byte).or_default();
                    entry.users.insert(executed.thread);
                    entry.writers.extend(changes.then_some(executed.thread));
                }
            };
            match &executed.action {
                Action::Load { address, size, .. } => touch(*address, u64::from(*size), false),
                Action::Store { address, size, .. }
                | Action::Rmw { address, size, .. }
                | Action::CmpXchg { address, size, .. } => touch(*address, u64::from(*size), true),
                Action::Input { address: Some(address), bytes, .. } => touch(*address, bytes.len() as u64, true),
                Action::Lock { address }
                | Action::TryLock { address, .. }
                | Action::Unlock { address }
                | Action::DestroyMutex { address } => touch(*address, 1, true),
                _ => {}
            }
        }
        uses
    }

    /// Whether another thread than this one writes there.
    fn written_by_others(&self, thread: ThreadId, address: u64, bytes: u64) -> bool {
        self.bytes.range(address..address + bytes).any(|(_, u)| u.writers.iter().any(|&t| t != thread))
    }

    /// Whether another thread than this one reads or writes there.
    fn used_by_others(&self, thread: ThreadId, address: u64, bytes: u64) -> bool {
        self.bytes.range(address..address + bytes).any(|(_, u)| u.users.iter().any(|&t| t != thread))
    }
}

struct Teller<'a> {
    run: &'a Recorded<'a>,
    failure: &'a Failure,
    namer: Namer<'a>,
    uses: Uses,
    names: &'a HashMap<ThreadId, ThreadName>,
}

impl Teller<'_> {
    /// The steps, with `Step::thread` still the number of the thread in the run.
    fn steps(&self) -> Vec<Step> {
        let mut origins = Origins::new(self.run.execution.memory != MemoryModel::Sc);
        let mut sources = Sources::default();
        let mut steps: Vec<Step> = Vec::new();
        for executed in &self.run.log[..self.length()] {
            let failing = self.is_failing(executed);
            if (failing || self.is_interesting(executed))
                && let Some(detail) = self.detail(executed, &origins)
            {
                // A store that reaches memory stands where it was made, not where its thread has got to since.
                let (file, line) = match origins.committed(executed) {
                    Some(store) => (store.file, store.line),
                    None => (executed.location.file, executed.location.line),
                };
                let thread = executed.thread.index();
                match steps.last_mut() {
                    Some(s) if (s.thread, s.file, s.line) == (thread, file, line) => {
                        s.details.push(detail);
                        s.failing |= failing;
                    }
                    _ => {
                        let text = self.source(&mut sources, file, line);
                        steps.push(Step { thread, file, line, text, details: vec![detail], failing });
                    }
                }
            }
            origins.note(executed);
        }
        if matches!(self.failure.kind, FailureKind::Deadlock | FailureKind::Hang) {
            steps.extend(self.stuck(&mut sources));
        }
        steps
    }

    fn source(&self, sources: &mut Sources, file: u32, line: u32) -> String {
        let name = self.run.program.files.get(file as usize).map_or("", String::as_str);
        sources.line(name, line).unwrap_or_default().to_owned()
    }

    /// How much of the log to tell: of a run with a race, which does not end it, up to the second of the two accesses.
    fn length(&self) -> usize {
        if self.failure.kind != FailureKind::Race {
            return self.run.log.len();
        }
        let mut waiting: Vec<_> = self.concerned().collect();
        let last = self.run.log.iter().position(|executed| {
            if self.is_failing(executed) {
                waiting.retain(|&(thread, place)| !self.is_at(executed, thread, place));
            }
            waiting.is_empty()
        });
        last.map_or(self.run.log.len(), |last| last + 1)
    }

    /// Where the threads of a deadlock or hang are in the end: nothing is executed there, so the log does not say.
    fn stuck(&self, sources: &mut Sources) -> Vec<Step> {
        let mut places: Vec<_> = self.concerned().collect();
        places.sort();
        let step = |(thread, place): (&ThreadName, &Place)| {
            let thread = self.names.iter().find(|(_, name)| *name == thread)?.0.index();
            let file = self.run.program.files.iter().position(|f| *f == place.file)? as u32;
            let text = self.source(sources, file, place.line);
            let details = vec![self.failure_words()];
            Some(Step { thread, file, line: place.line, text, details, failing: true })
        };
        places.into_iter().filter_map(step).collect()
    }

    fn heading(&self, thread: ThreadId) -> String {
        if thread.index() == 0 {
            return "0 main".to_owned();
        }
        let entry = self.run.log.iter().find(|e| e.thread == thread).and_then(|e| e.stack().last());
        let function = entry.map_or("", |(f, _)| self.run.program.function(f).name.as_str());
        format!("{} {function}", self.names[&thread])
    }

    /// The threads that the failure is about, and where they are.
    fn concerned(&self) -> impl Iterator<Item = (&ThreadName, &Place)> {
        [(&self.failure.thread, &self.failure.place)].into_iter().chain(self.failure.others.iter().map(|(t, p)| (t, p)))
    }

    fn is_at(&self, executed: &Executed, thread: &ThreadName, place: &Place) -> bool {
        let file = self.run.program.files.get(executed.location.file as usize);
        self.names[&executed.thread] == *thread && place.line == executed.location.line && file == Some(&place.file)
    }

    fn is_failing(&self, executed: &Executed) -> bool {
        use Action::{CmpXchg, Free, Load, Rmw, Store};
        match (self.failure.kind, &executed.action) {
            (FailureKind::Race, Load { .. } | Store { .. } | Rmw { .. } | CmpXchg { .. } | Free { .. }) => {
                self.concerned().any(|(thread, place)| self.is_at(executed, thread, place))
            }
            // A race does not end a run: what did is not what the story is about.
            (kind, Action::Stop) => kind != FailureKind::Race,
            _ => false,
        }
    }

    fn is_interesting(&self, executed: &Executed) -> bool {
        let thread = executed.thread;
        let used_by_others = |address: u64, bytes: u64| self.uses.used_by_others(thread, address, bytes);
        match &executed.action {
            Action::Load { address, size, .. } => self.uses.written_by_others(thread, *address, u64::from(*size)),
            Action::Store { address, size, .. }
            | Action::Commit { address, size, .. }
            | Action::Rmw { address, size, .. }
            | Action::CmpXchg { address, size, .. } => used_by_others(*address, u64::from(*size)),
            Action::Lock { address }
            | Action::TryLock { address, .. }
            | Action::Unlock { address }
            | Action::DestroyMutex { address } => {
                used_by_others(*address, 1)
                    || matches!(self.failure.kind, FailureKind::Deadlock | FailureKind::Hang | FailureKind::LockMisuse)
            }
            Action::Chosen { outcome, .. } => *outcome != 0,
            Action::Look { woken, leaves, .. } => *woken || *leaves,
            Action::Allocate { base, size, .. } => self.is_about_heap() || used_by_others(*base, *size),
            Action::Free { address } => self.is_about_heap() || used_by_others(*address, 1),
            Action::Output { .. } | Action::Divide { .. } | Action::ThreadExit | Action::Stop => false,
            _ => true,
        }
    }

    fn is_about_heap(&self) -> bool {
        use FailureKind::*;
        matches!(self.failure.kind, UseAfterFree | DoubleFree | Bounds | Uninitialised)
    }

    /// What an executed point did, in a few words; nothing for what has none.
    fn detail(&self, executed: &Executed, origins: &Origins) -> Option<String> {
        let place = |address: &u64| self.namer.place(*address);
        let value = |value: &u64, size: &u8| self.namer.value(*value, *size);
        let from = |address: &u64| self.origin(executed, origins.of(executed.thread, *address));
        Some(match &executed.action {
            Action::Load { address, size, value: v, .. } => {
                format!("reads {} = {}, {}", place(address), value(v, size), from(address))
            }
            Action::Store { address, size, value: v, order } => {
                let to = if origins.buffers(*order) { " to its store buffer" } else { "" };
                format!("writes {} = {}{to}", place(address), value(v, size))
            }
            Action::Commit { address, size, value: v } => {
                format!("{} = {} reaches memory", place(address), value(v, size))
            }
            Action::Rmw { address, size, old, new, .. } => {
                format!("{}: {} becomes {}, {}", place(address), value(old, size), value(new, size), from(address))
            }
            Action::CmpXchg { address, size, old, new: Some(new) } => {
                format!("{}: {} becomes {}, {}", place(address), value(old, size), value(new, size), from(address))
            }
            Action::CmpXchg { address, size, old, new: None } => {
                format!("{} stays {}, {}", place(address), value(old, size), from(address))
            }
            Action::Fence(_) => "fence".to_owned(),
            Action::Lock { address } => format!("locks {}", place(address)),
            Action::TryLock { address, taken: true } => format!("locks {}", place(address)),
            Action::TryLock { address, taken: false } => format!("does not get {}", place(address)),
            Action::Unlock { address } => format!("unlocks {}", place(address)),
            Action::DestroyMutex { address } => format!("destroys {}", place(address)),
            Action::Chosen { choice: Decides::Spurious, .. } => "wakes without a signal".to_owned(),
            Action::Chosen { choice: Decides::Expired, .. } => "time is up".to_owned(),
            Action::Enqueue { condition } => format!("waits for {}", place(condition)),
            Action::Wake { condition } | Action::Look { condition, woken: true, .. } => {
                format!("was woken by {}", place(condition))
            }
            Action::Look { condition, woken: false, .. } => format!("stops waiting for {}", place(condition)),
            Action::Signal { condition, woken, .. } => match &woken[..] {
                [] => format!("signals {}, wakes nobody", place(condition)),
                woken => {
                    let names: Vec<String> = woken.iter().map(|t| self.names[t].to_string()).collect();
                    format!("signals {}, wakes {}", place(condition), names.join(", "))
                }
            },
            Action::Waiters { condition, .. } => format!("destroys {}", place(condition)),
            Action::Create { name, .. } => format!("creates thread {name}"),
            Action::Join { target } => format!("joins thread {}", self.names[target]),
            Action::Detach { target } => format!("detaches thread {}", self.names[target]),
            Action::Input { nth, bytes, .. } => self.input(executed.thread, *nth, bytes),
            Action::Allocate { base, size, .. } => format!("allocates {} ({size} bytes)", place(base)),
            Action::Free { address } => format!("frees {}", place(address)),
            Action::AtomicBegin => "atomic section begins".to_owned(),
            Action::AtomicEnd => "atomic section ends".to_owned(),
            Action::Divide { value } => format!("divides by {}", *value as i64),
            Action::Stop => self.failure_words(),
            Action::System { call, result, .. } => {
                let name = call.name().trim_start_matches("ordain_sys_").replace('_', " ");
                format!("system call {name}: {result}")
            }
            Action::Output { .. } | Action::ThreadExit => return None,
        })
    }

    fn origin(&self, executed: &Executed, writer: Option<Writer>) -> String {
        match writer {
            None => "initial".to_owned(),
            Some(w) if w.thread == executed.thread => format!("own, line {}", w.line),
            Some(w) => format!("from {} line {}", self.names[&w.thread], w.line),
        }
    }

    fn input(&self, thread: ThreadId, nth: u32, bytes: &[u8]) -> String {
        let name = &self.names[&thread];
        let known = self.run.execution.inputs.iter().find(|i| i.thread == *name && i.nth == nth);
        let label = known.map(|i| i.name.as_str()).filter(|n| !n.is_empty());
        format!("input {} = {}", label.unwrap_or("value"), input_value(bytes))
    }

    fn failure_words(&self) -> String {
        match self.failure.kind {
            kind @ (FailureKind::Deadlock | FailureKind::Hang) => format!("waits for ever: {kind}"),
            kind => format!("FAILS: {kind}"),
        }
    }
}

/// An input as a number if it can be one, else as bytes.
pub fn input_value(bytes: &[u8]) -> String {
    match bytes.len() {
        1 | 2 | 4 | 8 => {
            let mut word = [if bytes[bytes.len() - 1] & 0x80 == 0 { 0 } else { 0xff }; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            i64::from_le_bytes(word).to_string()
        }
        _ => bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_little_endian_and_signed() {
        assert_eq!(input_value(&[0xfe, 0xff, 0xff, 0xff]), "-2");
        assert_eq!(input_value(&[3, 1]), "259");
        assert_eq!(input_value(&[1, 2, 0xab]), "01 02 ab");
    }
}
