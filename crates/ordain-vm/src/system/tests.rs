//! The system without a program: what is granted, what is not, and what the host gets to see.

use super::errno::Errno;
use super::files::{At, Reading, Written};
use super::paths::Place;
use super::{Access, Grant, Outside, System};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

const READ: i32 = 0;
const WRITE_NEW: i32 = 0o1101;

fn place(path: &Path) -> Place {
    Place { directory: -100, path: Some(path.as_os_str().as_bytes().to_vec()) }
}

fn system(directory: &Path, access: Access) -> System {
    let mut system = System::new();
    let grants = vec![Grant { path: directory.to_owned(), access }];
    system.connect(&Outside { grants, ..Outside::default() }).expect("the directory is there");
    system
}

fn contents(system: &mut System, path: &Path) -> Result<Vec<u8>, Errno> {
    let fd = system.open(&place(path), READ, 0)?;
    match system.read(fd, 100, At::Current)? {
        Reading::Bytes(bytes) => Ok(bytes),
        Reading::Waits => Err(Errno::AGAIN),
    }
}

/// A directory to grant, beside a file that is not granted.
fn sandbox() -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
    let outer = tempfile::tempdir().expect("a temporary directory");
    let root = outer.path().canonicalize().expect("it is there");
    let (granted, secret) = (root.join("granted"), root.join("secret"));
    fs::create_dir(&granted).expect("can be made");
    fs::write(&secret, "secret").expect("can be written");
    fs::write(granted.join("file"), "contents").expect("can be written");
    (outer, granted, secret)
}

#[test]
fn only_what_is_granted_can_be_read() {
    let (_outer, granted, secret) = sandbox();
    let mut system = system(&granted, Access::Read);
    assert_eq!(contents(&mut system, &granted.join("file")), Ok(b"contents".to_vec()));
    assert_eq!(contents(&mut system, &secret), Err(Errno::ACCESS));
    assert_eq!(contents(&mut system, &granted.join("../secret")), Err(Errno::ACCESS));
    assert_eq!(contents(&mut system, Path::new("/etc/passwd")), Err(Errno::ACCESS));
    assert!(system.refused().contains(&secret));
}

#[test]
fn links_do_not_lead_out() {
    let (_outer, granted, secret) = sandbox();
    symlink(&secret, granted.join("out")).expect("can be made");
    symlink("../secret", granted.join("up")).expect("can be made");
    symlink("/", granted.join("root")).expect("can be made");
    symlink("file", granted.join("in")).expect("can be made");
    symlink("circle", granted.join("circle")).expect("can be made");
    let mut system = system(&granted, Access::Write);
    for name in ["out", "up", "root/etc/passwd"] {
        assert_eq!(contents(&mut system, &granted.join(name)), Err(Errno::ACCESS), "{name}");
    }
    assert_eq!(contents(&mut system, &granted.join("circle")), Err(Errno::TOO_MANY_LINKS));
    assert_eq!(contents(&mut system, &granted.join("in")), Ok(b"contents".to_vec()));
    assert_eq!(system.open(&place(&granted.join("out")), WRITE_NEW, 0o644), Err(Errno::ACCESS));
}

#[test]
fn what_may_only_be_read_cannot_be_changed() {
    let (_outer, granted, _) = sandbox();
    let mut system = system(&granted, Access::Read);
    let file = granted.join("file");
    assert_eq!(system.open(&place(&file), WRITE_NEW, 0o644), Err(Errno::ACCESS));
    assert_eq!(system.open(&place(&granted.join("new")), WRITE_NEW, 0o644), Err(Errno::ACCESS));
    assert_eq!(system.unlink(&place(&file), 0), Err(Errno::ACCESS));
    assert_eq!(system.make_directory(&place(&granted.join("new")), 0o755), Err(Errno::ACCESS));
    assert_eq!(system.change_mode(&place(&file), 0o777), Err(Errno::ACCESS));
}

#[test]
fn the_host_sees_changes_only_when_they_are_published() {
    let (_outer, granted, _) = sandbox();
    let mut system = system(&granted, Access::Write);
    let copy = system.clone();
    let (directory, new) = (granted.join("directory"), granted.join("directory/new"));
    system.make_directory(&place(&directory), 0o755).expect("allowed");
    let fd = system.open(&place(&new), WRITE_NEW, 0o640).expect("allowed");
    assert_eq!(system.write(fd, b"written", At::Current), Ok(Written::Kept));
    system.unlink(&place(&granted.join("file")), 0).expect("allowed");
    assert!(!directory.exists() && granted.join("file").exists());
    copy.publish().expect("nothing has changed");
    assert!(!directory.exists() && granted.join("file").exists());
    system.publish().expect("the directory can be written");
    assert_eq!(fs::read(&new).expect("published"), b"written");
    assert!(!granted.join("file").exists());
}

#[test]
fn renaming_replaces_and_keeps_contents() {
    let (_outer, granted, _) = sandbox();
    fs::write(granted.join("other"), "other").expect("can be written");
    let mut system = system(&granted, Access::Write);
    system.rename(&place(&granted.join("file")), &place(&granted.join("other"))).expect("allowed");
    assert_eq!(contents(&mut system, &granted.join("other")), Ok(b"contents".to_vec()));
    assert_eq!(contents(&mut system, &granted.join("file")), Err(Errno::NO_ENTRY));
    system.publish().expect("the directory can be written");
    assert_eq!(fs::read(granted.join("other")).expect("published"), b"contents");
    assert!(!granted.join("file").exists());
}

#[test]
fn pipes_wait_while_somebody_may_write() {
    let mut system = System::new();
    let [from, to] = system.pipe().expect("descriptors are free");
    assert_eq!(system.read(from, 4, At::Current), Ok(Reading::Waits));
    assert_eq!(system.write(to, b"ab", At::Current), Ok(Written::Kept));
    assert_eq!(system.read(from, 4, At::Current), Ok(Reading::Bytes(b"ab".to_vec())));
    system.close(to).expect("open");
    assert_eq!(system.read(from, 4, At::Current), Ok(Reading::Bytes(Vec::new())));
}
