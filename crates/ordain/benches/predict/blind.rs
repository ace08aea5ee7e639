//! What a comparison reports that knows nothing of data: three accesses that no lock, and neither creation nor end of threads, keeps apart.

use super::Failure;
use ordain_ir::facts::Facts;
use ordain_ir::program::Program;
use ordain_vm::schedulers::{self, RunToBlock};
use ordain_vm::{Action, Config, Executed, Interpreter, Machine, Mark, ThreadId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// When something happened, as far as creation and end of threads order it: how much of each thread came before.
type Clock = BTreeMap<u32, usize>;

struct Access {
    thread: ThreadId,
    line: u32,
    from: u64,
    to: u64,
    writes: bool,
    /// Which region of its thread's it is in, if it is in one.
    region: Option<usize>,
    /// Mutexes that the thread had, each with which time it was.
    locks: BTreeMap<u64, usize>,
    clock: Clock,
    /// Which event of its thread's it is.
    nth: usize,
}

impl Access {
    fn overlaps(&self, other: &Access) -> bool {
        self.from < other.to && other.from < self.to
    }

    fn is_before(&self, other: &Access) -> bool {
        other.clock.get(&self.thread.0).is_some_and(|&known| self.nth < known)
    }
}

/// How many violations it reports in the run of a program, each once per thread of the region and lines.
pub fn violations(file: &Path, flags: &[String]) -> Result<usize, Failure> {
    let options = ordain_ir::CompileOptions { cflags: flags.to_vec(), ..ordain_ir::CompileOptions::default() };
    let loaded = ordain_ir::load(&[file.to_owned()], &options)?;
    let facts = Facts::new(&loaded.program);
    let config = Config { interpreter: Interpreter::Plain, marks: true, record: true, ..Config::default() };
    let mut machine = Machine::alone(&loaded.program, &facts, config);
    schedulers::run(&mut machine, &mut RunToBlock::default(), u64::MAX);
    let accesses = accesses(&loaded.program, &machine);
    let mut found = BTreeSet::new();
    for (i, first) in accesses.iter().enumerate().filter(|(_, access)| access.region.is_some()) {
        let same = |second: &&Access| second.thread == first.thread && second.region == first.region;
        for second in accesses[i + 1..].iter().filter(same).filter(|second| second.overlaps(first)) {
            for remote in accesses.iter().filter(|remote| remote.thread != first.thread) {
                let matters = remote.writes || (first.writes && second.writes);
                let meets = remote.overlaps(first) && remote.overlaps(second);
                let ordered = remote.is_before(first) || second.is_before(remote);
                let one_section = first.locks.iter().filter(|&(lock, time)| second.locks.get(lock) == Some(time));
                let kept_out = one_section.into_iter().any(|(lock, _)| remote.locks.contains_key(lock));
                if matters && meets && !ordered && !kept_out {
                    found.insert((first.thread.0, first.line, remote.line, second.line));
                }
            }
        }
    }
    Ok(found.len())
}

fn accesses(program: &Program, machine: &Machine<'_>) -> Vec<Access> {
    let mut clocks: BTreeMap<u32, Clock> = BTreeMap::new();
    let mut locks: BTreeMap<u32, BTreeMap<u64, usize>> = BTreeMap::new();
    let mut accesses = Vec::new();
    for (nth, Executed { thread, function, location, action, points, .. }) in machine.log().iter().enumerate() {
        let held = locks.entry(thread.0).or_default();
        let (address, size, writes) = match *action {
            Action::Lock { address } | Action::TryLock { address, taken: true } => {
                held.insert(address, nth);
                continue;
            }
            Action::Unlock { address } => {
                held.remove(&address);
                continue;
            }
            Action::Create { child, .. } => {
                let mut known = clocks.get(&thread.0).cloned().unwrap_or_default();
                known.insert(thread.0, nth);
                clocks.insert(child.0, known);
                continue;
            }
            Action::Join { target } => {
                let mut known = clocks.get(&target.0).cloned().unwrap_or_default();
                known.insert(target.0, nth);
                clocks.entry(thread.0).or_default().extend(known);
                continue;
            }
            Action::Load { address, size, .. } => (address, size, false),
            Action::Store { address, size, .. }
            | Action::Rmw { address, size, .. }
            | Action::CmpXchg { address, size, .. } => (address, size, true),
            _ => continue,
        };
        if program.function(*function).model {
            continue;
        }
        accesses.push(Access {
            thread: *thread,
            line: location.line,
            from: address,
            to: address + u64::from(size),
            writes,
            region: region(machine, *thread, *points),
            locks: held.clone(),
            clock: clocks.get(&thread.0).cloned().unwrap_or_default(),
            nth,
        });
    }
    accesses
}

/// Which marked region of a thread's a point is in.
fn region(machine: &Machine<'_>, thread: ThreadId, points: u64) -> Option<usize> {
    let marks = machine.marks(thread).iter().filter(|marked| matches!(marked.mark, Mark::Begin | Mark::End));
    let before = marks.enumerate().take_while(|(_, marked)| marked.points < points);
    before.last().filter(|(_, marked)| marked.mark == Mark::Begin).map(|(nth, _)| nth)
}
