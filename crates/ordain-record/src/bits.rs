//! A path, decision by decision (see `ordain_rt::format` for how words are made up).

use ordain_rt::format::EMPTY_WORD;

/// Reads a path from its beginning.
#[derive(Clone, Debug)]
pub struct PathReader<'a> {
    words: &'a [u64],
    /// The word at hand, and how many of its bits are left.
    at: usize,
    left: u32,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoBits {
    /// The path ends here.
    End,
    /// No path that a program wrote has such a word here.
    Damaged { word: usize },
}

impl<'a> PathReader<'a> {
    pub fn new(words: &'a [u64]) -> Self {
        let left = words.first().map_or(0, |&word| bits_in(word));
        PathReader { words, at: 0, left }
    }

    /// The next group of `count` bits (1 to 63).
    pub fn bits(&mut self, count: u32) -> Result<u64, NoBits> {
        if self.left == 0 {
            let Some(&next) = self.words.get(self.at + 1) else { return Err(NoBits::End) };
            // Whoever wrote went on to the next word only because there was no room.
            let full = self.words[self.at] >> (64 - count) != 0;
            if !full {
                return Err(self.damaged());
            }
            if next == EMPTY_WORD {
                // About to take its first bits when the process ended.
                return if self.at + 2 == self.words.len() { Err(NoBits::End) } else { Err(self.damaged_next()) };
            }
            self.at += 1;
            self.left = bits_in(next);
        }
        if self.left < count {
            return Err(self.damaged());
        }
        self.left -= count;
        Ok(self.words[self.at] >> self.left & (u64::MAX >> (64 - count)))
    }

    /// A value in a word of its own.
    pub fn raw(&mut self) -> Result<u64, NoBits> {
        if self.left > 0 {
            return Err(self.damaged());
        }
        let rest = self.words.get(self.at + 1..).unwrap_or_default();
        match rest {
            // Written as an empty word first, and followed by one.
            [] | [EMPTY_WORD] | [_] => Err(NoBits::End),
            [value, after, ..] => {
                self.at += 2;
                self.left = bits_in(*after);
                Ok(value.wrapping_sub(1))
            }
        }
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.left == 0 && self.words.get(self.at + 1..).unwrap_or_default().iter().all(|&word| word == EMPTY_WORD)
    }

    /// The number of the word at hand.
    pub fn word(&self) -> usize {
        self.at
    }

    fn damaged(&self) -> NoBits {
        NoBits::Damaged { word: self.at }
    }

    fn damaged_next(&self) -> NoBits {
        NoBits::Damaged { word: self.at + 1 }
    }
}

fn bits_in(word: u64) -> u32 {
    63 - word.max(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the inlined code does, with numbers.
    #[derive(Default)]
    struct Writer {
        words: Vec<u64>,
    }

    impl Writer {
        fn new() -> Self {
            Writer { words: vec![EMPTY_WORD] }
        }

        fn bits(&mut self, bits: u64, count: u32) {
            if self.words[self.words.len() - 1] >> (64 - count) != 0 {
                self.words.push(EMPTY_WORD);
            }
            let last = self.words.len() - 1;
            self.words[last] = self.words[last] << count | bits;
        }

        fn raw(&mut self, value: u64) {
            self.words.push(value.wrapping_add(1));
            self.words.push(EMPTY_WORD);
        }
    }

    /// A mixture that depends on `seed`: (bits, count), count 0 for raw.
    fn mixture(seed: u64, length: usize) -> Vec<(u64, u32)> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        (0..length)
            .map(|_| match next() % 20 {
                0 => (next(), 0),
                1..=4 => {
                    let count = 1 + (next() % 12) as u32;
                    (next() & (u64::MAX >> (64 - count)), count)
                }
                _ => (next() & 1, 1),
            })
            .collect()
    }

    #[test]
    fn what_is_written_is_read() {
        for seed in 0..200 {
            let mixture = mixture(seed, 300);
            let mut writer = Writer::new();
            for &(value, count) in &mixture {
                if count == 0 { writer.raw(value) } else { writer.bits(value, count) }
            }
            let mut reader = PathReader::new(&writer.words);
            for &(value, count) in &mixture {
                assert!(!reader.is_at_end());
                let read = if count == 0 { reader.raw() } else { reader.bits(count) };
                assert_eq!(read, Ok(value));
            }
            assert!(reader.is_at_end());
            assert_eq!(reader.bits(1), Err(NoBits::End));
        }
    }

    #[test]
    fn every_prefix_of_the_words_is_read_to_its_end() {
        let mixture = mixture(7, 500);
        let mut writer = Writer::new();
        for &(value, count) in &mixture {
            if count == 0 { writer.raw(value) } else { writer.bits(value, count) }
        }
        for words in 1..writer.words.len() {
            let mut reader = PathReader::new(&writer.words[..words]);
            let end = mixture.iter().find_map(|&(value, count)| {
                let read = if count == 0 { reader.raw() } else { reader.bits(count) };
                read.inspect(|read| assert_eq!(*read, value)).err()
            });
            assert_eq!(end, Some(NoBits::End), "{words} words");
        }
    }

    #[test]
    fn a_group_that_does_not_fit_its_word_is_noticed() {
        let words = [0b1011, 0b1];
        let mut reader = PathReader::new(&words);
        assert_eq!(reader.bits(2), Ok(0b01));
        assert_eq!(reader.bits(2), Err(NoBits::Damaged { word: 0 }));
        let mut reader = PathReader::new(&[0b10, 0b110]);
        assert_eq!(reader.bits(1), Ok(0));
        // The first word had room for more.
        assert_eq!(reader.bits(1), Err(NoBits::Damaged { word: 0 }));
    }
}
