//! The system that programs in the machine run on: files, descriptors, time, chance.
//!
//! Nothing of it is the host's, except what was granted (`grants`), and that is seen through a tree of its own (`tree`):
//! runs can be repeated, and copies of a machine do not notice each other. `calls` has the system calls as the machine
//! executes them, `files` those on open files, `paths` those on names; `publish` hands changed files to the host.

mod calls;
pub(crate) use calls::touched;
mod errno;
mod files;
mod grants;
mod layout;
mod paths;
mod publish;
#[cfg(test)]
mod tests;
mod tree;

pub use grants::{Access, Grant, Outside, StandardInput};
pub use publish::PublishError;

use crate::rng::Rng;
use errno::{Answer, Errno};
use files::OpenFile;
use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use tree::{Device, NodeId, ROOT, Time, Tree};

/// When virtual time begins, in seconds since 1970. Some time in 2023: not so early that programs take it for an unset clock.
const FIRST_SECOND: u64 = 1_700_000_000;
/// How much time passes each time that somebody looks at the clock.
const TICK_NANOSECONDS: u64 = 1_000;
/// Everything random begins here, in every run.
const SEED: u64 = 0x6f72_6461_696e;

#[derive(Clone)]
pub(crate) struct System {
    tree: Tree,
    /// Open files by number.
    descriptors: Vec<Option<usize>>,
    open: Vec<OpenFile>,
    working_directory: NodeId,
    input: StandardInput,
    /// Nanoseconds since 1970.
    time: u64,
    random: Rng,
    /// What the program asked for and was not granted.
    refused: BTreeSet<PathBuf>,
    /// Of all that was asked of the system so far, in order: what is in it follows from that.
    history: u64,
}

impl System {
    pub fn new() -> Self {
        let mut system = System {
            tree: Tree::new(),
            descriptors: Vec::new(),
            open: Vec::new(),
            working_directory: ROOT,
            input: StandardInput::default(),
            time: FIRST_SECOND * 1_000_000_000,
            random: Rng::new(SEED),
            refused: BTreeSet::new(),
            history: 0,
        };
        for (device, flags) in [
            (Device::Input, files::READ_ONLY),
            (Device::Output, files::WRITE_ONLY),
            (Device::Errors, files::WRITE_ONLY),
        ] {
            let node = system.tree.device(device);
            system.descriptors.push(Some(system.open.len()));
            system.open.push(OpenFile::new(node, flags));
        }
        system
    }

    /// Opens the system to what is granted of the world outside.
    pub fn connect(&mut self, outside: &Outside) -> io::Result<()> {
        let mut grants = Vec::new();
        for grant in &outside.grants {
            grants.push((grant.path.canonicalize()?, grant.access));
        }
        // What lies further down may be granted more.
        grants.sort();
        for (path, access) in grants {
            self.tree.grant(&path, access)?;
        }
        self.input = outside.input.clone();
        let here = std::env::current_dir()?;
        if let Ok(found) = self.tree.find(ROOT, here.as_os_str().as_bytes(), true)
            && let Some(node) = found.node
        {
            self.working_directory = node;
        }
        Ok(())
    }

    /// What the program asked for and was not granted.
    pub fn refused(&self) -> &BTreeSet<PathBuf> {
        &self.refused
    }

    /// Equal for systems that were asked the same in the same order.
    pub fn history(&self) -> u64 {
        self.history
    }

    fn remember(&mut self, asked: impl Hash) {
        let mut hasher = FxHasher::default();
        (self.history, asked).hash(&mut hasher);
        self.history = hasher.finish();
    }

    /// Looks at the clock, which takes a little time.
    fn look_at_clock(&mut self) -> u64 {
        self.time += TICK_NANOSECONDS;
        self.time
    }

    /// Lets time pass.
    pub fn pass(&mut self, nanoseconds: u64) {
        self.time = self.time.saturating_add(nanoseconds).min(i64::MAX as u64);
    }

    fn now(&self) -> Time {
        Time { seconds: (self.time / 1_000_000_000) as i64, nanoseconds: (self.time % 1_000_000_000) as i64 }
    }

    fn random_bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| self.random.next_u64() as u8).collect()
    }

    fn file(&self, fd: u64) -> Answer<usize> {
        let number = usize::try_from(fd as i32).map_err(|_| Errno::BAD_DESCRIPTOR)?;
        self.descriptors.get(number).copied().flatten().ok_or(Errno::BAD_DESCRIPTOR)
    }
}
