//! The program under analysis, as the rest of Ordain sees it.
//!
//! `program` is the compact register code that everything else works on. Only this crate (and `ordain-instrument`,
//! which turns the same bitcode into a native binary) knows that there is LLVM behind it.

pub mod facts;
mod operands;
pub mod program;
