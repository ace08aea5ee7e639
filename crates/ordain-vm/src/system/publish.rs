//! Handing changed files over to the host, once a run is over.
//!
//! Files are written beside their place and renamed, so that nobody sees half of one. What is new comes first: if
//! something fails, nothing is lost.

use super::System;
use super::grants::Access;
use super::tree::{Contents, Directory, Kind, Name, Node, NodeId, ROOT, Tree, host_name};
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

#[derive(Debug, thiserror::Error)]
#[error("what the program wrote to {path} cannot be kept: {source}")]
pub struct PublishError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl System {
    pub fn publish(&self) -> Result<(), PublishError> {
        directory(&self.tree, ROOT, Path::new("/"))
    }
}

fn directory(tree: &Tree, id: NodeId, path: &Path) -> Result<(), PublishError> {
    let Ok(Directory { entries, origin, .. }) = tree.directory(id) else { return Ok(()) };
    for (name, &child) in entries {
        let (node, path) = (tree.node(child), path.join(host_name(name)));
        if let Some(before) = origin.get(name).filter(|before| **before != child) {
            make_room(tree, *before, &path)?;
        }
        if node.access == Access::Write && node.changed {
            entry(node, &path).map_err(|source| PublishError { path: path.clone(), source })?;
        }
        directory(tree, child, &path)?;
    }
    remove_all(tree, origin, path, |name| !entries.contains_key(name))
}

/// A directory has to go before a file can take its place.
fn make_room(tree: &Tree, before: NodeId, path: &Path) -> Result<(), PublishError> {
    if tree.node(before).is_directory() { remove(tree, before, path) } else { Ok(()) }
}

fn remove_all(
    tree: &Tree,
    origin: &BTreeMap<Name, NodeId>,
    path: &Path,
    gone: impl Fn(&Name) -> bool,
) -> Result<(), PublishError> {
    origin
        .iter()
        .filter(|(name, _)| gone(name))
        .try_for_each(|(name, &id)| remove(tree, id, &path.join(host_name(name))))
}

/// Removes what the program removed, and nothing that it has not seen.
fn remove(tree: &Tree, id: NodeId, path: &Path) -> Result<(), PublishError> {
    let removed = match tree.directory(id) {
        Ok(directory) => {
            remove_all(tree, &directory.origin, path, |_| true)?;
            fs::remove_dir(path)
        }
        Err(_) => fs::remove_file(path),
    };
    match removed {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(PublishError { path: path.to_owned(), source }),
        _ => Ok(()),
    }
}

fn entry(node: &Node, path: &Path) -> io::Result<()> {
    match &node.kind {
        Kind::File(Contents::Bytes(bytes)) => file(node, bytes, path),
        Kind::Directory(_) => {
            if !path.is_dir() {
                fs::create_dir(path)?;
            }
            fs::set_permissions(path, Permissions::from_mode(node.mode))
        }
        Kind::File(Contents::Host(..)) | Kind::Link(_) | Kind::Pipe(_) | Kind::Device(_) => Ok(()),
    }
}

fn file(node: &Node, bytes: &[u8], path: &Path) -> io::Result<()> {
    let parent = path.parent().unwrap_or(path);
    let mut beside = tempfile::NamedTempFile::new_in(parent)?;
    beside.write_all(bytes)?;
    let handle: &File = beside.as_file();
    handle.set_times(FileTimes::new().set_accessed(time(node.accessed)).set_modified(time(node.modified)))?;
    handle.set_permissions(Permissions::from_mode(node.mode))?;
    beside.persist(path)?;
    Ok(())
}

fn time(time: super::Time) -> SystemTime {
    let nanoseconds = Duration::from_nanos(time.nanoseconds.unsigned_abs());
    let seconds = Duration::from_secs(time.seconds.unsigned_abs());
    let whole = if time.seconds < 0 { SystemTime::UNIX_EPOCH - seconds } else { SystemTime::UNIX_EPOCH + seconds };
    whole + nanoseconds
}
