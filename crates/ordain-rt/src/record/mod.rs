//! The runtime of recording: linked into the user's program, it keeps a log of what every thread does.
//!
//! The code that `ordain-instrument` inlines writes a thread's decisions through a cursor of its own, without calling
//! anybody. What is left for here: threads and their names (`threads`), room for the log (`log`), what enters from outside
//! (`outside`), and how it all ended (`end`). Nothing here makes threads wait for each other, other than what the
//! program itself asked for.

mod end;
#[cfg(feature = "recorder")]
mod entry;
mod log;
mod outside;
mod relaxed;
mod sections;
mod threads;
