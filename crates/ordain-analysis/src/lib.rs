//! What pointers may point to, and which memory more than one thread may touch.
//!
//! `Constraints` (inclusion-based, after Andersen) are read off the `Program` and solved by `solve`; memory is told apart by
//! where it is allocated, and by words within. `sharing` then asks which of it more than one thread can get hold of. What is
//! said to be private is so in every execution: whatever is not understood counts as shared, and every arithmetic operation on
//! an address yields one. Calls are not told apart by who calls.
//!
//! Users: recordings, which neither keep apart nor log what one thread alone can touch (`ordain_instrument::record`).

mod constraints;
mod library;
mod object;
mod sharing;
mod solve;

pub use sharing::{Private, private};
