//! Random terms together with their values, computed by `op` alone and not by way of the terms.
//!
//! For tests, here and of what works on terms (feature `sample`).

use crate::op::{self, BinOp, CastOp, Pred, Width};
use crate::{SymbolId, Term, Terms};

const BIN_OPS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];
const PREDS: [Pred; 6] = [Pred::Eq, Pred::Ne, Pred::Ult, Pred::Ule, Pred::Slt, Pred::Sle];

/// xorshift64*: repeatable, and good enough to pick cases.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.bits() >> 32) % n as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// At most `widest`.
    pub fn width(&mut self, widest: Width) -> Width {
        let width = match self.below(4) {
            0 => self.pick(&[1, 8, 16, 32, 64]),
            1 | 2 => 1 + self.below(6) as Width,
            _ => 1 + self.below(widest as usize) as Width,
        };
        width.min(widest)
    }

    /// Values at which operations behave specially come often.
    pub fn value(&mut self, width: Width) -> u64 {
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << (width - 1),
            4 => op::mask(width) >> 1,
            5 => 1 << self.below(width as usize),
            6 => self.bits() % (width as u64 + 2),
            _ => self.bits(),
        };
        value & op::mask(width)
    }
}

/// How many assignments of the symbols are followed at once.
pub const ASSIGNMENTS: usize = 8;

/// A term and what it must evaluate to.
#[derive(Clone, Copy)]
pub struct Sample {
    pub term: Term,
    pub values: [u64; ASSIGNMENTS],
}

/// A growing pool of terms over a few symbols.
pub struct Pool {
    pub terms: Terms,
    pub samples: Vec<Sample>,
    pub symbols: Vec<Sample>,
    pub random: Random,
    /// No term is wider.
    widest: Width,
    /// Operations that this pool is rich in.
    favourites: [BinOp; 3],
}

impl Pool {
    pub fn new(seed: u64, widest: Width) -> Self {
        assert!((2..=64).contains(&widest));
        let mut random = Random::new(seed);
        let favourites = std::array::from_fn(|_| random.pick(&BIN_OPS));
        let mut pool =
            Pool { terms: Terms::new(), samples: Vec::new(), symbols: Vec::new(), random, widest, favourites };
        let main = pool.random.width(widest).max(2);
        for width in [main, main, 1, pool.random.width(widest)] {
            let term = pool.terms.symbol(width);
            let sample = Sample { term, values: std::array::from_fn(|_| pool.random.value(width)) };
            pool.symbols.push(sample);
            pool.samples.push(sample);
        }
        pool
    }

    pub fn symbol_value(&self, id: SymbolId, assignment: usize) -> u64 {
        self.symbols[id.0 as usize].values[assignment]
    }

    /// Recent ones come often, so that rules meet each other's results.
    fn any(&mut self) -> Sample {
        let count = self.samples.len();
        let oldest = if self.random.below(2) == 0 { count.saturating_sub(4) } else { 0 };
        let sample = self.samples[oldest + self.random.below(count - oldest)];
        // Comparisons make many truth values; they shall not crowd out the rest.
        if self.terms.width(sample.term) == 1 && self.random.below(4) != 0 { self.any() } else { sample }
    }

    fn operation(&mut self) -> BinOp {
        if self.random.below(4) == 0 { self.random.pick(&BIN_OPS) } else { self.random.pick(&self.favourites) }
    }

    /// A sample to combine with `a`: often a constant that is, or nearly is, one of its values, since equations with
    /// random sides never hold.
    fn partner(&mut self, a: Sample) -> Sample {
        let width = self.terms.width(a.term);
        if self.random.below(4) != 0 {
            return self.of_width(width);
        }
        let near = self.random.pick(&a.values).wrapping_add(self.random.below(3) as u64).wrapping_sub(1);
        let bits = near & op::mask(width);
        Sample { term: self.terms.constant(width, bits), values: [bits; ASSIGNMENTS] }
    }

    /// A sample of a width: one that is there, a constant, or an adapted one.
    fn of_width(&mut self, width: Width) -> Sample {
        let fitting: Vec<Sample> = self.samples.iter().copied().filter(|s| self.terms.width(s.term) == width).collect();
        if !fitting.is_empty() && self.random.below(4) != 0 {
            return self.random.pick(&fitting);
        }
        if self.random.below(2) == 0 {
            let bits = self.random.value(width);
            return Sample { term: self.terms.constant(width, bits), values: [bits; ASSIGNMENTS] };
        }
        let sample = self.any();
        self.resized(sample, width)
    }

    fn resized(&mut self, a: Sample, to: Width) -> Sample {
        let from = self.terms.width(a.term);
        let op = match () {
            () if to < from => CastOp::Trunc,
            () if self.random.below(2) == 0 => CastOp::ZExt,
            () => CastOp::SExt,
        };
        let term = self.terms.cast(op, to, a.term);
        Sample { term, values: a.values.map(|x| op::cast(op, from, to, x)) }
    }

    /// Builds one more term out of those that are there.
    pub fn grow(&mut self) -> Sample {
        let a = self.any();
        let width = self.terms.width(a.term);
        let sample = match self.random.below(17) {
            0..7 => {
                let (op, b) = (self.operation(), self.partner(a));
                let (a, b) = if self.random.below(2) == 0 { (a, b) } else { (b, a) };
                self.combined(building_bin(op), a, b, |x, y| op::bin(op, width, x, y))
            }
            7..10 => {
                let (pred, b) = (self.random.pick(&PREDS), self.partner(a));
                let (a, b) = if self.random.below(2) == 0 { (a, b) } else { (b, a) };
                self.combined(building_cmp(pred), a, b, |x, y| op::cmp(pred, width, x, y) as u64)
            }
            10 => {
                let same = self.any();
                let to = if self.random.below(2) == 0 {
                    self.random.width(self.widest)
                } else {
                    self.terms.width(same.term)
                };
                self.resized(a, to)
            }
            11 | 12 => {
                let low = self.random.below(width as usize) as u8;
                let length = 1 + self.random.below((width - low) as usize) as u8;
                let term = self.terms.extract(a.term, low, length);
                Sample { term, values: a.values.map(|x| (x >> low) & op::mask(length)) }
            }
            13 if width > 1 => self.taken_apart(a),
            14 if width < self.widest => {
                let low_width = 1 + self.random.below((self.widest - width) as usize) as u8;
                let low = self.of_width(low_width);
                self.combined(|terms, a, b| terms.concat(a, b), a, low, |x, y| x << low_width | y)
            }
            _ => {
                let (c, b) = (self.of_width(1), self.partner(a));
                let term = self.terms.ite(c.term, a.term, b.term);
                let choose = |i: usize| if c.values[i] != 0 { a.values[i] } else { b.values[i] };
                Sample { term, values: std::array::from_fn(choose) }
            }
        };
        self.samples.push(sample);
        sample
    }

    /// Cuts a sample in two, perhaps extends or bares one part, and puts them together again.
    fn taken_apart(&mut self, a: Sample) -> Sample {
        let width = self.terms.width(a.term);
        let split = 1 + self.random.below(width as usize - 1) as u8;
        let part = |pool: &mut Pool, low: u8, length: u8| Sample {
            term: pool.terms.extract(a.term, low, length),
            values: a.values.map(|x| (x >> low) & op::mask(length)),
        };
        let (mut high, mut low) = (part(self, split, width - split), part(self, 0, split));
        match self.random.below(4) {
            0 => {
                let room = 1 + (self.widest - width) as usize;
                let to = width - split + self.random.below(room) as u8;
                high = self.resized(high, to);
            }
            1 => high = self.partner(high),
            2 => low = self.partner(low),
            _ => {}
        }
        self.samples.extend([high, low]);
        self.combined(|terms, a, b| terms.concat(a, b), high, low, |x, y| x << split | y)
    }

    fn combined(
        &mut self,
        build: impl Fn(&mut Terms, Term, Term) -> Term,
        a: Sample,
        b: Sample,
        value: impl Fn(u64, u64) -> u64,
    ) -> Sample {
        let term = build(&mut self.terms, a.term, b.term);
        Sample { term, values: std::array::from_fn(|i| value(a.values[i], b.values[i])) }
    }
}

fn building_bin(op: BinOp) -> impl Fn(&mut Terms, Term, Term) -> Term {
    move |terms, a, b| terms.bin(op, a, b)
}

fn building_cmp(pred: Pred) -> impl Fn(&mut Terms, Term, Term) -> Term {
    move |terms, a, b| terms.cmp(pred, a, b)
}
