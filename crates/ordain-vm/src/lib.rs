//! The machine that runs programs: many threads, one step at a time, in whatever order it is told.
//!
//! `Machine` executes a `Program` byte for byte under sequential consistency, TSO or PSO, and checks what it does:
//! assertions, memory errors, division, misuse of locks, deadlocks and hangs, data races. Who goes next is decided
//! outside: by a scheduler, or by whoever searches through executions.

mod atomicity;
mod awaits;
mod buffer;
mod builtins;
mod bulk;
mod clock;
mod conditions;
mod config;
mod decode;
mod fast;
mod fingerprint;
mod format;
mod inputs;
mod jumps;
mod lines;
mod local;
mod log;
mod machine;
mod memory;
mod object;
mod pages;
mod pending;
mod points;
mod printing;
mod races;
mod rng;
mod scene;
pub mod schedulers;
mod shadow;
mod shorten;
mod stop;
mod stuck;
mod system;
pub mod tape;
mod thread;
mod thread_locals;
mod trail;
mod turns;
mod watch;
mod world;

pub use config::{Config, Interpreter, RaceMode};
pub use inputs::Inputs;
pub use log::{Action, Branch, Executed, Extent, Mark, Marked, Touched};
pub use machine::Machine;
pub use pending::{Blocker, Decides, Pending, PendingKind, Status};
pub use rng::Rng;
pub use shorten::{shorten, shorten_within};
pub use stop::End;
pub use system::{Access, Grant, Outside, PublishError, StandardInput};
pub use thread::ThreadId;
pub use trail::{Natives, Passed};
pub use turns::{Switches, can_go_on, switches, would_look_at};
pub use watch::Watch;
