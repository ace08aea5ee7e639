//! Deciding orders: satisfiability of clauses over literals that stand for edges between events.
//!
//! `order` is the interface: whoever encodes a question sees only that. Behind it are the engine (CDCL with a theory of
//! partial orders) and Z3, a subprocess, as the oracle that the engine is tested against.
//! `blast` turns terms into literals, `smt` into the text that Z3 reads.

pub mod blast;
pub mod engine;
pub mod faults;
pub mod guidance;
pub mod oracle;
pub mod order;
pub mod smt;
pub mod theory;
