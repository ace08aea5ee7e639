//! ordain-explore
