//! Which parts of a run may be meant to be atomic.

use ordain_explore::{Region, Scope};
use ordain_ir::program::Program;
use ordain_vm::{Machine, Mark, ThreadId};

/// Where regions are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Which {
    /// Between `ordain_atomic_begin` and `ordain_atomic_end`.
    Marked,
    /// In every call of a function of the user's, accesses that look as if they belonged together: the second writes what was
    /// computed from the first, or is made because of what that read, or both are in sections of one mutex.
    #[default]
    Inferred,
    /// Everything that a thread other than main does. Nobody wants that but tests.
    Threads,
}

/// The regions of a run that has kept its marks.
pub(crate) fn regions(program: &Program, machine: &Machine<'_>, which: Which) -> Vec<Region> {
    machine.thread_ids().flat_map(|thread| of_thread(program, machine, thread, which)).collect()
}

fn of_thread(program: &Program, machine: &Machine<'_>, thread: ThreadId, which: Which) -> Vec<Region> {
    let name = machine.name(thread);
    let region = |first: u64, end: u64, scope: Scope| Region { thread: name.clone(), first: first + 1, end, scope };
    if which == Which::Threads {
        return if name.is_main() { Vec::new() } else { vec![region(0, u64::MAX, Scope::Marked)] };
    }
    let (mut regions, mut calls, mut begun) = (Vec::new(), Vec::new(), Vec::new());
    for marked in machine.marks(thread) {
        let points = marked.points;
        match marked.mark {
            Mark::Entered(function) => calls.push((points, function)),
            Mark::Left => {
                let Some((entered, function)) = calls.pop() else { continue };
                if which == Which::Inferred && !program.function(function).model {
                    regions.push(region(entered, points + 1, Scope::Function(function)));
                }
            }
            Mark::Begin => begun.push(points),
            // Those within others belong to them.
            Mark::End => match begun.pop() {
                Some(begin) if begun.is_empty() && which == Which::Marked => {
                    regions.push(region(begin, points + 1, Scope::Marked));
                }
                _ => {}
            },
        }
    }
    // What has not ended when the thread does.
    match which {
        Which::Marked => {
            regions.extend(begun.first().map(|&begin| region(begin, u64::MAX, Scope::Marked)));
        }
        _ => {
            let own = calls.into_iter().filter(|&(_, function)| !program.function(function).model);
            regions.extend(own.map(|(entered, function)| region(entered, u64::MAX, Scope::Function(function))));
        }
    }
    regions
}
