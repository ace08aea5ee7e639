//! ordain-instrument
