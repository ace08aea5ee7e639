//! What is remembered of memory: a table by words of eight bytes, in small pages, and which heap object a page is of. When an object is
//! freed, what was remembered of it goes: its addresses are never used again.

use super::accesses::{Entry, Pair};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

pub(super) const WORD_BYTES: u64 = 8;
const PAGE_WORDS: usize = 32;
const NOTHING: u32 = u32::MAX;
/// Pages that are found without a look at the table, by the low bits of their numbers.
const RECENT: usize = 512;

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

#[derive(Clone, Debug, Default)]
struct Object {
    size: u64,
    pages: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Words {
    words: Vec<Word>,
    tables: Vec<[u32; PAGE_WORDS]>,
    pages: FxHashMap<u64, u32>,
    recent: Box<[(u64, u32)]>,
    objects: BTreeMap<u64, Object>,
    unused_words: Vec<u32>,
    unused_tables: Vec<u32>,
}

impl Default for Words {
    fn default() -> Self {
        Words {
            words: Vec::new(),
            tables: Vec::new(),
            pages: FxHashMap::default(),
            recent: vec![(u64::MAX, NOTHING); RECENT].into(),
            objects: BTreeMap::new(),
            unused_words: Vec::new(),
            unused_tables: Vec::new(),
        }
    }
}

impl Words {
    /// The word of a number: its address in words.
    #[inline]
    pub fn word(&mut self, number: u64) -> &mut Word {
        let (page, nth) = (number / PAGE_WORDS as u64, (number % PAGE_WORDS as u64) as usize);
        let (known, table) = self.recent[page as usize % RECENT];
        let table = if known == page { table } else { self.table(page) };
        let word = &mut self.tables[table as usize][nth];
        if *word == NOTHING {
            *word = self.unused_words.pop().unwrap_or_else(|| {
                self.words.push(Word::default());
                self.words.len() as u32 - 1
            });
        }
        &mut self.words[*word as usize]
    }

    fn table(&mut self, page: u64) -> u32 {
        let table = match self.pages.get(&page) {
            Some(&table) => table,
            None => self.new_table(page),
        };
        self.recent[page as usize % RECENT] = (page, table);
        table
    }

    fn new_table(&mut self, page: u64) -> u32 {
        let table = self.unused_tables.pop().unwrap_or_else(|| {
            self.tables.push([NOTHING; PAGE_WORDS]);
            self.tables.len() as u32 - 1
        });
        self.pages.insert(page, table);
        // Objects lie further apart than a page is long, so it has bytes of one at most.
        let end = (page + 1) * PAGE_WORDS as u64 * WORD_BYTES;
        if let Some((base, object)) = self.objects.range_mut(..end).next_back()
            && base + object.size > page * PAGE_WORDS as u64 * WORD_BYTES
        {
            object.pages.push(page);
        }
        table
    }

    pub fn allocate(&mut self, base: u64, size: u64) {
        self.objects.insert(base, Object { size, pages: Vec::new() });
    }

    /// An object ends. Shows what was remembered of it, for the last time.
    pub fn free(&mut self, base: u64, mut show: impl FnMut(&Word)) {
        let Some(object) = self.objects.remove(&base) else { return };
        let inside = base / WORD_BYTES..(base + object.size).div_ceil(WORD_BYTES);
        for page in object.pages {
            let Some(&table) = self.pages.get(&page) else { continue };
            let slots = &mut self.tables[table as usize];
            for (slot, number) in slots.iter_mut().zip(page * PAGE_WORDS as u64..) {
                if *slot == NOTHING || !inside.contains(&number) {
                    continue;
                }
                let word = &mut self.words[*slot as usize];
                show(word);
                word.entries.clear();
                word.pairs.clear();
                word.last = None;
                word.dropped = 0;
                self.unused_words.push(*slot);
                *slot = NOTHING;
            }
            if slots.iter().all(|slot| *slot == NOTHING) {
                self.pages.remove(&page);
                self.recent[page as usize % RECENT] = (u64::MAX, NOTHING);
                self.unused_tables.push(table);
            }
        }
    }

    /// What is remembered of the word at an address, if anything is.
    pub fn get(&self, address: u64) -> Option<&Word> {
        let number = address / WORD_BYTES;
        let table = *self.pages.get(&(number / PAGE_WORDS as u64))?;
        let word = self.tables[table as usize][(number % PAGE_WORDS as u64) as usize];
        self.words.get(word as usize)
    }
}

/// Forgets the oldest of this thread, or of all, if there are too many. `of` tells whether one is of this thread, and when it was. Says
/// whether there is room.
pub(super) fn make_room<T>(
    kept: &mut Vec<T>,
    most: [usize; 2],
    of: impl Fn(&T) -> (bool, u64),
    dropped_here: &mut u32,
    dropped: &mut u64,
) -> bool {
    let own = kept.iter().filter(|one| of(one).0).count();
    if own < most[0] && kept.len() < most[1] {
        return true;
    }
    *dropped += 1;
    if *dropped_here >= MOST_DROPPED {
        return false;
    }
    *dropped_here += 1;
    let among = kept.iter().enumerate().filter(|(_, one)| own < most[0] || of(one).0);
    if let Some((oldest, _)) = among.min_by_key(|(_, one)| of(one).1) {
        kept.swap_remove(oldest);
    }
    true
}
