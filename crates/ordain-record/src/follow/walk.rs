//! The walk itself.

use super::values::Values;
use super::{Decision, FollowError, Followed, PathEnd, Seen};
use crate::bits::{NoBits, PathReader};
use crate::recording::Recording;
use crate::table::{Keeping, SLOTS, Stamp};
use crate::threads::ThreadLog;
use ordain_ir::program::{BlockId, Builtin, Callee, FuncId, Inst, NameId, Operand, Pc, Program, SystemCall};
use ordain_rt::format::{State, Tag, value_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;

/// So far a path may go without a decision that the log has: only a log that is not right sends us further.
const MOST_BLOCKS_BETWEEN: u64 = 20_000_000_000;
/// Deeper than any stack.
const MOST_FRAMES: usize = 10_000_000;

/// One call of a function.
struct Frame {
    function: FuncId,
    pc: Pc,
    values: Values,
    /// Where `setjmp` was called in it, and with which buffer.
    jumps: Vec<(u64, Pc)>,
}

pub(super) struct Walk<'a> {
    program: &'a Program,
    recording: &'a Recording,
    thread: &'a ThreadLog,
    reader: PathReader<'a>,
    /// How many entries of the data and how many values have been met.
    entries: usize,
    values: u64,
    /// How many units of the values they took, and the last time among them.
    units: usize,
    time: u64,
    frames: Vec<Frame>,
    kinds: Kinds,
    /// What was read last, where only changes are kept.
    last: Vec<u64>,
    /// Where the walk has been since the log was at its end: a thread that did not end may be anywhere in a loop.
    seen: FxHashSet<(usize, FuncId, BlockId)>,
    see: &'a mut dyn FnMut(Seen),
    since_decision: u64,
    blocks: u64,
    recorded: u64,
    recomputed: u64,
    disagreements: u64,
    created: u32,
}

/// What the table says of functions, for quick answers.
struct Kinds {
    native: Vec<bool>,
    noted: Vec<bool>,
    /// The blocks whose decisions are computed, for functions that have any.
    recomputed: Vec<Option<FxHashSet<BlockId>>>,
    /// The instructions whose results are among the values, for functions that have any.
    values: Vec<Option<FxHashMap<Pc, Keeping>>>,
    /// The calls whose arguments are, with their positions and slots.
    arguments: FxHashMap<(FuncId, Pc), Vec<(u32, u32)>>,
}

impl Kinds {
    fn new(program: &Program, recording: &Recording) -> Option<Kinds> {
        let count = program.functions.len();
        let table = &recording.run.table;
        let mut kinds = Kinds {
            native: vec![false; count],
            noted: vec![false; count],
            recomputed: vec![None; count],
            values: vec![None; count],
            arguments: FxHashMap::default(),
        };
        for &function in &table.native {
            *kinds.native.get_mut(function as usize)? = true;
        }
        for &function in &table.noted {
            *kinds.noted.get_mut(function as usize)? = true;
        }
        for &(function, block) in &table.recomputed {
            let blocks = kinds.recomputed.get_mut(function as usize)?;
            blocks.get_or_insert_default().insert(BlockId(block));
        }
        for &(function, block, nth, keeping) in &table.values {
            let body = program.functions.get(function as usize)?;
            let block = body.blocks.get(block as usize)?;
            let mut points = (block.start.0..block.end.0).filter(|&pc| body.code[pc as usize].is_point());
            // What is not understood ends its block early: nobody gets further there.
            if let Some(pc) = points.nth(nth as usize) {
                kinds.values[function as usize].get_or_insert_default().insert(Pc(pc), keeping);
            }
        }
        for argument in &table.arguments {
            let body = program.functions.get(argument.function as usize)?;
            let block = body.blocks.get(argument.block as usize)?;
            let mut calls = (block.start.0..block.end.0).filter(|&pc| kinds.is_of_library(&body.code[pc as usize]));
            if let Some(pc) = calls.nth(argument.nth as usize) {
                let place = (FuncId(argument.function), Pc(pc));
                kinds.arguments.entry(place).or_default().push((argument.position, argument.slot));
            }
        }
        Some(kinds)
    }

    /// Whether this is a call that `Argument::nth` counts.
    fn is_of_library(&self, inst: &Inst) -> bool {
        use Builtin::{AlignedAlloc, Calloc, Malloc, Realloc};
        match inst {
            Inst::Call { callee: Callee::Direct(function), .. } => self.native[function.index()],
            Inst::Call { callee: Callee::Builtin(Malloc | Calloc | Realloc | AlignedAlloc), .. } => true,
            _ => false,
        }
    }
}

/// Why a walk stops where it should not.
pub(super) struct Stop {
    why: Reason,
    word: usize,
    place: Option<(FuncId, Pc)>,
}

enum Reason {
    Contradiction(String),
    NotUnderstood(String),
}

impl Stop {
    pub fn into_error(self, program: &Program, thread: &ThreadLog, file: PathBuf, first: usize) -> FollowError {
        let place = self.place.map_or_else(|| "the beginning".to_owned(), |(f, pc)| describe(program, f, pc));
        match self.why {
            Reason::Contradiction(why) => {
                FollowError::Contradiction { file, offset: (first + 8 * self.word) as u64, why, place }
            }
            Reason::NotUnderstood(what) => FollowError::NotUnderstood { thread: thread.name.clone(), what, place },
        }
    }
}

fn describe(program: &Program, function: FuncId, pc: Pc) -> String {
    let location = program.location(function, pc);
    let file = program.files.get(location.file as usize).map_or("?", String::as_str);
    format!("{} at {file}:{}", program.function(function).name, location.line)
}

/// Whether the walk goes on.
enum Step {
    On,
    End(PathEnd),
}

/// What the log says at a decision.
enum Answer {
    Way(u64),
    /// It has nothing more to say, and the thread may be anywhere before.
    Nothing,
}

impl<'a> Walk<'a> {
    pub fn new(
        program: &'a Program,
        recording: &'a Recording,
        thread: &'a ThreadLog,
        see: &'a mut dyn FnMut(Seen),
    ) -> Result<Walk<'a>, Stop> {
        let wrong = |why: &str| Stop { why: Reason::Contradiction(why.to_owned()), word: 0, place: None };
        let kinds = Kinds::new(program, recording).ok_or_else(|| wrong("the table is about another program"))?;
        let entry = match thread.name.is_main() {
            true => program.start,
            false => recording.function_at(thread.entry).ok_or_else(|| wrong("it begins where no function does"))?,
        };
        let mut walk = Walk {
            program,
            recording,
            thread,
            reader: PathReader::new(&thread.path),
            entries: 0,
            values: 0,
            units: 0,
            time: 0,
            frames: Vec::new(),
            kinds,
            last: vec![0; SLOTS as usize],
            seen: FxHashSet::default(),
            see,
            since_decision: 0,
            blocks: 0,
            recorded: 0,
            recomputed: 0,
            disagreements: 0,
            created: 0,
        };
        if thread.name.is_main() {
            walk.skip_surroundings();
        }
        walk.push(entry)?;
        Ok(walk)
    }

    pub fn run(mut self) -> Result<Followed, Stop> {
        loop {
            if let Step::End(end) = self.step()? {
                return self.finish(end);
            }
        }
    }

    fn finish(self, end: PathEnd) -> Result<Followed, Stop> {
        if matches!(end, PathEnd::Ended(_)) {
            if !self.reader.is_at_end() {
                return Err(self.contradiction("the path goes on although the thread has ended"));
            }
            if self.entries != self.thread.data.len() {
                let (met, all) = (self.entries, self.thread.data.len());
                return Err(self.contradiction(&format!("{all} entries came from outside, but the path has {met}")));
            }
            if self.units != self.thread.values.len() {
                let (met, all) = (self.units, self.thread.values.len());
                return Err(self.contradiction(&format!("{all} units of values were written, but the path has {met}")));
            }
        }
        Ok(Followed {
            name: self.thread.name.clone(),
            end,
            stack: self.frames.iter().rev().map(|frame| (frame.function, frame.pc)).collect(),
            blocks: self.blocks,
            recorded: self.recorded,
            recomputed: self.recomputed,
            values: self.values,
            disagreements: self.disagreements,
            created: self.created,
        })
    }

    fn push(&mut self, function: FuncId) -> Result<(), Stop> {
        if self.frames.len() >= MOST_FRAMES {
            return Err(self.contradiction("calls lie too deep in each other"));
        }
        let body = self.program.function(function);
        let known = self.kinds.recomputed[function.index()].is_some() || self.kinds.values[function.index()].is_some();
        let values = if known { Values::new(body) } else { Values::nothing() };
        self.frames.push(Frame { function, pc: Pc(0), values, jumps: Vec::new() });
        match body.blocks.first() {
            Some(first) => self.top().pc = first.start,
            None => return Err(self.contradiction("a function without code is called")),
        }
        self.blocks += 1;
        Ok(())
    }

    fn top(&mut self) -> &mut Frame {
        // There is one until the last returns, and then the walk is over.
        self.frames.last_mut().expect("a walk has a frame")
    }

    /// The instruction at hand.
    fn step(&mut self) -> Result<Step, Stop> {
        let program = self.program;
        let frame = self.top();
        let body = program.function(frame.function);
        let Some(inst) = body.code.get(frame.pc.index()) else {
            return Err(self.contradiction("a function has no end"));
        };
        match inst {
            Inst::Br { to } => self.go(*to),
            Inst::CondBr { cond, then, other } => self.branch(cond, *then, *other),
            Inst::Switch { value, cases, default, .. } => self.switch(value, cases, *default),
            Inst::Call { callee, .. } => self.call(callee, inst),
            Inst::Ret { .. } => self.ret(),
            Inst::Unreachable => match self.thread.state {
                State::Faulted => Ok(Step::End(PathEnd::BeforeDecision(State::Faulted))),
                _ => Err(self.contradiction("the path leads to code that cannot be reached")),
            },
            inst => {
                if Stamp::is_on(inst) && !self.stamp()? {
                    return Ok(Step::End(self.open_end()));
                }
                let frame = self.top();
                if frame.values.is_kept() {
                    frame.values.execute(inst);
                    if !self.read(inst)? {
                        return Ok(Step::End(self.open_end()));
                    }
                }
                self.next()
            }
        }
    }

    /// Takes what the call at hand was given from the log, as far as it is there. `false`: the log ends here.
    fn given(&mut self) -> Result<bool, Stop> {
        let &mut Frame { function, pc, .. } = self.top();
        let Some(arguments) = self.kinds.arguments.get(&(function, pc)).cloned() else { return Ok(true) };
        for (nth, slot) in arguments {
            let Some(value) = self.changed_value(slot, false)? else { return Ok(false) };
            (self.see)(Seen::Argument { function, pc, nth, value });
        }
        Ok(true)
    }

    /// Takes the value that the instruction at hand read from the log, if it is there. `false`: the log ends here.
    fn read(&mut self, inst: &Inst) -> Result<bool, Stop> {
        let program = self.program;
        let frame = self.top();
        let (function, pc) = (frame.function, frame.pc);
        let Some(keeping) = self.kinds.values[function.index()].as_ref().and_then(|kept| kept.get(&pc)).copied() else {
            return Ok(true);
        };
        let value = match keeping {
            Keeping::All(slot) => self.value(slot)?,
            Keeping::Changes(slot) => self.changed_value(slot, Stamp::is_on_load(inst))?,
            Keeping::Times(_) => {
                return match self.decide(1)? {
                    Answer::Nothing => Ok(false),
                    Answer::Way(0) => Ok(true),
                    Answer::Way(_) => self.stamp(),
                };
            }
        };
        let Some(value) = value else { return Ok(false) };
        (self.see)(Seen::Value { function, pc, value });
        self.top().values.learn(program.function(function), inst, value);
        Ok(true)
    }

    /// Takes a value from the log, or, if nothing has changed in its slot, what was there last. `None`: the log ends here.
    fn changed_value(&mut self, slot: u32, timed: bool) -> Result<Option<u64>, Stop> {
        match self.decide(1)? {
            Answer::Nothing => Ok(None),
            Answer::Way(0) => Ok(Some(self.last[slot as usize % SLOTS as usize])),
            Answer::Way(_) => {
                let value = self.value(slot)?;
                Ok(if timed && !self.stamp()? { None } else { value })
            }
        }
    }

    /// Takes a value from the log. `None`: the log ends here.
    fn value(&mut self, slot: u32) -> Result<Option<u64>, Stop> {
        let slot = slot as usize % SLOTS as usize;
        let value = self.next_value(self.last[slot])?;
        self.last[slot] = value.unwrap_or(self.last[slot]);
        Ok(value)
    }

    /// Takes the time of the instruction at hand from the log. `false`: the log ends here.
    fn stamp(&mut self) -> Result<bool, Stop> {
        if !self.recording.run.log.keeps_times() {
            return Ok(true);
        }
        let &mut Frame { function, pc, .. } = self.top();
        let Some(time) = self.next_value(self.time)? else { return Ok(false) };
        self.time = time;
        (self.see)(Seen::Time { function, pc, time });
        Ok(true)
    }

    /// The next of the values, which is written as its difference from this one.
    fn next_value(&mut self, before: u64) -> Result<Option<u64>, Stop> {
        match value_of(before, &self.thread.values[self.units..]) {
            Some((value, units)) => {
                self.units += units;
                self.values += 1;
                Ok(Some(value))
            }
            None if !self.has_ended() => Ok(None),
            None => Err(self.contradiction("the values end before the thread does")),
        }
    }

    fn go(&mut self, to: BlockId) -> Result<Step, Stop> {
        self.blocks += 1;
        self.since_decision += 1;
        if self.since_decision > MOST_BLOCKS_BETWEEN {
            return Err(self.contradiction("the path goes on for ever without a decision"));
        }
        let depth = self.frames.len();
        let program = self.program;
        let frame = self.top();
        let function = frame.function;
        let Some(block) = program.function(function).blocks.get(to.index()) else {
            return Err(self.contradiction("a branch leads nowhere"));
        };
        frame.pc = block.start;
        // Where a thread ended by itself, it is certain that the walk gets there.
        if !self.has_ended() && self.reader.is_at_end() && !self.seen.insert((depth, function, to)) {
            return Ok(Step::End(self.open_end()));
        }
        Ok(Step::On)
    }

    /// Whether the log says where the thread ended.
    fn has_ended(&self) -> bool {
        !matches!(self.thread.state, State::Running | State::Faulted) && !self.thread.cut
    }

    fn open_end(&self) -> PathEnd {
        match self.thread.cut {
            true => PathEnd::Cut,
            false => PathEnd::BeforeDecision(self.thread.state),
        }
    }

    /// The block at hand.
    fn block(&self) -> BlockId {
        let Some(frame) = self.frames.last() else { return BlockId(0) };
        let blocks = &self.program.function(frame.function).blocks;
        // In the order of their code.
        BlockId(blocks.partition_point(|block| block.end <= frame.pc) as u32)
    }

    /// Whether the decision at hand is not in the log.
    fn is_computed(&self) -> bool {
        let function = self.frames.last().map_or(self.program.start, |frame| frame.function);
        self.kinds.recomputed[function.index()].as_ref().is_some_and(|blocks| blocks.contains(&self.block()))
    }

    fn branch(&mut self, cond: &Operand, then: BlockId, other: BlockId) -> Result<Step, Stop> {
        if self.is_computed() {
            let value = self.compute(cond)?;
            return self.take(if value & 1 != 0 { then } else { other });
        }
        let known = self.top().values.get(cond);
        match self.decide(1)? {
            Answer::Way(way) => {
                self.disagreements += u64::from(known.is_some_and(|known| known & 1 != way));
                self.take(if way == 0 { other } else { then })
            }
            Answer::Nothing => Ok(Step::End(self.open_end())),
        }
    }

    fn switch(&mut self, value: &Operand, cases: &[(u64, BlockId)], default: BlockId) -> Result<Step, Stop> {
        if self.is_computed() {
            let value = self.compute(value)?;
            let to = cases.iter().find(|(case, _)| *case == value).map_or(default, |(_, to)| *to);
            return self.take(to);
        }
        let count = usize::BITS - cases.len().leading_zeros();
        if count == 0 {
            return self.take(default);
        }
        match self.decide(count)? {
            Answer::Way(0) => self.take(default),
            Answer::Way(nth) => match cases.get(nth as usize - 1) {
                Some((_, to)) => self.take(*to),
                None => Err(self.contradiction("a switch has fewer ways")),
            },
            Answer::Nothing => Ok(Step::End(self.open_end())),
        }
    }

    /// The decision at hand leads to `to`.
    fn take(&mut self, to: BlockId) -> Result<Step, Stop> {
        let frame = self.top();
        let decision = Decision { function: frame.function, pc: frame.pc, to };
        (self.see)(Seen::Decision(decision));
        self.go(to)
    }

    fn compute(&mut self, operand: &Operand) -> Result<u64, Stop> {
        self.recomputed += 1;
        match self.top().values.get(operand) {
            Some(value) => Ok(value),
            None => Err(self.contradiction("a decision that should follow from constants does not")),
        }
    }

    fn decide(&mut self, count: u32) -> Result<Answer, Stop> {
        let answer = self.reader.bits(count);
        self.answer(answer)
    }

    fn answer(&mut self, answer: Result<u64, NoBits>) -> Result<Answer, Stop> {
        match answer {
            Ok(way) => {
                self.recorded += 1;
                self.since_decision = 0;
                Ok(Answer::Way(way))
            }
            Err(NoBits::End) if self.has_ended() => Err(self.contradiction("the path ends before the thread does")),
            Err(NoBits::End) => Ok(Answer::Nothing),
            Err(NoBits::Damaged { .. }) => Err(self.contradiction("no decision is written so")),
        }
    }

    fn ret(&mut self) -> Result<Step, Stop> {
        self.frames.pop();
        if self.frames.is_empty() {
            return match self.thread.state {
                State::Returned => Ok(Step::End(PathEnd::Ended(State::Returned))),
                // It was on its way out.
                State::Running | State::Faulted => Ok(Step::End(self.open_end())),
                _ => Err(self.contradiction("the thread's function returns, which it did not")),
            };
        }
        self.next()
    }

    fn next(&mut self) -> Result<Step, Stop> {
        self.top().pc.0 += 1;
        Ok(Step::On)
    }

    fn call(&mut self, callee: &Callee, inst: &Inst) -> Result<Step, Stop> {
        if !self.given()? {
            return Ok(Step::End(self.open_end()));
        }
        match callee {
            Callee::Direct(function) => self.enter(*function),
            Callee::Indirect(_) => {
                let raw = self.reader.raw();
                match self.answer(raw)? {
                    Answer::Nothing => Ok(Step::End(self.open_end())),
                    Answer::Way(address) => match self.recording.function_at(address) {
                        Some(function) => self.enter(function),
                        None if !self.has_ended() && self.reader.is_at_end() => Ok(Step::End(self.open_end())),
                        None => {
                            let what = format!(
                                "a call of what is at address {address:#x}, which is no function of the program"
                            );
                            Err(self.stop(Reason::NotUnderstood(what)))
                        }
                    },
                }
            }
            Callee::Builtin(builtin) => self.builtin(*builtin, inst),
            Callee::Unknown(name) => self.unknown(*name),
        }
    }

    fn enter(&mut self, function: FuncId) -> Result<Step, Stop> {
        if self.kinds.noted[function.index()] {
            let stamp = Stamp::of_native(&self.program.function(function).name);
            let times = match stamp {
                None => 0,
                Some(Stamp::Before | Stamp::After) => 1,
                Some(Stamp::Both) => 2,
            };
            for _ in 0..times {
                if !self.stamp()? {
                    return Ok(Step::End(self.open_end()));
                }
            }
            if !self.entry(Tag::Native)? {
                return Ok(Step::End(self.open_end()));
            }
        }
        if self.kinds.native[function.index()] {
            return self.next();
        }
        self.push(function)?;
        Ok(Step::On)
    }

    /// A native function without a model ran; what it did is not known, but the path is.
    fn unknown(&mut self, name: NameId) -> Result<Step, Stop> {
        let name = &self.program.names[name.index()];
        if name.contains(' ') {
            return Err(self.stop(Reason::NotUnderstood(name.clone())));
        }
        self.take_from_outside(Tag::Native)
    }

    fn builtin(&mut self, builtin: Builtin, inst: &Inst) -> Result<Step, Stop> {
        let ends = match builtin {
            Builtin::Exit => Some(State::EndedProcess),
            Builtin::ExitNow => Some(State::EndedProcessNow),
            Builtin::Abort => Some(State::Aborted),
            Builtin::AssertFail => Some(State::AssertionFailed),
            Builtin::ReachError => Some(State::ReachedError),
            Builtin::Misuse => Some(State::Misused),
            Builtin::ThreadExit => Some(State::Exited),
            _ => None,
        };
        if let Some(state) = ends {
            return match self.thread.state {
                known if known == state => Ok(Step::End(PathEnd::Ended(state))),
                _ if !self.has_ended() => Ok(Step::End(self.open_end())),
                _ => Err(self.contradiction("the path ends the thread in another way than it ended")),
            };
        }
        if Stamp::of_builtin(builtin).is_some() && !self.stamp()? {
            return Ok(Step::End(self.open_end()));
        }
        match builtin {
            Builtin::SetJump => self.set_jump(),
            Builtin::LongJump => self.long_jump(),
            Builtin::Assume if self.thread.state == State::BrokeAssumption && self.is_over() => {
                Ok(Step::End(PathEnd::Ended(State::BrokeAssumption)))
            }
            Builtin::ThreadCreate => {
                self.created += 1;
                self.next()
            }
            Builtin::InputBytes | Builtin::InputValue => self.take_from_outside(Tag::Input),
            Builtin::System(SystemCall::ParseDouble | SystemCall::ParseFloat) => self.next(),
            Builtin::System(_) => self.take_from_outside(Tag::System),
            Builtin::MutexTryLock => self.take_from_outside(Tag::Native),
            Builtin::Malloc | Builtin::Calloc | Builtin::Realloc | Builtin::AlignedAlloc => match self.read(inst)? {
                true => self.next(),
                false => Ok(Step::End(self.open_end())),
            },
            _ => self.next(),
        }
    }

    /// Whether the log has nothing more to say.
    fn is_over(&self) -> bool {
        self.reader.is_at_end() && self.entries == self.thread.data.len()
    }

    fn take_from_outside(&mut self, tag: Tag) -> Result<Step, Stop> {
        match self.entry(tag)? {
            true => self.next(),
            false => Ok(Step::End(self.open_end())),
        }
    }

    /// Goes on to the next entry of the data. Whether there is one.
    fn entry(&mut self, tag: Tag) -> Result<bool, Stop> {
        match self.thread.data.get(self.entries) {
            Some(entry) if entry.tag == tag => {
                self.entries += 1;
                if let (Tag::Native, Ok(bytes)) = (tag, entry.bytes[..].try_into()) {
                    let &mut Frame { function, pc, .. } = self.top();
                    (self.see)(Seen::Result { function, pc, value: u64::from_le_bytes(bytes) });
                }
                Ok(true)
            }
            Some(entry) => {
                let why = format!("the path has an entry of kind {tag:?} where the data has {:?}", entry.tag);
                Err(self.contradiction(&why))
            }
            // Where the process ended in the call itself.
            None if !self.has_ended() => Ok(false),
            None => Err(self.contradiction("more comes from outside than there is data")),
        }
    }

    /// The arguments and the environment are there before the program is.
    fn skip_surroundings(&mut self) {
        let data = &self.thread.data;
        self.entries = data.iter().take_while(|e| matches!(e.tag, Tag::Arguments | Tag::Environment)).count();
    }

    fn set_jump(&mut self) -> Result<Step, Stop> {
        let raw = self.reader.raw();
        let Answer::Way(buffer) = self.answer(raw)? else { return Ok(Step::End(self.open_end())) };
        let frame = self.top();
        frame.jumps.retain(|(known, _)| *known != buffer);
        frame.jumps.push((buffer, frame.pc));
        self.next()
    }

    fn long_jump(&mut self) -> Result<Step, Stop> {
        let raw = self.reader.raw();
        let Answer::Way(buffer) = self.answer(raw)? else { return Ok(Step::End(self.open_end())) };
        let found = |frame: &Frame| frame.jumps.iter().find(|(known, _)| *known == buffer).map(|(_, pc)| *pc);
        while let Some(frame) = self.frames.last_mut() {
            if let Some(pc) = found(frame) {
                frame.pc = pc;
                return self.next();
            }
            if self.frames.len() == 1 {
                break;
            }
            self.frames.pop();
        }
        Err(self.contradiction("a jump back to where no function is any more"))
    }

    fn stop(&self, why: Reason) -> Stop {
        Stop { why, word: self.reader.word(), place: self.frames.last().map(|frame| (frame.function, frame.pc)) }
    }

    fn contradiction(&self, why: &str) -> Stop {
        self.stop(Reason::Contradiction(why.to_owned()))
    }
}
