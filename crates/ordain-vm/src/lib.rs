//! ordain-vm
