//! The program under analysis, as the rest of Ordain sees it.
//!
//! `load` takes C sources, bitcode or an executable and gives a `Program`: the compact register code that everything
//! else works on. Only this crate (and `ordain-instrument`, which turns the same bitcode into a native binary) knows that
//! there is LLVM behind it, and LLVM runs only in a child process (`child`).
//!
//! The way of a program: `compile` makes bitcode of sources, `canonical` one marked module of bitcode, `lower` a
//! `Program` of that; `facts` has what can be said about its control flow.

pub mod builtins;
mod canonical;
pub mod cc;
pub mod child;
mod compile;
pub mod embed;
mod error;
pub mod facts;
mod formatting;
mod header;
mod llvm;
mod lower;
mod operands;
mod points;
pub mod print;
pub mod program;
mod shape;
mod system;

pub use canonical::modelled_functions;
pub use child::Loaded;
pub use compile::{CLANG, CompileOptions, load};
pub use error::{LoadError, Refusal};
pub use points::POINT;
