//! Structures that system calls fill in, as x86-64 Linux lays them out.

use super::tree::{Device, Kind, Node, NodeId, Time};

/// The one user and group that there is.
const OWNER: u32 = 1000;
const BLOCK_BYTES: u64 = 4096;
const STAT_BYTES: usize = 144;
const DIRENT_BYTES: usize = 280;
const DIRENT_NAME: usize = 19;

const DIRECTORY: u32 = 0o040000;
const CHARACTER_DEVICE: u32 = 0o020000;
const REGULAR: u32 = 0o100000;
const LINK: u32 = 0o120000;
const PIPE: u32 = 0o010000;

fn file_type(node: &Node) -> u32 {
    match node.kind {
        Kind::File(_) => REGULAR,
        Kind::Directory(_) => DIRECTORY,
        Kind::Link(_) => LINK,
        Kind::Pipe(_) | Kind::Device(Device::Input | Device::Output | Device::Errors) => PIPE,
        Kind::Device(_) => CHARACTER_DEVICE,
    }
}

/// An entry of a directory that is being listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    name: Vec<u8>,
    node: NodeId,
    file_type: u32,
}

impl Entry {
    pub fn directory(name: &[u8], node: NodeId) -> Self {
        Entry { name: name.to_vec(), node, file_type: DIRECTORY }
    }

    pub fn of(name: &[u8], id: NodeId, node: &Node) -> Self {
        Entry { name: name.to_vec(), node: id, file_type: file_type(node) }
    }
}

fn inode(node: NodeId) -> u64 {
    node.0 as u64 + 1
}

/// `struct dirent`
pub(super) fn dirent(entry: &Entry, next: u64) -> Vec<u8> {
    let mut bytes = vec![0; DIRENT_BYTES];
    bytes[..8].copy_from_slice(&inode(entry.node).to_le_bytes());
    bytes[8..16].copy_from_slice(&next.to_le_bytes());
    bytes[16..18].copy_from_slice(&(DIRENT_BYTES as u16).to_le_bytes());
    // The type as `d_type` has it.
    bytes[18] = (entry.file_type >> 12) as u8;
    bytes[DIRENT_NAME..DIRENT_NAME + entry.name.len()].copy_from_slice(&entry.name);
    bytes
}

/// `struct stat`
pub(super) fn stat(id: NodeId, node: &Node) -> Vec<u8> {
    let size = node.size();
    let mut words = Vec::with_capacity(STAT_BYTES);
    let mut word = |value: u64| words.extend(value.to_le_bytes());
    word(1);
    word(inode(id));
    word(1);
    word((OWNER as u64) << 32 | (file_type(node) | node.mode) as u64);
    word(OWNER as u64);
    word(0);
    word(size);
    word(BLOCK_BYTES);
    word(size.div_ceil(512));
    for Time { seconds, nanoseconds } in [node.accessed, node.modified, node.modified] {
        word(seconds as u64);
        word(nanoseconds as u64);
    }
    words.resize(STAT_BYTES, 0);
    words
}
