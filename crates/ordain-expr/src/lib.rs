//! Terms over fixed-width integers, and the integer operations themselves.
//!
//! `op` defines what every arithmetic operation of a program means, on plain `u64`s: the concrete machine, the
//! constant folder and the bit-blaster's tests all use that one definition. `float` does the same for floating point, which
//! has no terms: it is computed, or not at all.
//!
//! [`Terms`] is the store of hash-consed terms: equal terms have equal ids, and every term is simplified as it is built
//! (`build`). With each term the store keeps what is surely known of its value (`facts`): bits and an interval.
//! `walk` evaluates and substitutes, `display` prints.

mod build;
mod display;
mod facts;
pub mod float;
pub mod op;
#[cfg(feature = "sample")]
pub mod sample;
mod store;
mod term;
mod walk;

pub use store::Terms;
pub use term::{Node, SymbolId, Term};
