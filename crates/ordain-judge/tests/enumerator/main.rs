//! Who judges the judge: the enumerator against what is known of memory models, against random runs of the machine,
//! against a search without memory, and against another way to find races.

mod common;
mod litmus;
mod races;
mod random_runs;
mod unpruned;
