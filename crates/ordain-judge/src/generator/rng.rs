//! The random numbers behind generated programs: splitmix64, so that a seed means the same program for ever, whatever
//! becomes of other people's crates.

#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`.
    pub fn below(&mut self, n: u32) -> u32 {
        (self.next_u64() % u64::from(n)) as u32
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// Picks by weight.
    pub fn weighted<T: Copy>(&mut self, from: &[(T, u32)]) -> T {
        let total = from.iter().map(|&(_, weight)| weight).sum();
        let mut left = self.below(total);
        for &(item, weight) in from {
            match left.checked_sub(weight) {
                Some(rest) => left = rest,
                None => return item,
            }
        }
        unreachable!("the weights add up to more than was drawn")
    }
}
