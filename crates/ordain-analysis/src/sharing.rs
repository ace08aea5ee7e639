//! Which memory more than one thread may touch.
//!
//! A thread gets hold of memory that it has not allocated through a global, its argument, what another thread returned, or
//! memory that it got hold of so: an object that can be found on none of these ways is its own thread's, however many
//! threads execute the place that allocates it. And what only code touches that no created thread executes is the main thread's.

use crate::constraints::{Access, Constraints};
use crate::object::{Kind, OUTSIDE, ObjectId};
use ordain_ir::program::{FuncId, Inst, Pc, Program};
use rustc_hash::FxHashSet;

/// The plain loads and stores whose memory one thread alone touches as long as it exists.
#[derive(Clone, Default, Debug)]
pub struct Private {
    places: FxHashSet<(FuncId, Pc)>,
}

impl Private {
    pub fn contains(&self, function: FuncId, pc: Pc) -> bool {
        self.places.contains(&(function, pc))
    }

    /// As function, block and number of the point in the block, which is how bitcode knows them.
    pub fn points(&self, program: &Program) -> Vec<(u32, u32, u32)> {
        let mut points = Vec::new();
        for (id, function) in (0..).map(FuncId).zip(&program.functions) {
            for (number, block) in (0..).zip(&function.blocks) {
                let inside = (block.start.0..block.end.0).filter(|&pc| function.code[pc as usize].is_point());
                let private = (0..).zip(inside).filter(|&(_, pc)| self.contains(id, Pc(pc)));
                points.extend(private.map(|(nth, _)| (id.0, number, nth)));
            }
        }
        points
    }
}

/// Finds them.
pub fn private(program: &Program) -> Private {
    let constraints = Constraints::new(program);
    let shared = shared(&constraints);
    let touched = touched_by_created(program, &constraints);
    let is_private = |object: ObjectId| object != OUTSIDE && (!shared.contains(&object) || !touched.contains(&object));
    let mut places = FxHashSet::default();
    for &Access { function, pc, address } in constraints.accesses.iter().filter(|access| is_plain(program, access)) {
        let mut targets = constraints.solver.targets(address).peekable();
        // What points nowhere is a mistake, and is to fail as it does.
        if targets.peek().is_some() && targets.all(|target| is_private(target.object)) {
            places.insert((function, pc));
        }
    }
    Private { places }
}

fn is_plain(program: &Program, access: &Access) -> bool {
    let inst = &program.function(access.function).code[access.pc.index()];
    matches!(inst, Inst::Load { order: None, .. } | Inst::Store { order: None, .. })
}

/// What other threads can find.
fn shared(constraints: &Constraints) -> FxHashSet<ObjectId> {
    let objects = (0..constraints.objects.len() as u32).map(ObjectId);
    let roots = objects.filter(|&id| matches!(constraints.objects.kind(id), Kind::Outside | Kind::Global(_)));
    let handed_over = constraints.solver.targets(constraints.handed_over).map(|target| target.object);
    let mut shared: FxHashSet<ObjectId> = roots.chain(handed_over).collect();
    let mut open: Vec<ObjectId> = shared.iter().copied().collect();
    while let Some(object) = open.pop() {
        for target in constraints.solver.contents(object) {
            if shared.insert(target.object) {
                open.push(target.object);
            }
        }
    }
    shared
}

/// What code touches that created threads may execute.
fn touched_by_created(program: &Program, constraints: &Constraints) -> FxHashSet<ObjectId> {
    let mut executed = constraints.entries.clone();
    let mut callees: Vec<Vec<FuncId>> = vec![Vec::new(); program.functions.len()];
    constraints.callees.iter().for_each(|(caller, called)| callees[caller.index()].push(*called));
    let mut open: Vec<FuncId> = executed.iter().copied().collect();
    while let Some(function) = open.pop() {
        for &called in &callees[function.index()] {
            if executed.insert(called) {
                open.push(called);
            }
        }
    }
    let accesses = constraints.accesses.iter().filter(|access| executed.contains(&access.function));
    let touched = accesses.flat_map(|access| constraints.solver.targets(access.address));
    // Functions without a model may touch what they can get at, in any thread.
    let outside = constraints.solver.contents(OUTSIDE);
    touched.chain(outside).map(|target| target.object).collect()
}
