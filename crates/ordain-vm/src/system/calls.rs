//! System calls as the machine executes them: arguments from registers and memory, results back.

use super::errno::{Answer, Errno};
use super::files::{At, Reading, Written};
use super::paths::Place;
use super::tree::Time;
use crate::builtins::Call;
use crate::log::{Action, Extent, Touched};
use crate::points::drain;
use crate::stop::Stop;
use ordain_ir::program::{SystemCall, Writes};
use std::rc::Rc;

/// Tells the model of a library function to ask again: there is nothing yet. No program sees it.
const ASK_AGAIN: Errno = Errno(512);
/// A path that is longer is refused, as by the kernel.
const LONGEST_PATH: usize = 4096;
/// No more is read or written at once, as in the kernel.
const MOST_BYTES: u64 = 0x7fff_f000;

/// What a call will touch, given its arguments, and how much it will write, if that was recorded.
pub(crate) fn touched(call: SystemCall, argument: impl Fn(usize) -> Option<u64>, written: Option<u64>) -> Touched {
    let extent = |address: usize, bytes: Option<u64>| {
        let extent = Extent { address: argument(address)?, bytes: bytes? };
        Some(extent).filter(|extent| extent.bytes > 0)
    };
    let read = match call {
        SystemCall::Write | SystemCall::WriteAt => extent(1, argument(2).map(|size| size.min(MOST_BYTES))),
        _ => None,
    };
    Touched { read, written: call.writes().and_then(|writes| extent(writes.argument, written)) }
}

impl Call<'_, '_> {
    pub(crate) fn system(&mut self, call: SystemCall) -> Result<(), Stop> {
        drain(self.world, self.thread);
        let recorded = self.world.inputs.answers.are_recorded() && !call.is_computed();
        let known = self.world.next_answer(self.thread).filter(|_| recorded).map(|answer| answer.bytes.len() as u64);
        let touched = touched(call, |n| Some(self.argument(n).0), known);
        let answer = if recorded { self.repeat(call)? } else { self.perform(call)? };
        if !recorded && !call.is_computed() {
            self.keep(call, answer)?;
        }
        // A thread that only waits for a pipe goes in circles, and that is how the machine knows that it waits.
        if answer != Err(ASK_AGAIN) {
            self.thread.arrivals.forget();
            // What the system is like follows from that, unless it is not asked.
            if !recorded {
                let asked = (call, self.thread.id, self.thread.points);
                self.system_mut().remember(asked);
            }
            self.world.note_change(self.thread);
        }
        let result = match answer {
            Ok(value) => value as i64,
            Err(Errno(number)) => -(number as i64),
        };
        self.world.record(self.thread, || Action::System { call, result, touched });
        self.result(result as u64, 0);
        Ok(())
    }

    /// Keeps the answer, if anybody wants to know. How often a thread asks in vain is no part of what it is told.
    fn keep(&mut self, call: SystemCall, answer: Answer<u64>) -> Result<(), Stop> {
        if answer == Err(ASK_AGAIN) {
            self.world.answered = None;
        }
        if self.world.answered.is_none() {
            return Ok(());
        }
        let written = call.writes().and_then(|writes| Some((writes.argument, writes.amount.given(answer.ok()?))));
        let bytes = match written {
            Some((argument, size)) => self.read_bytes(self.value(argument)?, size)?,
            None => Vec::new(),
        };
        let result = answer.map_or_else(|Errno(number)| -i64::from(number), |value| value as i64);
        if let Some(answered) = &mut self.world.answered {
            let answer = ordain_model::answers::Answer { result, bytes };
            answered.entry(self.thread.name.clone()).or_default().push(answer);
        }
        Ok(())
    }

    /// Answers as it was answered when the run was recorded; nothing outside of the machine has a part in it.
    fn repeat(&mut self, call: SystemCall) -> Result<Answer<u64>, Stop> {
        self.look_at_arguments(call)?;
        let Some(answer) = self.world.next_answer(self.thread) else {
            return Err(Stop::Unsupported(format!("a call of {} that was not recorded", call.name())));
        };
        let (result, bytes) = (answer.result, answer.bytes.clone());
        self.thread.answers += 1;
        if let Some(Writes { argument, .. }) = call.writes() {
            self.give(self.value(argument)?, &bytes)?;
        }
        Ok(u64::try_from(result).map_err(|_| Errno(result.unsigned_abs() as i32)))
    }

    /// What a call would look at, it must be able to see. What it writes to the outside is the program's output.
    fn look_at_arguments(&mut self, call: SystemCall) -> Result<(), Stop> {
        use SystemCall::*;
        match call {
            Open | Status | Unlink | MakeDirectory | ChangeMode | Access | ReadLink => drop(self.place(0)?),
            Rename => drop((self.place(0)?, self.place(2)?)),
            SetTimes => drop((self.place(0)?, self.times(self.value(2)?)?)),
            ChangeDirectory => drop(self.path(0)?),
            Write | WriteAt => {
                let bytes = self.read_bytes(self.value(1)?, self.value(2)?.min(MOST_BYTES))?;
                self.show(self.value(0)?, &bytes);
            }
            _ => {}
        }
        Ok(())
    }

    /// What goes to standard output and standard error, as far as it is known to be these.
    fn show(&mut self, fd: u64, bytes: &[u8]) {
        match fd {
            1 => self.world.output.extend(bytes),
            2 => self.world.errors.extend(bytes),
            _ => {}
        }
    }

    fn system_mut(&mut self) -> &mut super::System {
        Rc::make_mut(&mut self.world.system)
    }

    fn value(&self, n: usize) -> Result<u64, Stop> {
        self.pointer(n, "an argument of a system call")
    }

    fn number(&self, n: usize) -> Result<i32, Stop> {
        Ok(self.value(n)? as i32)
    }

    /// The outer result is about the program's memory, the inner one is what the program is told.
    fn perform(&mut self, call: SystemCall) -> Result<Answer<u64>, Stop> {
        use SystemCall::*;
        match call {
            Open | Status | Unlink | Rename | MakeDirectory | ChangeMode | SetTimes | Access | ReadLink => {
                self.named(call)
            }
            Read => self.read(At::Current),
            ReadAt => self.read(At::Offset(self.value(3)?)),
            Write => self.write_out(At::Current),
            WriteAt => self.write_out(At::Offset(self.value(3)?)),
            NextEntry => {
                let (fd, to) = (self.value(0)?, self.value(1)?);
                match self.system_mut().next_entry(fd) {
                    Ok(Some(entry)) => self.give(to, &entry).map(|_| Ok(1)),
                    Ok(None) => Ok(Ok(0)),
                    Err(error) => Ok(Err(error)),
                }
            }
            Pipe => match self.system_mut().pipe() {
                Ok(ends) => {
                    let bytes: Vec<u8> = ends.iter().flat_map(|fd| (*fd as u32).to_le_bytes()).collect();
                    self.give(self.value(0)?, &bytes)?;
                    Ok(Ok(0))
                }
                Err(error) => Ok(Err(error)),
            },
            WorkingDirectory => {
                let (to, size) = (self.value(0)?, self.value(1)? as usize);
                let path = self.system_mut().current_directory(size);
                self.give_result(to, path)
            }
            ChangeDirectory => match self.path(0)? {
                Ok(Some(path)) => Ok(self.system_mut().change_directory(path)),
                Ok(None) => Ok(Err(Errno::INVALID)),
                Err(error) => Ok(Err(error)),
            },
            Random => {
                let (to, size) = (self.value(0)?, self.value(1)?.min(MOST_BYTES) as usize);
                let bytes = self.system_mut().random_bytes(size);
                self.give_result(to, Ok(bytes))
            }
            ParseDouble => self.parse(|text| text.parse::<f64>().map(f64::to_bits).ok()),
            ParseFloat => self.parse(|text| text.parse::<f32>().map(|f| f.to_bits() as u64).ok()),
            Close | Seek | Truncate | Duplicate | DuplicateTo | Flags | SetFlags | Clock => self.plain(call),
        }
    }

    /// Calls that touch no memory.
    fn plain(&mut self, call: SystemCall) -> Result<Answer<u64>, Stop> {
        let argument = |n: usize| if n < call.arguments() { self.value(n) } else { Ok(0) };
        let (a, b, c) = (argument(0)?, argument(1)?, argument(2)?);
        let system = self.system_mut();
        Ok(match call {
            SystemCall::Close => system.close(a),
            SystemCall::Seek => system.seek(a, b as i64, c as i32),
            SystemCall::Truncate => system.truncate(a, b as i64),
            SystemCall::Duplicate => system.duplicate(a, b),
            SystemCall::DuplicateTo => system.duplicate_to(a, b),
            SystemCall::Flags => system.flags(a),
            SystemCall::SetFlags => system.set_flags(a, b as i32),
            SystemCall::Clock => Ok(system.look_at_clock()),
            _ => unreachable!("{call:?} is dealt with elsewhere"),
        })
    }

    /// Calls on a path relative to a directory, which are their first two arguments.
    fn named(&mut self, call: SystemCall) -> Result<Answer<u64>, Stop> {
        let place = match self.place(0)? {
            Ok(place) => place,
            Err(error) => return Ok(Err(error)),
        };
        let third = if call == SystemCall::Rename { 0 } else { self.value(2)? };
        Ok(match call {
            SystemCall::Open => {
                let mode = self.number(3)? as u32;
                self.system_mut().open(&place, third as i32, mode)
            }
            SystemCall::Status => {
                let flags = self.number(3)?;
                match self.system_mut().status(&place, flags) {
                    Ok(bytes) => self.give(third, &bytes).map(|_| Ok(0))?,
                    Err(error) => Err(error),
                }
            }
            SystemCall::Unlink => self.system_mut().unlink(&place, third as i32),
            SystemCall::Rename => match self.place(2)? {
                Ok(to) => self.system_mut().rename(&place, &to),
                Err(error) => Err(error),
            },
            SystemCall::MakeDirectory => self.system_mut().make_directory(&place, third as u32),
            SystemCall::ChangeMode => self.system_mut().change_mode(&place, third as u32),
            SystemCall::SetTimes => {
                let (times, flags) = (self.times(third)?, self.number(3)?);
                self.system_mut().set_times(&place, times, flags)
            }
            SystemCall::Access => self.system_mut().access(&place, third as i32),
            SystemCall::ReadLink => {
                let size = self.value(3)? as usize;
                let target = self.system_mut().read_link(&place).map(|mut target| {
                    target.truncate(size);
                    target
                });
                self.give_result(third, target)?
            }
            _ => unreachable!("{call:?} is dealt with elsewhere"),
        })
    }

    fn read(&mut self, at: At) -> Result<Answer<u64>, Stop> {
        let (fd, to, size) = (self.value(0)?, self.value(1)?, self.value(2)?.min(MOST_BYTES));
        match self.system_mut().read(fd, size as usize, at) {
            Ok(Reading::Bytes(bytes)) => self.give_result(to, Ok(bytes)),
            Ok(Reading::Waits) => Ok(Err(ASK_AGAIN)),
            Err(error) => Ok(Err(error)),
        }
    }

    fn write_out(&mut self, at: At) -> Result<Answer<u64>, Stop> {
        let (fd, from, size) = (self.value(0)?, self.value(1)?, self.value(2)?.min(MOST_BYTES));
        let bytes = self.read_bytes(from, size)?;
        Ok(self.write_to(fd, &bytes, at))
    }

    /// Writes to an open file; what is for the outside goes to the output of the machine.
    fn write_to(&mut self, fd: u64, bytes: &[u8], at: At) -> Answer<u64> {
        match self.system_mut().write(fd, bytes, at)? {
            Written::Kept => {}
            Written::Output => self.world.output.extend(bytes),
            Written::Errors => self.world.errors.extend(bytes),
        }
        Ok(bytes.len() as u64)
    }

    /// Writes a text to an open file, for `printf` and the like.
    pub(crate) fn print_to(&mut self, fd: u64, text: &[u8]) -> Result<u64, i32> {
        if self.world.inputs.answers.are_recorded() {
            self.show(fd, text);
            return Ok(text.len() as u64);
        }
        self.write_to(fd, text, At::Current).map_err(|Errno(number)| number)
    }

    fn place(&self, n: usize) -> Result<Answer<Place>, Stop> {
        let directory = self.number(n)?;
        Ok(self.path(n + 1)?.map(|path| Place { directory, path }))
    }

    fn path(&self, n: usize) -> Result<Answer<Option<Vec<u8>>>, Stop> {
        let address = self.value(n)?;
        if address == 0 {
            return Ok(Ok(None));
        }
        let path = self.world.text(self.thread, address, LONGEST_PATH)?;
        Ok(if path.len() >= LONGEST_PATH { Err(Errno::NAME_TOO_LONG) } else { Ok(Some(path)) })
    }

    /// The number that a text of the program stands for.
    fn parse(&mut self, parse: impl Fn(&str) -> Option<u64>) -> Result<Answer<u64>, Stop> {
        let text = self.world.text(self.thread, self.value(0)?, usize::MAX)?;
        let number = std::str::from_utf8(&text).ok().and_then(parse);
        number.map(Ok).ok_or_else(|| Stop::Unsupported("a text that is no number".to_owned()))
    }

    /// Two times from memory, unless the address is null.
    fn times(&mut self, address: u64) -> Result<Option<[Time; 2]>, Stop> {
        if address == 0 {
            return Ok(None);
        }
        let bytes = self.read_bytes(address, 32)?;
        let word = |n: usize| bytes[8 * n..8 * n + 8].iter().rev().fold(0, |word, byte| word << 8 | *byte as i64);
        let time = |n: usize| Time { seconds: word(n), nanoseconds: word(n + 1) };
        Ok(Some([time(0), time(2)]))
    }

    /// Writes `bytes` to the program's memory.
    fn give(&mut self, to: u64, bytes: &[u8]) -> Result<(), Stop> {
        if bytes.is_empty() { Ok(()) } else { self.write(to, bytes) }
    }

    /// Writes what there is to the program's memory; the answer is how much that was.
    fn give_result(&mut self, to: u64, bytes: Answer<Vec<u8>>) -> Result<Answer<u64>, Stop> {
        match bytes {
            Ok(bytes) => self.give(to, &bytes).map(|()| Ok(bytes.len() as u64)),
            Err(error) => Ok(Err(error)),
        }
    }
}
