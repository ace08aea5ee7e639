//! ordain-unfold
