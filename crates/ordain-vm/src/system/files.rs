//! System calls on open files.

use super::errno::{Answer, Errno};
use super::layout::Entry;
use super::tree::{Device, Kind, NodeId};
use super::{System, layout};
use std::rc::Rc;

pub(super) const READ_ONLY: i32 = 0;
pub(super) const WRITE_ONLY: i32 = 1;
const READ_AND_WRITE: i32 = 2;
pub(super) const ACCESS_MODE: i32 = 3;
const APPEND: i32 = 0o2000;
const NONBLOCKING: i32 = 0o4000;
/// What `fcntl` may change.
const CHANGEABLE: i32 = APPEND | NONBLOCKING;

const MOST_DESCRIPTORS: usize = 1024;
/// A file that outgrows this is taken for an accident.
const LARGEST_FILE: u64 = 1 << 32;
const PIPE_BYTES: usize = 1 << 16;

/// What several descriptors may share: a file, and where one is in it.
#[derive(Clone, Debug)]
pub(super) struct OpenFile {
    pub node: NodeId,
    pub offset: u64,
    pub flags: i32,
    /// How many descriptors there are.
    references: u32,
    /// What a directory had in it when it was first asked for.
    listing: Option<Rc<[Entry]>>,
}

impl OpenFile {
    pub(super) fn new(node: NodeId, flags: i32) -> Self {
        OpenFile { node, offset: 0, flags, references: 1, listing: None }
    }

    fn readable(&self) -> bool {
        self.flags & ACCESS_MODE != WRITE_ONLY
    }

    fn writable(&self) -> bool {
        matches!(self.flags & ACCESS_MODE, WRITE_ONLY | READ_AND_WRITE)
    }
}

/// Where in a file something is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// Where the last one ended.
    Current,
    Offset(u64),
}

/// What became of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    Kept,
    /// It is for whoever started the program.
    Output,
    Errors,
}

/// What became of a read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Bytes(Vec<u8>),
    /// Of a pipe that is empty and may be filled.
    Waits,
}

impl System {
    /// A number for an open file: the smallest that is free, `least` or above.
    pub(super) fn describe(&mut self, file: usize, least: usize) -> Answer<u64> {
        let free = (least..self.descriptors.len()).find(|&n| self.descriptors[n].is_none());
        let number = free.unwrap_or(self.descriptors.len().max(least));
        if number >= MOST_DESCRIPTORS {
            return Err(if least >= MOST_DESCRIPTORS { Errno::INVALID } else { Errno::TOO_MANY_FILES });
        }
        if number >= self.descriptors.len() {
            self.descriptors.resize(number + 1, None);
        }
        self.descriptors[number] = Some(file);
        Ok(number as u64)
    }

    pub(super) fn add_open(&mut self, file: OpenFile) -> Answer<u64> {
        self.open.push(file);
        self.describe(self.open.len() - 1, 0)
    }

    pub(super) fn close(&mut self, fd: u64) -> Answer<u64> {
        let file = self.file(fd)?;
        self.descriptors[fd as i32 as usize] = None;
        self.open[file].references -= 1;
        Ok(0)
    }

    pub(super) fn duplicate(&mut self, fd: u64, least: u64) -> Answer<u64> {
        let file = self.file(fd)?;
        let least = usize::try_from(least as i32).map_err(|_| Errno::INVALID)?;
        let number = self.describe(file, least)?;
        self.open[file].references += 1;
        Ok(number)
    }

    pub(super) fn duplicate_to(&mut self, fd: u64, to: u64) -> Answer<u64> {
        let file = self.file(fd)?;
        let number = usize::try_from(to as i32).ok().filter(|n| *n < MOST_DESCRIPTORS).ok_or(Errno::BAD_DESCRIPTOR)?;
        if fd as i32 == to as i32 {
            return Ok(to);
        }
        if self.file(to).is_ok() {
            self.close(to)?;
        }
        if number >= self.descriptors.len() {
            self.descriptors.resize(number + 1, None);
        }
        self.descriptors[number] = Some(file);
        self.open[file].references += 1;
        Ok(number as u64)
    }

    pub(super) fn pipe(&mut self) -> Answer<[u64; 2]> {
        let kind = Kind::Pipe(std::collections::VecDeque::new());
        let mut node = super::tree::Node::new(kind, super::Access::Write, 0o600);
        (node.accessed, node.modified) = (self.now(), self.now());
        let node = self.tree.add(node);
        let ends = [self.add_open(OpenFile::new(node, READ_ONLY))?, self.add_open(OpenFile::new(node, WRITE_ONLY))?];
        Ok(ends)
    }

    pub(super) fn flags(&self, fd: u64) -> Answer<u64> {
        Ok(self.open[self.file(fd)?].flags as u64)
    }

    pub(super) fn set_flags(&mut self, fd: u64, flags: i32) -> Answer<u64> {
        let file = self.file(fd)?;
        let file = &mut self.open[file];
        file.flags = file.flags & !CHANGEABLE | flags & CHANGEABLE;
        Ok(0)
    }

    pub(super) fn read(&mut self, fd: u64, size: usize, at: At) -> Answer<Reading> {
        let file = self.file(fd)?;
        let OpenFile { node, offset, .. } = self.open[file];
        if !self.open[file].readable() {
            return Err(Errno::BAD_DESCRIPTOR);
        }
        let start = match at {
            At::Current => offset,
            At::Offset(offset) => offset,
        };
        let bytes = match &mut self.tree.node_mut(node).kind {
            Kind::Directory(_) => return Err(Errno::IS_DIRECTORY),
            Kind::Pipe(_) if at != At::Current => return Err(Errno::ILLEGAL_SEEK),
            Kind::Pipe(held) if held.is_empty() && size > 0 => return self.empty_pipe(file),
            Kind::Pipe(held) => {
                let count = size.min(held.len());
                held.drain(..count).collect()
            }
            Kind::Device(Device::Input) if at != At::Current => return Err(Errno::ILLEGAL_SEEK),
            Kind::Device(Device::Input) => self.input.read(start as usize, size),
            Kind::Device(Device::Zero) => vec![0; size],
            Kind::Device(Device::Random) => self.random_bytes(size),
            Kind::Device(_) => Vec::new(),
            Kind::File(_) | Kind::Link(_) => {
                let bytes = self.tree.bytes(node)?;
                let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
                bytes[start..bytes.len().min(start.saturating_add(size))].to_vec()
            }
        };
        if at == At::Current {
            self.open[file].offset += bytes.len() as u64;
        }
        Ok(Reading::Bytes(bytes))
    }

    /// Whether there is anything left to wait for.
    fn empty_pipe(&self, file: usize) -> Answer<Reading> {
        let OpenFile { node, flags, .. } = self.open[file];
        let has_writer = self.open.iter().any(|f| f.node == node && f.writable() && f.references > 0);
        match has_writer {
            false => Ok(Reading::Bytes(Vec::new())),
            true if flags & NONBLOCKING != 0 => Err(Errno::AGAIN),
            true => Ok(Reading::Waits),
        }
    }

    pub(super) fn write(&mut self, fd: u64, bytes: &[u8], at: At) -> Answer<Written> {
        let file = self.file(fd)?;
        let OpenFile { node, offset, flags, .. } = self.open[file];
        if !self.open[file].writable() {
            return Err(Errno::BAD_DESCRIPTOR);
        }
        let has_reader = self.open.iter().any(|f| f.node == node && f.readable() && f.references > 0);
        match &mut self.tree.node_mut(node).kind {
            Kind::Directory(_) | Kind::Link(_) => return Err(Errno::BAD_DESCRIPTOR),
            Kind::Pipe(_) | Kind::Device(Device::Output | Device::Errors) if at != At::Current => {
                return Err(Errno::ILLEGAL_SEEK);
            }
            Kind::Device(Device::Output) => return Ok(Written::Output),
            Kind::Device(Device::Errors) => return Ok(Written::Errors),
            Kind::Device(_) => return Ok(Written::Kept),
            Kind::Pipe(_) if !has_reader => return Err(Errno::BROKEN_PIPE),
            Kind::Pipe(held) if held.len() + bytes.len() > PIPE_BYTES => return Err(Errno::AGAIN),
            Kind::Pipe(held) => {
                held.extend(bytes);
                return Ok(Written::Kept);
            }
            Kind::File(_) => {}
        }
        let size = self.tree.node(node).size();
        let start = match at {
            At::Current if flags & APPEND != 0 => size,
            At::Current => offset,
            At::Offset(offset) => offset,
        };
        let end = start.checked_add(bytes.len() as u64).filter(|end| *end <= LARGEST_FILE).ok_or(Errno::TOO_LARGE)?;
        let kept = Rc::make_mut(self.tree.bytes(node)?);
        if kept.len() < end as usize {
            kept.resize(end as usize, 0);
        }
        kept[start as usize..end as usize].copy_from_slice(bytes);
        self.touch(node);
        if at == At::Current {
            self.open[file].offset = end;
        }
        Ok(Written::Kept)
    }

    /// A file was changed just now.
    fn touch(&mut self, node: NodeId) {
        let now = self.now();
        let node = self.tree.node_mut(node);
        (node.modified, node.changed) = (now, true);
    }

    pub(super) fn seek(&mut self, fd: u64, offset: i64, whence: i32) -> Answer<u64> {
        let file = self.file(fd)?;
        let OpenFile { node, offset: current, .. } = self.open[file];
        if matches!(
            self.tree.node(node).kind,
            Kind::Pipe(_) | Kind::Device(Device::Input | Device::Output | Device::Errors)
        ) {
            return Err(Errno::ILLEGAL_SEEK);
        }
        let base = match whence {
            0 => 0,
            1 => current as i64,
            2 => self.tree.node(node).size() as i64,
            _ => return Err(Errno::INVALID),
        };
        let to = base.checked_add(offset).and_then(|to| u64::try_from(to).ok()).ok_or(Errno::INVALID)?;
        self.open[file].offset = to;
        // Going back to its start is how a directory is read again.
        self.open[file].listing = None;
        Ok(to)
    }

    pub(super) fn truncate(&mut self, fd: u64, size: i64) -> Answer<u64> {
        let file = self.file(fd)?;
        let node = self.open[file].node;
        let size = u64::try_from(size).map_err(|_| Errno::INVALID)?;
        if !self.open[file].writable() || !matches!(self.tree.node(node).kind, Kind::File(_)) {
            return Err(Errno::INVALID);
        }
        if size > LARGEST_FILE {
            return Err(Errno::TOO_LARGE);
        }
        self.resize(node, size)?;
        Ok(0)
    }

    pub(super) fn resize(&mut self, node: NodeId, size: u64) -> Answer<()> {
        Rc::make_mut(self.tree.bytes(node)?).resize(size as usize, 0);
        self.touch(node);
        Ok(())
    }

    /// The next entry of a directory, as the program's `struct dirent` has it.
    pub(super) fn next_entry(&mut self, fd: u64) -> Answer<Option<Vec<u8>>> {
        let file = self.file(fd)?;
        let node = self.open[file].node;
        let listing = match &self.open[file].listing {
            Some(listing) => listing.clone(),
            None => {
                let listing: Rc<[Entry]> = self.list(node)?.into();
                self.open[file].listing = Some(listing.clone());
                listing
            }
        };
        let nth = self.open[file].offset;
        let entry = listing.get(nth as usize);
        self.open[file].offset += entry.is_some() as u64;
        Ok(entry.map(|entry| layout::dirent(entry, nth + 1)))
    }

    fn list(&mut self, id: NodeId) -> Answer<Vec<Entry>> {
        self.tree.look_into(id)?;
        let directory = self.tree.directory(id)?;
        let mut entries = vec![Entry::directory(b".", id), Entry::directory(b"..", directory.parent)];
        entries.extend(directory.entries.iter().map(|(name, node)| Entry::of(name, *node, self.tree.node(*node))));
        Ok(entries)
    }
}
