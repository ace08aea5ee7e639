//! Recorded runs, offline: what a log says, and the path of every thread through the program.
//!
//! A *recording* is a directory: `run.json` says what was run and how it ended (`run`), the files of the threads are what
//! the runtime wrote (`ordain_rt::format`), read by `threads` and `bits`. `follow` walks one thread's path through the
//! `Program`, block by block, as far as its log goes. It knows no values other than those that follow from constants; what
//! it finds out is where a thread went, and that its log and the program agree.
//!
//! Logs are not trusted: whatever is in one, reading it ends with an answer or an error that says what is wrong where.

pub mod bits;
pub mod error;
pub mod follow;
pub mod recording;
pub mod run;
pub mod table;
pub mod threads;

pub use error::LogError;
pub use follow::{Decision, FollowError, Followed, PathEnd, Seen, follow, follow_with};
pub use recording::Recording;
pub use run::{Ending, Run};
pub use table::{FollowTable, Level, Stamp};
pub use threads::ThreadLog;
