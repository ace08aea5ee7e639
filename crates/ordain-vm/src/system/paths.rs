//! System calls on names of files.

use super::errno::{Answer, Errno};
use super::files::{ACCESS_MODE, OpenFile, READ_ONLY};
use super::grants::Access;
use super::tree::{Contents, Found, Kind, Name, Node, NodeId, PERMISSIONS, Time, host_name};
use super::{System, layout};
use std::path::PathBuf;
use std::rc::Rc;

const CREATE: i32 = 0o100;
const EXCLUSIVE: i32 = 0o200;
const TRUNCATE: i32 = 0o1000;
const MUST_BE_DIRECTORY: i32 = 0o200000;
const NO_FOLLOW: i32 = 0o400000;
/// O_TMPFILE, without the bit of O_DIRECTORY.
const UNNAMED: i32 = 0o20000000;

const AT_CURRENT_DIRECTORY: i32 = -100;
const AT_NO_FOLLOW: i32 = 0x100;
const AT_REMOVE_DIRECTORY: i32 = 0x200;
const WANTS_WRITE: i32 = 2;
/// Of `utimensat`: leave a time as it is, or set it to the present.
const TIME_OMIT: i64 = (1 << 30) - 2;
const TIME_NOW: i64 = (1 << 30) - 1;

/// A path, and the directory that it starts from if it is relative. Without a path: that file itself.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub directory: i32,
    pub path: Option<Name>,
}

impl System {
    fn start(&self, directory: i32) -> Answer<NodeId> {
        match directory {
            AT_CURRENT_DIRECTORY => Ok(self.working_directory),
            fd => Ok(self.open[self.file(fd as u64)?].node),
        }
    }

    /// What a path leads to, or nothing yet. A refusal is remembered, since it is not the program's fault.
    fn look_up(&mut self, place: &Place, follow: bool) -> Answer<Found> {
        let path = place.path.as_deref().ok_or(Errno::INVALID)?;
        let start = if path.starts_with(b"/") { super::ROOT } else { self.start(place.directory)? };
        let found = self.tree.find(start, path, follow);
        if matches!(found, Err(Errno::ACCESS)) {
            self.refuse(start, path);
        }
        found
    }

    fn refuse(&mut self, start: NodeId, path: &[u8]) {
        let mut whole = PathBuf::from(host_name(&self.tree.path_of(start)));
        whole.push(host_name(path));
        self.refused.insert(whole);
    }

    fn existing(&mut self, place: &Place, follow: bool) -> Answer<NodeId> {
        match place.path {
            Some(_) => self.look_up(place, follow)?.node.ok_or(Errno::NO_ENTRY),
            None => self.start(place.directory),
        }
    }

    /// Fails unless the program may change the file or directory.
    fn check_writable(&mut self, node: NodeId, place: &Place) -> Answer<()> {
        if self.tree.node(node).access == Access::Write {
            return Ok(());
        }
        if let (Some(path), Ok(start)) = (&place.path, self.start(place.directory)) {
            self.refuse(start, path);
        }
        Err(Errno::ACCESS)
    }

    pub(super) fn open(&mut self, place: &Place, flags: i32, mode: u32) -> Answer<u64> {
        if flags & UNNAMED != 0 {
            return Err(Errno::INVALID);
        }
        let exclusive = flags & CREATE != 0 && flags & EXCLUSIVE != 0;
        let found = self.look_up(place, flags & NO_FOLLOW == 0 && !exclusive)?;
        let node = match found.node {
            Some(_) if exclusive => return Err(Errno::EXISTS),
            Some(node) => self.reopen(node, place, flags)?,
            None if flags & CREATE == 0 => return Err(Errno::NO_ENTRY),
            None => self.create(&found, place, Kind::File(Contents::Bytes(Rc::default())), mode)?,
        };
        self.add_open(OpenFile::new(node, flags & !(CREATE | EXCLUSIVE | TRUNCATE)))
    }

    /// Opens what exists.
    fn reopen(&mut self, node: NodeId, place: &Place, flags: i32) -> Answer<NodeId> {
        let writes = flags & ACCESS_MODE != READ_ONLY;
        match &self.tree.node(node).kind {
            Kind::Link(_) => return Err(Errno::TOO_MANY_LINKS),
            Kind::Directory(_) if writes || flags & CREATE != 0 => return Err(Errno::IS_DIRECTORY),
            Kind::Directory(_) if self.tree.node(node).access == Access::Passage => {
                let (start, path) = (self.start(place.directory)?, place.path.clone().unwrap_or_default());
                self.refuse(start, &path);
                return Err(Errno::ACCESS);
            }
            Kind::Directory(_) => {}
            _ if flags & MUST_BE_DIRECTORY != 0 => return Err(Errno::NOT_DIRECTORY),
            Kind::File(_) => {
                if writes || flags & TRUNCATE != 0 {
                    self.check_writable(node, place)?;
                }
                // If the host does not let us read it, the program hears so now.
                self.tree.bytes(node)?;
                if flags & TRUNCATE != 0 {
                    self.resize(node, 0)?;
                }
            }
            Kind::Pipe(_) | Kind::Device(_) => {}
        }
        Ok(node)
    }

    fn create(&mut self, found: &Found, place: &Place, kind: Kind, mode: u32) -> Answer<NodeId> {
        if found.name.is_empty() {
            return Err(Errno::EXISTS);
        }
        self.check_writable(found.parent, place)?;
        let mut node = Node::new(kind, Access::Write, mode & PERMISSIONS);
        (node.accessed, node.modified) = (self.now(), self.now());
        let node = self.tree.add(node);
        self.tree.insert(found.parent, &found.name, node);
        Ok(node)
    }

    pub(super) fn make_directory(&mut self, place: &Place, mode: u32) -> Answer<u64> {
        let found = self.look_up(place, false)?;
        if found.node.is_some() {
            return Err(Errno::EXISTS);
        }
        let kind = Node::directory(found.parent, None, Access::Write, mode).kind;
        self.create(&found, place, kind, mode)?;
        Ok(0)
    }

    pub(super) fn unlink(&mut self, place: &Place, flags: i32) -> Answer<u64> {
        let found = self.look_up(place, false)?;
        let node = found.node.ok_or(Errno::NO_ENTRY)?;
        if found.name.is_empty() {
            return Err(if flags & AT_REMOVE_DIRECTORY != 0 { Errno::INVALID } else { Errno::IS_DIRECTORY });
        }
        match (flags & AT_REMOVE_DIRECTORY != 0, self.tree.node(node).is_directory()) {
            (true, false) => return Err(Errno::NOT_DIRECTORY),
            (false, true) => return Err(Errno::IS_DIRECTORY),
            _ => {}
        }
        self.check_writable(found.parent, place)?;
        if self.tree.node(node).is_directory() {
            self.check_empty(node)?;
        } else {
            // Whoever has it open keeps it, also when it is gone from the host.
            self.keep(node)?;
        }
        self.tree.remove(found.parent, &found.name);
        Ok(0)
    }

    fn check_empty(&mut self, directory: NodeId) -> Answer<()> {
        if self.tree.node(directory).access != Access::Write {
            return Err(Errno::BUSY);
        }
        self.tree.look_into(directory)?;
        if self.tree.directory(directory)?.entries.is_empty() { Ok(()) } else { Err(Errno::NOT_EMPTY) }
    }

    /// Reads a file of the host that may not stay where it is.
    fn keep(&mut self, node: NodeId) -> Answer<()> {
        if matches!(self.tree.node(node).kind, Kind::File(_)) {
            self.tree.bytes(node)?;
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &Place, to: &Place) -> Answer<u64> {
        let (old, new) = (self.look_up(from, false)?, self.look_up(to, false)?);
        let node = old.node.ok_or(Errno::NO_ENTRY)?;
        if old.name.is_empty() || new.name.is_empty() {
            return Err(Errno::BUSY);
        }
        self.check_writable(old.parent, from)?;
        self.check_writable(new.parent, to)?;
        if self.tree.node(node).is_directory() {
            // Between file systems this fails as well, so programs have to live with it.
            return Err(Errno::OTHER_DEVICE);
        }
        if new.node == Some(node) {
            return Ok(0);
        }
        if new.node.is_some_and(|n| self.tree.node(n).is_directory()) {
            return Err(Errno::IS_DIRECTORY);
        }
        self.keep(node)?;
        if let Some(replaced) = new.node {
            self.keep(replaced)?;
        }
        self.tree.remove(old.parent, &old.name);
        self.tree.insert(new.parent, &new.name, node);
        self.tree.node_mut(node).changed = true;
        Ok(0)
    }

    pub(super) fn status(&mut self, place: &Place, flags: i32) -> Answer<Vec<u8>> {
        let node = self.existing(place, flags & AT_NO_FOLLOW == 0)?;
        Ok(layout::stat(node, self.tree.node(node)))
    }

    pub(super) fn access(&mut self, place: &Place, mode: i32) -> Answer<u64> {
        let id = self.existing(place, true)?;
        let node = self.tree.node(id);
        let allowed = match mode & WANTS_WRITE {
            0 => node.access >= Access::Read || node.is_directory(),
            _ => node.access == Access::Write,
        };
        // The rest is what the owner may do.
        if allowed && (node.mode >> 6 & 7) as i32 & mode == mode { Ok(0) } else { Err(Errno::ACCESS) }
    }

    pub(super) fn change_mode(&mut self, place: &Place, mode: u32) -> Answer<u64> {
        let node = self.existing(place, true)?;
        if !matches!(self.tree.node(node).kind, Kind::File(_) | Kind::Directory(_)) {
            return Err(Errno::NOT_PERMITTED);
        }
        self.check_writable(node, place)?;
        self.keep(node)?;
        let node = self.tree.node_mut(node);
        (node.mode, node.changed) = (mode & PERMISSIONS, true);
        Ok(0)
    }

    /// Sets the times of the last access and the last change; without them, to the present.
    pub(super) fn set_times(&mut self, place: &Place, times: Option<[Time; 2]>, flags: i32) -> Answer<u64> {
        let id = self.existing(place, flags & AT_NO_FOLLOW == 0)?;
        self.check_writable(id, place)?;
        self.keep(id)?;
        let now = self.now();
        let node = self.tree.node_mut(id);
        let [accessed, modified] = times.unwrap_or([now; 2]);
        for (time, new) in [(&mut node.accessed, accessed), (&mut node.modified, modified)] {
            match new.nanoseconds {
                TIME_OMIT => {}
                TIME_NOW => *time = now,
                0..1_000_000_000 => *time = new,
                _ => return Err(Errno::INVALID),
            }
        }
        node.changed = true;
        Ok(0)
    }

    pub(super) fn read_link(&mut self, place: &Place) -> Answer<Vec<u8>> {
        let node = self.existing(place, false)?;
        match &self.tree.node(node).kind {
            Kind::Link(target) => Ok(target.clone()),
            _ => Err(Errno::INVALID),
        }
    }

    pub(super) fn current_directory(&self, size: usize) -> Answer<Vec<u8>> {
        let mut path = self.tree.path_of(self.working_directory);
        path.push(0);
        if path.len() > size { Err(Errno::RANGE) } else { Ok(path) }
    }

    pub(super) fn change_directory(&mut self, path: Name) -> Answer<u64> {
        let place = Place { directory: AT_CURRENT_DIRECTORY, path: Some(path) };
        let node = self.existing(&place, true)?;
        self.tree.directory(node)?;
        self.working_directory = node;
        Ok(0)
    }
}
