//! Reading bitcode in a child process.
//!
//! LLVM's readers are not hardened: garbage may crash them. So the parent never touches LLVM: it starts an executable
//! (normally its own, with a hidden subcommand), sends the bytes, and gets a `Program` or a reason back. A crash is a
//! reason like any other, and so is taking too long or too much memory.

use crate::canonical::{self, Input};
use crate::error::{LoadError, Refusal};
use crate::lower::{self, start::Surroundings};
use crate::program::{BuildHash, Program};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::any::Any;
use std::env;
use std::io::{self, Read, Write};
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::Duration;

/// The hidden subcommand that an executable which calls `main` here must offer.
pub const SUBCOMMAND: &str = "__read-bitcode";
/// Names an executable to start instead of the running one.
pub const HELPER_VARIABLE: &str = "ORDAIN_SELF";
/// The executable of this crate that does nothing else, found next to test binaries.
const HELPER_NAME: &str = "ordain-read-bitcode";
const STAMP: &str = env!("ORDAIN_IR_STAMP");

/// What is still at work after that is taken to be lost in damaged bitcode.
const PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE_PER_MEGABYTE: Duration = Duration::from_secs(60);
/// Address space for reading a program.
const MOST_MEMORY_BYTES: u64 = 16 << 30;

static HELPER: OnceLock<PathBuf> = OnceLock::new();

/// A program, with the canonical bitcode it was made from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loaded {
    pub program: Program,
    pub bitcode: Vec<u8>,
}

/// What the child is asked to read.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    /// The modules of a program, each with what to call it.
    modules: Vec<(String, Vec<u8>)>,
    surroundings: Surroundings,
}

/// Sets the executable that reads bitcode; without, it is `$ORDAIN_SELF` or the running one.
pub fn set_helper(path: PathBuf) {
    // The first caller wins: nothing good could come of changing it later.
    let _ = HELPER.set(path);
}

fn helper() -> io::Result<PathBuf> {
    if let Some(path) = HELPER.get() {
        return Ok(path.clone());
    }
    if let Some(path) = env::var_os(HELPER_VARIABLE) {
        return Ok(path.into());
    }
    let own = env::current_exe()?;
    // Tests and examples lie in target/…/deps or …/examples; they have no subcommands, but the helper is built above.
    let made_by_cargo = |dir: &&Path| dir.ends_with("deps") || dir.ends_with("examples");
    match own.parent().filter(made_by_cargo).and_then(|dir| dir.parent()) {
        Some(target) => Ok(target.join(HELPER_NAME)),
        None => Ok(own),
    }
}

/// Has a child read the modules of a program, each with what to call it.
pub(crate) fn read(modules: Vec<(String, Vec<u8>)>, surroundings: Surroundings) -> Result<Loaded, LoadError> {
    let files = modules.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>().join(", ");
    let request = Request { modules, surroundings };
    let message = postcard::to_stdvec(&(STAMP, request)).map_err(|e| LoadError::Internal(e.to_string()))?;
    let path = helper().map_err(|source| LoadError::ReaderMissing { path: HELPER_NAME.into(), source })?;
    let missing = |source| LoadError::ReaderMissing { path: path.clone(), source };
    let mut child = Command::new(&path)
        .arg(SUBCOMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // A crash prints a stack trace, which is of no use to anyone who does not know LLVM.
        .stderr(Stdio::null())
        .spawn()
        .map_err(missing)?;
    if let Some(mut stdin) = child.stdin.take() {
        // If the child is gone, its status says more than the broken pipe.
        let _ = stdin.write_all(&message);
    }
    let patience = PATIENCE + PATIENCE_PER_MEGABYTE * (message.len() >> 20) as u32;
    let Some(bytes) = answer_within(&mut child, patience) else {
        // That it may have ended at this very moment does not matter.
        let _ = child.kill().and_then(|()| child.wait());
        return Err(LoadError::ReaderTooSlow { files, seconds: patience.as_secs() });
    };
    let status = child.wait().map_err(missing)?;
    if !status.success() {
        return Err(LoadError::ReaderCrashed { files, status: status.to_string() });
    }
    let answer: Result<Loaded, Refusal> = postcard::from_bytes(&bytes)
        .map_err(|e| LoadError::Internal(format!("{} does not answer as expected: {e}", path.display())))?;
    Ok(answer?)
}

/// All that the child writes, unless it takes too long.
fn answer_within(child: &mut Child, patience: Duration) -> Option<Vec<u8>> {
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What is missing is noticed when it is read; that nobody waits for it any more is fine.
        let _ = stdout.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver.recv_timeout(patience).ok()
}

/// The child's side: a request on standard input, an answer on standard output.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{SUBCOMMAND} is not meant to be called by hand: {error}");
            ExitCode::from(2)
        }
    }
}

fn serve() -> io::Result<()> {
    let limit = Rlimit { current: Some(MOST_MEMORY_BYTES), maximum: None };
    // Where there is no such limit, damaged bitcode may use more.
    let _ = setrlimit(Resource::As, limit);
    let mut message = Vec::new();
    io::stdin().read_to_end(&mut message)?;
    let bad = |error: postcard::Error| io::Error::new(io::ErrorKind::InvalidData, error);
    let (stamp, rest): (String, &[u8]) = postcard::take_from_bytes(&message).map_err(bad)?;
    // Only a request of the same build can be understood any further.
    let answer = if stamp == STAMP {
        let request: Request = postcard::from_bytes(rest).map_err(bad)?;
        // A panic is our own fault, unlike a crash: it must not look like bad bitcode.
        panic::catch_unwind(|| load(&request)).unwrap_or_else(|payload| Err(Refusal::Internal(panic_text(&*payload))))
    } else {
        Err(Refusal::OtherBuild)
    };
    io::stdout().write_all(&postcard::to_stdvec(&answer).map_err(bad)?)
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").to_owned()
}

fn load(request: &Request) -> Result<Loaded, Refusal> {
    let inputs: Vec<Input> = request.modules.iter().map(|(label, bytes)| Input { label, bytes }).collect();
    let module = canonical::make(&inputs)?;
    let bitcode = module.write_bitcode();
    let build = BuildHash(Sha256::digest(&bitcode).into());
    let program = lower::lower(module, build, &request.surroundings)?;
    Ok(Loaded { program, bitcode })
}
