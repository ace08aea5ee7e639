//! ordain-report
