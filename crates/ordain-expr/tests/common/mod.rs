//! Random terms together with their values, computed by `op` alone and not by way of the terms.

use ordain_expr::op::{self, BinOp, CastOp, Pred, Width};
use ordain_expr::{SymbolId, Term, Terms};

pub const BIN_OPS: [BinOp; 13] = [
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
pub const PREDS: [Pred; 6] = [Pred::Eq, Pred::Ne, Pred::Ult, Pred::Ule, Pred::Slt, Pred::Sle];

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

    pub fn width(&mut self) -> Width {
        match self.below(4) {
            0 => self.pick(&[1, 8, 16, 32, 64]),
            1 => 1 + self.below(4) as Width,
            _ => 1 + self.below(64) as Width,
        }
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
}

impl Pool {
    pub fn new(seed: u64) -> Self {
        let random = Random::new(seed);
        let mut pool = Pool { terms: Terms::new(), samples: Vec::new(), symbols: Vec::new(), random };
        let main = pool.random.width();
        for width in [main, main, 1, pool.random.width()] {
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

    fn any(&mut self) -> Sample {
        let index = self.random.below(self.samples.len());
        self.samples[index]
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
        let sample = match self.random.below(16) {
            0..7 => {
                let (op, b) = (self.random.pick(&BIN_OPS), self.of_width(width));
                let (a, b) = if self.random.below(2) == 0 { (a, b) } else { (b, a) };
                self.combined(self_bin(op), a, b, |x, y| op::bin(op, width, x, y))
            }
            7..10 => {
                let (pred, b) = (self.random.pick(&PREDS), self.of_width(width));
                let (a, b) = if self.random.below(2) == 0 { (a, b) } else { (b, a) };
                self.combined(self_cmp(pred), a, b, |x, y| op::cmp(pred, width, x, y) as u64)
            }
            10 => {
                let to = self.random.width();
                self.resized(a, to)
            }
            11 | 12 => {
                let low = self.random.below(width as usize) as u8;
                let length = 1 + self.random.below((width - low) as usize) as u8;
                let term = self.terms.extract(a.term, low, length);
                Sample { term, values: a.values.map(|x| (x >> low) & op::mask(length)) }
            }
            13 if width < 64 => {
                let low_width = 1 + self.random.below(64 - width as usize) as u8;
                let low = self.of_width(low_width);
                self.combined(|terms, a, b| terms.concat(a, b), a, low, |x, y| x << low_width | y)
            }
            _ => {
                let (c, b) = (self.of_width(1), self.of_width(width));
                let term = self.terms.ite(c.term, a.term, b.term);
                let choose = |i: usize| if c.values[i] != 0 { a.values[i] } else { b.values[i] };
                Sample { term, values: std::array::from_fn(choose) }
            }
        };
        self.samples.push(sample);
        sample
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

fn self_bin(op: BinOp) -> impl Fn(&mut Terms, Term, Term) -> Term {
    move |terms, a, b| terms.bin(op, a, b)
}

fn self_cmp(pred: Pred) -> impl Fn(&mut Terms, Term, Term) -> Term {
    move |terms, a, b| terms.cmp(pred, a, b)
}
