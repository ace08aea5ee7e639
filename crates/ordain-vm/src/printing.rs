//! The `printf` family as builtins: where values come from and where the text goes.

use crate::builtins::{Call, MALLOC_ALIGN_BYTES, STANDARD_OUTPUT};
use crate::format::{self, Arguments, Class, Given, Printed, Value};
use crate::log::Action;
use crate::stop::Stop;
use crate::thread::Thread;
use crate::world::World;
use ordain_ir::program::{Formatter, Sink};
use ordain_model::failure::FailureKind;

/// Where a `FILE` has its descriptor.
const FILE_DESCRIPTOR_OFFSET: u64 = 112;
/// The first member of a `FILE` are flags; this one says that something failed.
const FILE_FAILED: u8 = 0x20;
/// What the functions return when they fail.
const FAILED: u64 = u64::MAX;

impl Call<'_, '_> {
    pub(crate) fn format(&mut self, formatter: Formatter) -> Result<(), Stop> {
        let at = formatter.format_at();
        let template = self.pointer(at, "a format text")?;
        let template = self.world.text(self.thread, template, usize::MAX)?;
        let printed = match formatter.list {
            true => {
                let list = self.pointer(at + 1, "a list of arguments")?;
                let mut values = List::new(self.world, self.thread, list)?;
                self.print(&template, &mut values)?
            }
            false => {
                let values: Vec<_> = (at + 1..self.args.len()).map(|n| self.argument(n)).collect();
                self.print(&template, &mut Given(values.iter()))?
            }
        };
        for count in &printed.counts {
            let bytes = count.value.to_le_bytes();
            self.write(count.address, &bytes[..count.bytes as usize])?;
        }
        let result = self.deliver(formatter, printed.text)?;
        self.result(result, 0);
        Ok(())
    }

    fn print(&self, template: &[u8], values: &mut dyn Arguments) -> Result<Printed, Stop> {
        format::print(template, values, &|address, limit| self.world.text(self.thread, address, limit))
    }

    fn deliver(&mut self, formatter: Formatter, text: Vec<u8>) -> Result<u64, Stop> {
        let length = text.len() as u64;
        let written = match formatter.sink {
            Sink::StandardOutput => self.emit(STANDARD_OUTPUT, text),
            Sink::Descriptor => {
                let fd = self.pointer(0, "a file descriptor")?;
                self.emit(fd, text)
            }
            Sink::Stream => {
                let stream = self.pointer(0, "an output stream")?;
                let fd = self.descriptor(stream)?;
                let written = self.emit(fd, text);
                if written.is_err() {
                    self.mark_failed(stream)?;
                }
                written
            }
            Sink::Text => return self.put(text, None, formatter.fortified.then_some(2)).map(|()| length),
            Sink::BoundedText => {
                let room = self.pointer(1, "the size of a buffer")?;
                return self.put(text, Some(room), formatter.fortified.then_some(3)).map(|()| length);
            }
            Sink::NewText => return self.put_into_new(text).map(|()| length),
        };
        Ok(if written.is_ok() { length } else { FAILED })
    }

    /// The descriptor of a stream: `_fileno` of `FILE`.
    fn descriptor(&mut self, stream: u64) -> Result<u64, Stop> {
        let bytes = self.read_bytes(stream.wrapping_add(FILE_DESCRIPTOR_OFFSET), 4)?;
        Ok(bytes.iter().rev().fold(0, |word, byte| word << 8 | *byte as u64))
    }

    /// So that `ferror` tells.
    fn mark_failed(&mut self, stream: u64) -> Result<(), Stop> {
        let mut flags = self.read_bytes(stream, 4)?;
        flags[0] |= FILE_FAILED;
        self.write(stream, &flags)
    }

    /// Writes the text with its end to memory, as far as there is room.
    fn put(&mut self, mut text: Vec<u8>, room: Option<u64>, object_size: Option<usize>) -> Result<(), Stop> {
        let to = self.pointer(0, "where a text goes")?;
        if room == Some(0) {
            return Ok(());
        }
        text.truncate(room.map_or(usize::MAX, |room| room as usize - 1));
        text.push(0);
        if let Some(n) = object_size
            && self.pointer(n, "the size of an object")? < room.unwrap_or(text.len() as u64)
        {
            return Err(Stop::Failure(FailureKind::Abort, "a text is longer than the buffer it is for".to_owned()));
        }
        self.write(to, &text)
    }

    fn put_into_new(&mut self, mut text: Vec<u8>) -> Result<(), Stop> {
        let to = self.pointer(0, "where a text goes")?;
        text.push(0);
        let base = self.new_object(text.len() as u64, MALLOC_ALIGN_BYTES, false)?;
        let size = text.len() as u64;
        self.world.record(self.thread, || Action::Allocate { base, size, from: None });
        self.write(base, &text)?;
        self.write(to, &base.to_le_bytes())
    }
}

/// A `va_list` (x86-64): what is left of the registers that were saved, then what was passed on the stack.
struct List<'a, 'p> {
    world: &'a World<'p>,
    thread: &'a Thread,
    words: u64,
    floats: u64,
    stack: u64,
    saved: u64,
}

/// Where the saved registers for words end, and those for floating-point numbers.
const END_OF_WORDS: u64 = 48;
const END_OF_FLOATS: u64 = 176;

impl<'a, 'p> List<'a, 'p> {
    fn new(world: &'a World<'p>, thread: &'a Thread, at: u64) -> Result<Self, Stop> {
        let mut list = List { world, thread, words: 0, floats: 0, stack: 0, saved: 0 };
        list.words = list.load(at, 4)?;
        list.floats = list.load(at + 4, 4)?;
        list.stack = list.load(at + 8, 8)?;
        list.saved = list.load(at + 16, 8)?;
        Ok(list)
    }

    fn load(&self, address: u64, size: u64) -> Result<u64, Stop> {
        let mut value = 0;
        for at in (address..address + size).rev() {
            let loaded = self.world.memory.byte(at);
            let (byte, undefined) = loaded.map_err(|_| self.world.access_failure("read", at, 1))?;
            let (byte, undefined) = self.thread.buffer.forward(at, 1, byte as u64, undefined as u8);
            if undefined != 0 {
                return Err(Stop::uninitialised("a value that is printed"));
            }
            value = value << 8 | byte;
        }
        Ok(value)
    }

    fn on_stack(&mut self, size: u64) -> u64 {
        let at = self.stack.next_multiple_of(size);
        self.stack = at + size;
        at
    }
}

impl Arguments for List<'_, '_> {
    fn next(&mut self, class: Class) -> Result<Value, Stop> {
        let (at, size) = match class {
            Class::Word if self.words < END_OF_WORDS => {
                self.words += 8;
                (self.saved + self.words - 8, 8)
            }
            Class::Double if self.floats < END_OF_FLOATS => {
                self.floats += 16;
                (self.saved + self.floats - 16, 8)
            }
            Class::Word | Class::Double => (self.on_stack(8), 8),
            Class::Extended => (self.on_stack(16), 16),
        };
        // An `int` may leave the other half of its place undefined.
        let low = match class {
            Class::Word => self.load(at + 4, 4).unwrap_or(0) << 32 | self.load(at, 4)?,
            _ => self.load(at, 8)?,
        };
        let high = if size == 16 { self.load(at + 8, 2)? as u16 } else { 0 };
        Ok(Value { low, high })
    }
}
