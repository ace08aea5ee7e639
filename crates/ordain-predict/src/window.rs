//! A part of a long run, looked at by itself.
//!
//! What came before the window is over, and stays as it was; what comes after it has no part in anything. In between everything is as in
//! a short run: which way every thread goes is known, and all that they do may happen in another order. So a window shows what its own
//! events can come to, and nothing else: what takes an event before the window in another order is missed.

use crate::regions::{Which, regions};
use crate::run::{empty_script, script};
use ordain_explore::{Aim, Bug, Error, Focus, Options, Progress, Recorded, Region, Summary};
use ordain_ir::facts::Facts;
use ordain_ir::program::{FuncId, Pc};
use ordain_model::witness::Execution;
use ordain_unfold::Script;
use ordain_unfold::script::{Indices, Pointers};
use ordain_vm::schedulers::{self, Follow, Outcome};
use ordain_vm::{Action, Config, Inputs, Interpreter, Machine};
use std::sync::Arc;

/// A window of a run.
pub struct Window<'p> {
    /// As it is at the beginning.
    pub scene: Machine<'p>,
    /// What the run did from there on, to the end of the window.
    pub execution: Execution,
    pub script: Script,
    pub regions: Vec<Region>,
    /// What it is for, if not for everything that can go wrong in it.
    pub focus: Option<Focus>,
}

impl<'p> Window<'p> {
    /// What a scheduler makes of the machine from where it is, for so many points.
    pub fn new(
        scene: Machine<'p>,
        facts: &Facts,
        inputs: Inputs,
        by: &mut Follow<'_>,
        points: u64,
        which: Which,
    ) -> Self {
        let empty = empty_script(scene.program(), facts);
        let (window, _) = Self::along(scene, &empty, inputs, by, points, which);
        window
    }

    /// The same, for one of many windows, which is to be easy: for this alone, and with memory where it is in the run.
    pub(crate) fn narrow(
        scene: Machine<'p>,
        (facts, empty): (&Facts, &Script),
        inputs: Inputs,
        by: &mut Follow<'_>,
        (points, focus): (u64, Focus),
        which: Which,
    ) -> Self {
        let (window, machine) = Self::along(scene, empty, inputs, by, points, which);
        let (pointers, indices) = (pointers(&machine, facts, &window.script), Some(indices(&machine)));
        Window { script: Script { pointers, indices, ..window.script }, focus: Some(focus), ..window }
    }

    /// A window, and a machine that has come to its end.
    fn along(
        scene: Machine<'p>,
        empty: &Script,
        inputs: Inputs,
        by: &mut Follow<'_>,
        points: u64,
        which: Which,
    ) -> (Self, Machine<'p>) {
        let config = Config {
            interpreter: Interpreter::Plain,
            branches: true,
            marks: true,
            record: true,
            stop_when_stuck: false,
            ..*scene.config()
        };
        let mut machine = scene.begin_here(config, None);
        machine.provide_inputs(inputs);
        // A run that passed is followed: it does not end here in any other way than it did.
        let _: Outcome = schedulers::run(&mut machine, by, points);
        let execution = machine.execution();
        let script = script(empty, &machine, &execution);
        let regions = regions(scene.program(), &machine, which);
        (Window { scene, execution, script, regions, focus: None }, machine)
    }

    /// Looks for everything that could have gone wrong in the window, besides what is known. What is found are executions that begin with it.
    pub fn predict(
        self,
        facts: &Facts,
        options: &Options,
        known: &[Bug],
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary, Error> {
        let (script, aim, focus) = (Arc::new(self.script), Aim::Anything(self.regions), self.focus);
        let recorded = Recorded { script, known: Some(self.execution), aim, focus };
        let options = Options { recorded: Some(recorded), jobs: 1, ..options.clone() };
        ordain_explore::explore_from(self.scene, facts, &options, known, progress)
    }
}

/// The pointers that threads have read by plain loads: where memory is that others have something to do with does not change from one order
/// to the next, or the solver would have to consider all of memory for each access. What follows atomic loads may be elsewhere, and so may
/// what a loop that only looks at memory comes by, which need not go round as often.
fn pointers(machine: &Machine<'_>, facts: &Facts, script: &Script) -> Pointers {
    let mut pointers = Pointers::default();
    let book = machine.book().borrow();
    let is_left_open = |function: FuncId, pc: Pc| {
        let block = facts.function(function).block_of(pc);
        let end = machine.program().function(function).blocks[block.index()].end;
        script.open.contains(&(function, Pc(end.0 - 1)))
    };
    for executed in machine.log() {
        if let Action::Load { size, value, order: None, .. } = executed.action
            && !is_left_open(executed.function, executed.pc)
        {
            let pointer = (size == 8 && book.find(value).is_some()).then_some(value);
            let of_thread = pointers.entry(machine.name(executed.thread).clone()).or_default();
            of_thread.entry((executed.function, executed.pc)).or_default().push(pointer);
        }
    }
    pointers
}

/// Where accesses were.
fn indices(machine: &Machine<'_>) -> Indices {
    let mut indices = Indices::default();
    for executed in machine.log() {
        if let Action::Load { address, .. }
        | Action::Store { address, .. }
        | Action::Rmw { address, .. }
        | Action::CmpXchg { address, .. } = executed.action
        {
            indices.entry((executed.function, executed.pc)).or_default().insert(address);
        }
    }
    indices
}
