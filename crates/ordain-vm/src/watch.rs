//! Somebody who looks at runs from outside while they go on: which code they execute, and whether they should stop.
//!
//! One watch may see any number of machines, one after the other: coverage adds up.

use ordain_ir::program::{FuncId, Pc, Program};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub struct Watch {
    /// Whether it was executed, by function and instruction.
    covered: Vec<Box<[Cell<bool>]>>,
    interrupt: Arc<AtomicBool>,
}

impl Watch {
    /// Once `interrupt` is set, runs end as soon as somebody looks.
    pub fn new(program: &Program, interrupt: Arc<AtomicBool>) -> Watch {
        let covered = program.functions.iter().map(|f| vec![Cell::new(false); f.code.len()].into()).collect();
        Watch { covered, interrupt }
    }

    pub(crate) fn cover(&self, function: FuncId, pc: Pc) {
        self.covered[function.index()][pc.index()].set(true);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Whether some run has executed the instruction.
    pub fn has_covered(&self, function: FuncId, pc: Pc) -> bool {
        self.covered[function.index()][pc.index()].get()
    }
}
