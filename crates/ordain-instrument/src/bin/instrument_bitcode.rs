//! The child that reads and instruments bitcode, as an executable of its own: for tests of crates that have no other.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|a| a == ordain_ir::child::SUBCOMMAND) {
        return ordain_ir::child::main();
    }
    ordain_instrument::child::main()
}
