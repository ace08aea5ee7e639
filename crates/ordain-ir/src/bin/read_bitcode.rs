//! The child that reads bitcode, as an executable of its own: for tests of crates that have no other.

use std::process::ExitCode;

fn main() -> ExitCode {
    ordain_ir::child::main()
}
