//! The runtime that is linked into the user's program. There are two: one makes the program follow a schedule, the other
//! (`record`) keeps a log of what it does. They share what they know of the system.
//!
//! `ordain-instrument` puts a call into the runtime before every point, and runtime versions in the place of thread,
//! mutex, heap and input functions. The runtime lets exactly one thread run at a time, from point to point, in the order
//! of a *plan* (`plan`), and says in one line how it ended (`report`). Nothing here waits for time to pass: whether
//! somebody can still proceed is always known (`gate`), so a program that does not follow its plan is told apart
//! from one that is slow.
//!
//! No standard library and no dependency but libc, because this code lives inside of somebody else's process, in part
//! inside of signal handlers. x86-64 Linux with glibc.
//!
//! *Safety of the exported functions.* They are called by code that `ordain-instrument` generates, with the
//! arguments that the user's program passes to the functions they stand for. Memory behind those is checked (`alloc`)
//! before it is touched; what is still wrong faults, and is reported by `signals`.
#![cfg_attr(not(test), no_std)]
// Without `main` nothing starts it; the checks are for the library as it is linked.
#![cfg_attr(any(test, not(feature = "standalone"), feature = "recorder"), allow(dead_code))]

pub mod format;

mod alloc;
mod answers;
mod buffer;
mod condition;
#[cfg(all(feature = "standalone", not(feature = "recorder"), not(test)))]
mod entry;
mod failure;
mod gate;
mod globals;
mod heap;
mod input;
mod kernel;
mod locals;
mod lock;
mod memory;
mod mutex;
mod plan;
mod point;
mod process;
// Needs what only an instrumented program has, so it is not part of the library that tests are made of.
#[cfg(all(any(feature = "recorder", clippy), not(test)))]
mod record;
mod report;
mod signals;
mod stack;
mod stuck;
mod sys;
mod threads;
