//! Random terms: whatever is rewritten while they are built, their values are those of the operations.

use ordain_expr::op;
use ordain_expr::sample::{ASSIGNMENTS, Pool, Sample};
use rustc_hash::FxHashMap;

fn check(pool: &Pool, sample: Sample) {
    let terms = &pool.terms;
    let (low, high) = terms.range(sample.term);
    let (zeros, ones) = terms.known_bits(sample.term);
    let aligned = op::mask_low(terms.trailing_zero_bits(sample.term) as u32);
    for (i, &expected) in sample.values.iter().enumerate() {
        let value = terms.eval(sample.term, &mut |id| pool.symbol_value(id, i));
        let text = || terms.display(sample.term);
        assert_eq!(value, expected, "value of {}", text());
        assert!((low..=high).contains(&value), "{value} not in {low}..={high}: {}", text());
        assert_eq!((value & zeros, value & ones), (0, ones), "known bits of {}", text());
        assert_eq!(value & aligned, 0, "alignment of {}", text());
    }
}

#[test]
fn rewrites_keep_the_value() {
    for seed in 0..6000 {
        let mut pool = Pool::new(seed, 64);
        for _ in 0..24 {
            let sample = pool.grow();
            check(&pool, sample);
        }
    }
}

/// Long histories over few bits: rules meet each other's results.
#[test]
fn deep_terms_keep_the_value() {
    for seed in 0..40 {
        let mut pool = Pool::new(1_000_000 + seed, 64);
        for _ in 0..600 {
            let sample = pool.grow();
            check(&pool, sample);
        }
    }
}

#[test]
fn substitution_is_evaluation_with_other_symbols() {
    for seed in 0..500 {
        let mut pool = Pool::new(2_000_000 + seed, 64);
        let sample = (0..30).map(|_| pool.grow()).last().expect("thirty samples");
        let first = pool.symbols[0];
        let id = pool.terms.symbol_id(first.term).expect("the first sample is a symbol");
        let width = pool.terms.width(first.term);
        let of_width = |s: &&Sample| pool.terms.width(s.term) == width;
        let other = *pool.samples.iter().rfind(of_width).expect("the symbol itself has this width");
        let replaced = pool.terms.substitute(sample.term, &FxHashMap::from_iter([(id, other.term)]));
        for i in 0..ASSIGNMENTS {
            let mut by_value = |s| if s == id { other.values[i] } else { pool.symbol_value(s, i) };
            let expected = pool.terms.eval(sample.term, &mut by_value);
            assert_eq!(pool.terms.eval(replaced, &mut |s| pool.symbol_value(s, i)), expected);
        }
    }
}
