//! Terms over fixed-width integers, and the integer operations themselves.
//!
//! `op` defines what every arithmetic operation of a program means, on plain `u64`s: the concrete machine, the
//! constant folder and the bit-blaster's tests all use that one definition.

pub mod op;
