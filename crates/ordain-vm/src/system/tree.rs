//! The files that a program sees: a tree of its own, which grows from the host's where that was granted.
//!
//! A directory of the host is read when the program first looks into it, a file when its bytes are first needed. All
//! changes stay here until they are published (`publish`), so copies of a machine have no effect on each other, and links
//! that lead out of what was granted lead nowhere: they are followed in this tree only.

use super::errno::{Answer, Errno};
use super::grants::Access;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Following more links than this is taken for a circle.
const MOST_LINKS: usize = 40;
const LONGEST_NAME: usize = 255;
pub(crate) const PERMISSIONS: u32 = 0o7777;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeId(pub u32);

pub(crate) const ROOT: NodeId = NodeId(0);

pub(crate) type Name = Vec<u8>;

/// Seconds and nanoseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Time {
    pub seconds: i64,
    pub nanoseconds: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    pub access: Access,
    pub mode: u32,
    pub accessed: Time,
    pub modified: Time,
    /// Whether the host has something else, or nothing, in its place.
    pub changed: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    File(Contents),
    Directory(Directory),
    Link(Vec<u8>),
    Pipe(VecDeque<u8>),
    Device(Device),
}

#[derive(Clone, Debug)]
pub(crate) enum Contents {
    /// Not looked at so far: the host's file of this name and size.
    Host(PathBuf, u64),
    Bytes(Rc<Vec<u8>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Device {
    Null,
    Zero,
    Random,
    Input,
    Output,
    Errors,
}

#[derive(Clone, Debug)]
pub(crate) struct Directory {
    pub parent: NodeId,
    /// The host's directory, as long as it was not looked into.
    unread: Option<PathBuf>,
    pub entries: BTreeMap<Name, NodeId>,
    /// What the host has in it.
    pub origin: BTreeMap<Name, NodeId>,
}

/// What a path leads to.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub parent: NodeId,
    /// The last component; empty if the path leads to a directory by `.`, `..` or `/`.
    pub name: Name,
    pub node: Option<NodeId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub fn new() -> Self {
        let root = Node::directory(ROOT, None, Access::Passage, 0o755);
        let mut tree = Tree { nodes: vec![root] };
        let devices = tree.add(Node::directory(ROOT, None, Access::Passage, 0o755));
        tree.insert(ROOT, b"dev", devices);
        for (name, device) in [
            ("null", Device::Null),
            ("zero", Device::Zero),
            ("random", Device::Random),
            ("urandom", Device::Random),
            ("stdin", Device::Input),
            ("stdout", Device::Output),
            ("stderr", Device::Errors),
        ] {
            let node = tree.device(device);
            tree.insert(devices, name.as_bytes(), node);
        }
        tree
    }

    pub fn device(&mut self, device: Device) -> NodeId {
        self.add(Node::new(Kind::Device(device), Access::Write, 0o666))
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The directory `id`, which must be one.
    pub fn directory(&self, id: NodeId) -> Answer<&Directory> {
        match &self.node(id).kind {
            Kind::Directory(directory) => Ok(directory),
            _ => Err(Errno::NOT_DIRECTORY),
        }
    }

    fn directory_mut(&mut self, id: NodeId) -> Option<&mut Directory> {
        match &mut self.node_mut(id).kind {
            Kind::Directory(directory) => Some(directory),
            _ => None,
        }
    }

    pub fn insert(&mut self, directory: NodeId, name: &[u8], node: NodeId) {
        if let Some(directory) = self.directory_mut(directory) {
            directory.entries.insert(name.to_vec(), node);
        }
    }

    pub fn remove(&mut self, directory: NodeId, name: &[u8]) {
        if let Some(directory) = self.directory_mut(directory) {
            directory.entries.remove(name);
        }
    }

    /// Lets the program see what the host has at `path`, which has no links in it.
    pub fn grant(&mut self, path: &Path, access: Access) -> std::io::Result<()> {
        let mut at = ROOT;
        let mut so_far = PathBuf::from("/");
        for component in path.components().skip(1) {
            let name = component.as_os_str().as_bytes();
            so_far.push(component);
            self.look_into(at)?;
            let known = self.directory_mut(at).and_then(|d| d.entries.get(name).copied());
            at = match known {
                Some(node) => node,
                None if so_far == path => {
                    let node = self.import(at, &so_far, access)?;
                    self.add_known(at, name, node)
                }
                None => {
                    let node = Node::directory(at, None, Access::Passage, 0o755);
                    self.add_known(at, name, node)
                }
            };
        }
        if self.node(at).access < access {
            let known = self.directory(at).is_ok_and(|d| d.unread.is_none() && !d.entries.is_empty());
            // A way to somewhere else becomes a directory of its own.
            match self.directory_mut(at).filter(|_| known) {
                Some(passage) => passage.unread = Some(path.to_owned()),
                None => self.nodes[at.0 as usize] = self.import(self.parent(at), path, access)?,
            }
            self.node_mut(at).access = access;
        }
        Ok(())
    }

    fn parent(&self, id: NodeId) -> NodeId {
        self.directory(id).map_or(ROOT, |d| d.parent)
    }

    fn add_known(&mut self, directory: NodeId, name: &[u8], node: Node) -> NodeId {
        let id = self.add(node);
        if let Some(directory) = self.directory_mut(directory) {
            directory.entries.insert(name.to_vec(), id);
            directory.origin.insert(name.to_vec(), id);
        }
        id
    }

    /// What the host has at `path`.
    fn import(&self, parent: NodeId, path: &Path, access: Access) -> std::io::Result<Node> {
        let metadata = fs::symlink_metadata(path)?;
        let kind = match metadata.file_type() {
            t if t.is_dir() => Node::directory(parent, Some(path.to_owned()), access, 0).kind,
            t if t.is_symlink() => Kind::Link(fs::read_link(path)?.into_os_string().into_vec()),
            t if t.is_file() => Kind::File(Contents::Host(path.to_owned(), metadata.len())),
            // Pipes, sockets and devices of the host could do anything.
            _ => return Err(std::io::Error::from_raw_os_error(Errno::ACCESS.0)),
        };
        let mut node = Node::new(kind, access, metadata.mode() & PERMISSIONS);
        (node.accessed, node.modified) = times(&metadata);
        node.changed = false;
        Ok(node)
    }

    /// Reads a directory of the host, if that has not been done.
    pub fn look_into(&mut self, id: NodeId) -> std::io::Result<()> {
        let access = self.node(id).access;
        let Some(path) = self.directory_mut(id).and_then(|d| d.unread.take()) else { return Ok(()) };
        for entry in fs::read_dir(&path)? {
            let name = entry?.file_name();
            if self.directory(id).is_ok_and(|d| d.entries.contains_key(name.as_bytes())) {
                continue;
            }
            // What cannot be imported is not there.
            if let Ok(node) = self.import(id, &path.join(&name), access) {
                self.add_known(id, name.as_bytes(), node);
            }
        }
        Ok(())
    }

    /// The bytes of a file.
    pub fn bytes(&mut self, id: NodeId) -> Answer<&mut Rc<Vec<u8>>> {
        let Kind::File(contents) = &mut self.node_mut(id).kind else { return Err(Errno::INVALID) };
        if let Contents::Host(path, _) = contents {
            *contents = Contents::Bytes(Rc::new(fs::read(path)?));
        }
        match contents {
            Contents::Bytes(bytes) => Ok(bytes),
            Contents::Host(..) => Err(Errno::IO),
        }
    }

    /// Follows `path` from `start`; the last component only if it has to.
    pub fn find(&mut self, start: NodeId, path: &[u8], follow: bool) -> Answer<Found> {
        if path.is_empty() {
            return Err(Errno::NO_ENTRY);
        }
        let mut at = if path[0] == b'/' { ROOT } else { start };
        let mut left: VecDeque<Name> = components(path);
        let must_be_directory = path.ends_with(b"/");
        let mut links = 0;
        let mut found = Found { parent: at, name: Name::new(), node: Some(at) };
        while let Some(name) = left.pop_front() {
            found = self.enter(at, name)?;
            let Some(node) = found.node else {
                return if left.is_empty() { Ok(found) } else { Err(Errno::NO_ENTRY) };
            };
            match &self.node(node).kind {
                Kind::Link(target) if follow || !left.is_empty() || must_be_directory => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(Errno::TOO_MANY_LINKS);
                    }
                    let base = if target.starts_with(b"/") { ROOT } else { at };
                    for component in components(target).into_iter().rev() {
                        left.push_front(component);
                    }
                    at = base;
                    found = Found { parent: at, name: Name::new(), node: Some(at) };
                }
                Kind::Directory(_) => at = node,
                _ if left.is_empty() && !must_be_directory => {}
                _ => return Err(Errno::NOT_DIRECTORY),
            }
        }
        Ok(found)
    }

    /// One component further.
    fn enter(&mut self, at: NodeId, name: Name) -> Answer<Found> {
        if name.len() > LONGEST_NAME {
            return Err(Errno::NAME_TOO_LONG);
        }
        self.look_into(at)?;
        let directory = self.directory(at)?;
        match name.as_slice() {
            b"." => return Ok(Found { parent: at, name: Name::new(), node: Some(at) }),
            b".." => return Ok(Found { parent: at, name: Name::new(), node: Some(directory.parent) }),
            _ => {}
        }
        let node = directory.entries.get(&name).copied();
        if node.is_none() && self.node(at).access == Access::Passage {
            return Err(Errno::ACCESS);
        }
        Ok(Found { parent: at, name, node })
    }

    /// The path of a directory from the root.
    pub fn path_of(&self, mut id: NodeId) -> Vec<u8> {
        let mut names = Vec::new();
        while id != ROOT {
            let Ok(parent) = self.directory(id).map(|d| d.parent) else { break };
            let entries = self.directory(parent).map(|d| d.entries.iter()).into_iter().flatten();
            names.extend(entries.filter(|(_, node)| **node == id).map(|(name, _)| name.clone()).take(1));
            id = parent;
        }
        let path: Vec<u8> = names.into_iter().rev().flat_map(|name| [b"/".to_vec(), name].concat()).collect();
        if path.is_empty() { b"/".to_vec() } else { path }
    }
}

impl Node {
    pub fn new(kind: Kind, access: Access, mode: u32) -> Self {
        Node { kind, access, mode, accessed: Time::default(), modified: Time::default(), changed: true }
    }

    /// A directory; `unread` is the host's, where there is one.
    pub fn directory(parent: NodeId, unread: Option<PathBuf>, access: Access, mode: u32) -> Self {
        let directory = Directory { parent, unread, entries: BTreeMap::new(), origin: BTreeMap::new() };
        Node::new(Kind::Directory(directory), access, mode)
    }

    pub fn is_directory(&self) -> bool {
        matches!(self.kind, Kind::Directory(_))
    }

    pub fn size(&self) -> u64 {
        match &self.kind {
            Kind::File(Contents::Host(_, size)) => *size,
            Kind::File(Contents::Bytes(bytes)) => bytes.len() as u64,
            Kind::Link(target) => target.len() as u64,
            Kind::Directory(_) => 4096,
            Kind::Pipe(_) | Kind::Device(_) => 0,
        }
    }
}

fn components(path: &[u8]) -> VecDeque<Name> {
    path.split(|b| *b == b'/').filter(|c| !c.is_empty()).map(<[u8]>::to_vec).collect()
}

/// Of the last access and the last change.
fn times(metadata: &Metadata) -> (Time, Time) {
    (
        Time { seconds: metadata.atime(), nanoseconds: metadata.atime_nsec() },
        Time { seconds: metadata.mtime(), nanoseconds: metadata.mtime_nsec() },
    )
}

/// A name as the host has it.
pub(crate) fn host_name(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}
