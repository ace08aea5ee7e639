//! Independent judges: what `ordain explore` says about a program is checked against plain enumeration.
//!
//! `generator` makes small threaded C programs from seeds. Nothing here shares code with the model, the encoding or the
//! solver; only the program, the machine and the vocabulary of failures and names are common.

pub mod generator;
