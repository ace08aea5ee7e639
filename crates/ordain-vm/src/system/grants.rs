//! What of the world outside a program may see.

use std::cell::RefCell;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Only a way to what was granted: it can be walked through, nothing else.
    Passage,
    Read,
    Write,
}

/// A directory (with everything below) or a file that the program may use.
#[derive(Clone, Debug)]
pub struct Grant {
    pub path: PathBuf,
    pub access: Access,
}

/// Everything that a machine is connected to. By default nothing is.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    pub grants: Vec<Grant>,
    pub input: StandardInput,
}

/// Where the program's standard input comes from. What was read is kept, so that copies of a machine can each read it.
#[derive(Clone, Debug, Default)]
pub struct StandardInput(Rc<RefCell<Source>>);

#[derive(Debug, Default)]
struct Source {
    seen: Vec<u8>,
    /// Whether there is more than was seen.
    open: bool,
}

impl StandardInput {
    /// That of this process.
    pub fn inherited() -> Self {
        StandardInput(Rc::new(RefCell::new(Source { seen: Vec::new(), open: true })))
    }

    /// Up to `size` bytes from `offset` on, fewer only at the end. (Otherwise, how many would depend on who fills the pipe.
    /// At a terminal a person is waiting for an answer.)
    pub(crate) fn read(&self, offset: usize, size: usize) -> Vec<u8> {
        let mut source = self.0.borrow_mut();
        let wanted = offset.saturating_add(size);
        while source.open && source.seen.len() < wanted {
            let mut chunk = vec![0; (wanted - source.seen.len()).min(1 << 16)];
            let stdin = std::io::stdin();
            let terminal = stdin.is_terminal();
            match stdin.lock().read(&mut chunk) {
                Ok(0) | Err(_) => source.open = false,
                Ok(count) => source.seen.extend(&chunk[..count]),
            }
            if terminal && source.seen.len() > offset {
                break;
            }
        }
        let end = source.seen.len().min(wanted);
        source.seen.get(offset..end).unwrap_or_default().to_vec()
    }
}
