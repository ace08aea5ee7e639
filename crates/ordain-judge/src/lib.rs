//! ordain-judge
