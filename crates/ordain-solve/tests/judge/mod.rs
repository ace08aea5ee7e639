//! What the judges share: scripts of statements, a generator of random ones, and an independent check of models.

// Each test uses its part of it.
#![allow(dead_code)]

pub mod checker;
pub mod generator;
pub mod random;
pub mod script;
