//! Independent judges: what `ordain explore` says about a program is checked against plain enumeration.
//!
//! `generator` makes threaded C programs from seeds; `enumerate` runs one in every way there is, under SC, TSO or
//! PSO (`judge` does so from its text); `findings` is what there is to find; `compare` sets a verdict against somebody's
//! report; `minimise` shrinks a program on which the two differ. Nothing here shares code with the model, the encoding or
//! the solver; only the program, the machine and the vocabulary of failures and names are common.

mod along;
pub mod cases;
pub mod compare;
pub mod enumerate;
pub mod failing;
pub mod fewest;
pub mod findings;
pub mod generator;
pub mod judge;
mod knowledge;
pub mod minimise;
pub mod predict;
mod show;
pub mod stats;
