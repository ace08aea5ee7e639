//! ordain-rt
