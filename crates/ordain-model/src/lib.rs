//! The heart of Ordain: what an execution is, and what all executions of a program look like to a solver.
//!
//! The vocabulary that every part shares is here as well: thread names, addresses of objects, failures, witnesses.
//! No LLVM, no input or output.

pub mod alone;
pub mod answers;
pub mod encode;
pub mod event;
pub mod failure;
pub mod faults;
pub mod forest;
pub mod journal_text;
pub mod meeting;
pub mod memory;
pub mod names;
pub mod scene;
pub mod witness;
pub mod witness_text;
