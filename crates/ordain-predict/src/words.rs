//! What is remembered of memory: a table by words of eight bytes, in small pages, and which heap object a page is of. When an object is
//! freed, what was remembered of it goes: its addresses are never used again.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

const WORD_BYTES: u64 = 8;
const PAGE_WORDS: usize = 32;
const NOTHING: u32 = u32::MAX;
/// Pages that are found without a look at the table, by the low bits of their numbers.
const RECENT: usize = 512;

#[derive(Clone, Debug, Default)]
struct Object {
    size: u64,
    pages: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Words<W> {
    words: Vec<W>,
    tables: Vec<[u32; PAGE_WORDS]>,
    pages: FxHashMap<u64, u32>,
    recent: Box<[(u64, u32)]>,
    objects: BTreeMap<u64, Object>,
    unused_words: Vec<u32>,
    unused_tables: Vec<u32>,
}

impl<W> Default for Words<W> {
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

impl<W: Default> Words<W> {
    /// The word of a number: its address in words.
    #[inline]
    pub fn word(&mut self, number: u64) -> &mut W {
        let (page, nth) = (number / PAGE_WORDS as u64, (number % PAGE_WORDS as u64) as usize);
        let (known, table) = self.recent[page as usize % RECENT];
        let table = if known == page { table } else { self.table(page) };
        let word = &mut self.tables[table as usize][nth];
        if *word == NOTHING {
            *word = self.unused_words.pop().unwrap_or_else(|| {
                self.words.push(W::default());
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

    /// An object ends. Shows what was remembered of it, for the last time; whoever sees it leaves nothing there.
    pub fn free(&mut self, base: u64, mut clear: impl FnMut(&mut W)) {
        let Some(object) = self.objects.remove(&base) else { return };
        let inside = base / WORD_BYTES..(base + object.size).div_ceil(WORD_BYTES);
        for page in object.pages {
            let Some(&table) = self.pages.get(&page) else { continue };
            let slots = &mut self.tables[table as usize];
            for (slot, number) in slots.iter_mut().zip(page * PAGE_WORDS as u64..) {
                if *slot == NOTHING || !inside.contains(&number) {
                    continue;
                }
                clear(&mut self.words[*slot as usize]);
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

    /// All words, those that are not in use as well.
    pub fn iter(&self) -> impl Iterator<Item = &W> {
        self.words.iter()
    }

    /// What is remembered of the word at an address, if anything is.
    pub fn get(&self, address: u64) -> Option<&W> {
        let number = address / WORD_BYTES;
        let table = *self.pages.get(&(number / PAGE_WORDS as u64))?;
        let word = self.tables[table as usize][(number % PAGE_WORDS as u64) as usize];
        self.words.get(word as usize)
    }
}

/// The words that `size` bytes at an address are in, each with a bit for every byte of it.
pub(crate) fn parts(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address + size.max(1);
    (address / WORD_BYTES..=(end - 1) / WORD_BYTES).map(move |number| {
        let from = address.max(number * WORD_BYTES) % WORD_BYTES;
        let to = end.min((number + 1) * WORD_BYTES) - number * WORD_BYTES;
        (number, (0xff_u8 << from) & (0xff_u8 >> (WORD_BYTES - to)))
    })
}
