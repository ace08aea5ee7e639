//! What the filter remembers of a word of memory: the last accesses of each class, and pairs of them, as many as there is room for.

use super::accesses::{Entry, Pair};

/// A word where that much did not fit takes nothing new any longer: otherwise everything there would be compared with everything each time.
const MOST_DROPPED: u32 = 64;

/// What happened to a word of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub entries: Vec<Entry>,
    pub pairs: Vec<Pair>,
    /// Changes whenever another thread than the last one comes.
    pub turn: u32,
    /// Changes whenever there is something new to compare with: an access of another kind, or in another segment.
    pub structure: u32,
    /// How often something did not fit.
    pub dropped: u32,
    /// The first thread that came, and whether others have come since.
    pub first: Option<u16>,
    pub is_shared: bool,
    pub last: Option<Last>,
    /// The one before the last was like it.
    pub repeated: bool,
}

/// The last access to a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Last {
    pub thread: u16,
    pub kind: u8,
    pub mask: u8,
    pub place: u32,
    /// That of the thread's mutexes.
    pub version: u32,
}

impl Word {
    /// How much is missing: what one thread alone does, nobody can miss.
    pub fn missing(&self) -> u64 {
        if self.is_shared { self.dropped.into() } else { 0 }
    }

    /// What was here is gone for good.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.pairs.clear();
        self.last = None;
        self.dropped = 0;
        (self.first, self.is_shared) = (None, false);
    }
}

/// Forgets the oldest of this thread, or of all, if there are too many. `of` tells whether one is of this thread, and when it was. Says
/// whether there is room.
pub(super) fn make_room<T>(
    kept: &mut Vec<T>,
    most: [usize; 2],
    of: impl Fn(&T) -> (bool, u64),
    dropped: &mut u32,
) -> bool {
    let own = kept.iter().filter(|one| of(one).0).count();
    if own < most[0] && kept.len() < most[1] {
        return true;
    }
    *dropped = dropped.saturating_add(1);
    if *dropped > MOST_DROPPED {
        return false;
    }
    let among = kept.iter().enumerate().filter(|(_, one)| own < most[0] || of(one).0);
    if let Some((oldest, _)) = among.min_by_key(|(_, one)| of(one).1) {
        kept.swap_remove(oldest);
    }
    true
}
