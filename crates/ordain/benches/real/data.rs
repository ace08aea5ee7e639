//! What is compressed: some text, some numbers, some noise, some repetition, the same every time.

use ordain_vm::Rng;

pub const SIZE: usize = 256 * 1024;

const WORDS: [&str; 16] = [
    "thread", "order", "the", "of", "a", "lock", "waits", "until", "another", "writes", "reads", "memory", "and",
    "never", "barrier", "schedule",
];

pub fn data() -> Vec<u8> {
    let mut rng = Rng::new(1);
    let mut data = Vec::with_capacity(SIZE + 4096);
    while data.len() < SIZE {
        match rng.below(8) {
            0 => data.extend((0..64).flat_map(|_| rng.next_u64().to_le_bytes())),
            1 => data.extend((0..256u32).flat_map(|i| (i * i).to_le_bytes())),
            2 if data.len() > 8192 => {
                let start = rng.below(data.len() - 4096);
                data.extend_from_within(start..start + 2048);
            }
            _ => data.extend((0..200).flat_map(|_| [WORDS[rng.below(WORDS.len())], " "].concat().into_bytes())),
        }
    }
    data.truncate(SIZE);
    data
}
