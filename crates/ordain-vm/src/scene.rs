//! A machine in the middle of a run, as the beginning of others: where its threads stand, and what its memory holds.

use crate::awaits::Arrivals;
use crate::config::Config;
use crate::log::{Mark, Marked};
use crate::machine::Machine;
use crate::races::Races;
use crate::thread::{Poise, Thread};
use crate::watch::Watch;
use ordain_model::forest::Contents;
use ordain_model::memory::{AddressBook, AllocationKind, ObjectInfo, ObjectOrigin};
use ordain_model::scene::{Register, Scene, Standing, StandingFrame, WaitingFor};
use std::cell::RefCell;
use std::rc::Rc;

impl<'p> Machine<'p> {
    /// A machine that goes on from here, to which this is the beginning: its schedule and records have nothing of what was before.
    /// Accesses race only with those that come later. (They could not race otherwise: whatever orders two of these comes later, too.)
    pub fn begin_here(&self, config: Config, watch: Option<Rc<Watch>>) -> Machine<'p> {
        let mut machine = self.clone();
        machine.forget_history();
        let world = &mut machine.world;
        world.config = config;
        world.races = Races::new(config.races);
        world.log = Vec::new();
        world.output = Vec::new();
        world.errors = Vec::new();
        world.watch = watch;
        for thread in &mut machine.threads {
            let thread = Rc::make_mut(thread);
            thread.branches = Vec::new();
            // Whether a thread only waits shows when it has come round once more.
            thread.arrivals = Arrivals::default();
            let (points, frames) = (thread.points, &thread.frames);
            let entered = frames.iter().map(|frame| Marked { points, mark: Mark::Entered(frame.function) });
            thread.marks = config.marks.then(|| entered.collect());
        }
        machine
    }

    /// From here on nobody asks which way threads go.
    pub fn stop_marking(&mut self) {
        if !self.world.config.branches && !self.world.config.marks {
            return;
        }
        (self.world.config.branches, self.world.config.marks) = (false, false);
        for thread in &mut self.threads {
            let thread = Rc::make_mut(thread);
            (thread.branches, thread.marks) = (Vec::new(), None);
        }
    }

    /// Who knows where objects are.
    pub fn book(&self) -> &Rc<RefCell<AddressBook>> {
        &self.world.book
    }

    /// Whether nobody is in an atomic section, so that everybody could go on.
    pub fn is_outside_atomic_sections(&self) -> bool {
        self.world.atomic.is_none()
    }

    fn standing(&self, thread: &Thread) -> Standing {
        let returned = match thread.poise {
            Poise::Ended { value, undefined } => Register { value, undefined },
            _ => Register::default(),
        };
        let frames = if thread.has_ended() { Vec::new() } else { self.standing_frames(thread) };
        Standing {
            thread: thread.name.clone(),
            frames,
            returned,
            parted: thread.joined || thread.detached,
            held: self.mutexes_of(thread.id).collect(),
            waiting: thread.waiting.map(|w| WaitingFor { condition: w.condition, woken: w.woken }),
            allocations: thread.allocations.iter().map(|(&place, made)| (place, made.count)).collect(),
            creates: thread.children,
            inputs: thread.inputs,
            answers: thread.answers,
        }
    }

    fn standing_frames(&self, thread: &Thread) -> Vec<StandingFrame> {
        let frames = thread.frames.iter().enumerate().map(|(nth, frame)| {
            let count = self.world.program.function(frame.function).registers.len();
            let registers = (0..count).map(|r| frame.base as usize + r).map(|at| Register {
                value: thread.registers[at],
                undefined: if frame.undefined { thread.undefined[at] } else { 0 },
            });
            let last =
                thread.frames.get(nth + 1).map_or(thread.stack_objects.len(), |next| next.stack_objects as usize);
            let mut objects = thread.stack_objects[frame.stack_objects as usize..last].to_vec();
            if nth == 0 {
                // These die with the thread.
                objects.extend(thread.locals.values());
            }
            StandingFrame { function: frame.function, pc: frame.pc, registers: registers.collect(), objects }
        });
        frames.collect()
    }
}

impl Scene for Machine<'_> {
    fn threads(&self) -> Vec<Standing> {
        self.threads.iter().map(|thread| self.standing(thread)).collect()
    }

    fn contents(&self, base: u64) -> Option<Contents> {
        let object = self.world.memory.object(base)?;
        let bytes = object.bytes().to_vec();
        let undefined: Vec<u8> = (0..bytes.len()).step_by(8).map(|at| object.undefined_in(at, 8)).collect();
        let contents = match undefined.iter().all(|&bits| bits == 0) {
            true => Contents::Bytes(bytes),
            false => Contents::Partly { bytes, undefined },
        };
        Some(contents)
    }

    fn is_gone(&self, object: &ObjectInfo) -> bool {
        let ObjectOrigin::Allocation(name) = &object.origin else { return false };
        let Some(thread) = self.thread_by_name(&name.thread) else { return false };
        let thread = &self.threads[thread.index()];
        let was_there = match name.kind {
            AllocationKind::ThreadLocal(_) => thread.has_ended(),
            AllocationKind::Stack | AllocationKind::Heap => {
                thread.allocations.get(&(name.function, name.pc)).is_some_and(|made| name.nth < made.count)
            }
        };
        was_there && !self.is_live(object.base)
    }
}
