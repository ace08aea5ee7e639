//! Independent judges: what `ordain explore` says about a program is checked against plain enumeration.
//!
//! `generator` makes small threaded C programs from seeds; `findings` is what there is to find in one; `compare` sets a
//! judge's findings against somebody's report; `minimise` shrinks a program on which the two differ. Nothing here shares
//! code with the model, the encoding or the solver; only the program, the machine and the vocabulary of failures and names
//! are common.

pub mod compare;
pub mod findings;
pub mod generator;
pub mod minimise;
