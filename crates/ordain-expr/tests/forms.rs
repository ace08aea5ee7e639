//! Terms that must come out in a particular form, because others rely on it.

use ordain_expr::op::{BinOp, CastOp, Pred};
use ordain_expr::{Term, Terms};

fn bytes(terms: &mut Terms, t: Term) -> Vec<Term> {
    (0..terms.width(t) / 8).map(|i| terms.extract(t, 8 * i, 8)).collect()
}

fn joined(terms: &mut Terms, bytes: &[Term]) -> Term {
    bytes[1..].iter().fold(bytes[0], |low, &high| terms.concat(high, low))
}

/// A value that is stored and loaded byte by byte is itself again, whatever it is made of.
#[test]
fn a_value_survives_being_copied_bytewise() {
    let mut terms = Terms::new();
    let (x, y, c) = (terms.symbol(64), terms.symbol(16), terms.symbol(1));
    let (base, other) = (terms.constant(64, 0x10_0000_1000), terms.constant(64, 0x10_0000_2000));
    let offset = terms.constant(64, 24);
    let values = [
        x,
        terms.bin(BinOp::Add, x, offset),
        terms.cast(CastOp::ZExt, 64, y),
        terms.cast(CastOp::SExt, 64, y),
        terms.ite(c, base, other),
        terms.ite(c, x, other),
        terms.bin(BinOp::Mul, x, offset),
        terms.cast(CastOp::ZExt, 32, c),
    ];
    for value in values {
        let bytes = bytes(&mut terms, value);
        let again = joined(&mut terms, &bytes);
        assert_eq!(again, value, "{} became {}", terms.display(value), terms.display(again));
        let from_above =
            bytes[..bytes.len() - 1].iter().rev().fold(bytes[bytes.len() - 1], |high, &low| terms.concat(high, low));
        assert_eq!(from_above, value, "{} became {}", terms.display(value), terms.display(from_above));
    }
}

/// `b0 | b1 << 8`, as C programs put bytes together, is the same term as a two-byte load.
#[test]
fn shifts_and_ors_put_bytes_together() {
    let mut terms = Terms::new();
    let x = terms.symbol(16);
    let parts = bytes(&mut terms, x);
    let wide: Vec<Term> = parts.iter().map(|&b| terms.cast(CastOp::ZExt, 32, b)).collect();
    let eight = terms.constant(32, 8);
    let shifted = terms.bin(BinOp::Shl, wide[1], eight);
    let together = terms.or(wide[0], shifted);
    assert_eq!(together, terms.cast(CastOp::ZExt, 32, x));
}

#[test]
fn addresses_with_one_base_compare_by_offset() {
    let mut terms = Terms::new();
    let (base, i) = (terms.symbol(64), terms.symbol(64));
    let (four, eight, one) = (terms.constant(64, 4), terms.constant(64, 8), terms.constant(64, 1));
    let scaled = terms.bin(BinOp::Mul, i, eight);
    let element = terms.bin(BinOp::Add, base, scaled);
    let field = terms.bin(BinOp::Add, element, four);
    let next_i = terms.bin(BinOp::Add, i, one);
    let next_scaled = terms.bin(BinOp::Mul, next_i, eight);
    let next = terms.bin(BinOp::Add, base, next_scaled);
    assert_eq!(terms.bin(BinOp::Add, field, four), next);
    let same = terms.eq(field, next);
    assert_eq!(terms.as_const(same), Some(0));
    assert_eq!(terms.bin(BinOp::Sub, next, element), eight);
}

#[test]
fn bounds_checks_are_discharged_by_ranges() {
    let mut terms = Terms::new();
    let x = terms.symbol(32);
    let (seven, ten, eighty) = (terms.constant(32, 7), terms.constant(32, 10), terms.constant(64, 80));
    let masked = terms.and(x, seven);
    assert_eq!(terms.range(masked), (0, 7));
    let index = terms.bin(BinOp::URem, x, ten);
    let wide = terms.cast(CastOp::ZExt, 64, index);
    let eight = terms.constant(64, 8);
    let offset = terms.bin(BinOp::Mul, wide, eight);
    assert_eq!((terms.range(offset), terms.trailing_zero_bits(offset)), ((0, 72), 3));
    let inside = terms.cmp(Pred::Ult, offset, eighty);
    assert_eq!(terms.as_const(inside), Some(1));
}

#[test]
fn truth_values_are_not_wrapped_in_integers() {
    let mut terms = Terms::new();
    let (x, y) = (terms.symbol(32), terms.symbol(32));
    let less = terms.cmp(Pred::Slt, x, y);
    let wide = terms.cast(CastOp::ZExt, 32, less);
    let zero = terms.constant(32, 0);
    assert_eq!(terms.cmp(Pred::Ne, wide, zero), less);
    let not_less = terms.not(less);
    assert_eq!(terms.eq(wide, zero), not_less);
    assert_eq!(terms.and(less, not_less), terms.bool(false));
    assert_eq!(terms.not(not_less), less);
}

/// Neither depth nor sharing is a problem: 100,000 levels, each of which uses the one below twice.
#[test]
fn deep_and_shared_terms_are_walked_once() {
    let mut terms = Terms::new();
    let x = terms.symbol(32);
    let mut t = x;
    for i in 0..100_000 {
        let doubled = terms.bin(BinOp::Mul, t, t);
        let noise = terms.constant(32, i);
        t = terms.bin(BinOp::Xor, doubled, noise);
    }
    assert_eq!(terms.symbols_in(t).len(), 1);
    let expected = (0..100_000u32).fold(3u32, |v, i| v.wrapping_mul(v) ^ i);
    assert_eq!(terms.eval(t, &mut |_| 3), expected as u64);
    let three = terms.constant(32, 3);
    let id = terms.symbol_id(x).expect("a symbol");
    let replaced = terms.substitute(t, &[(id, three)].into_iter().collect());
    assert_eq!(terms.as_const(replaced), Some(expected as u64));
    assert!(!terms.display(t).is_empty());
}

/// What a loop makes of a variable that some iterations reset: comparing it must not recurse through all of them.
#[test]
fn long_histories_are_compared_without_recursion() {
    let mut terms = Terms::new();
    let (mut mixed, mut reset) = (terms.symbol(32), terms.symbol(32));
    let (one, five) = (terms.constant(32, 1), terms.constant(32, 5));
    for _ in 0..100_000 {
        let next = terms.bin(BinOp::Add, mixed, one);
        mixed = terms.bin(BinOp::Xor, next, five);
        let (condition, next) = (terms.symbol(1), terms.bin(BinOp::Add, reset, one));
        reset = terms.ite(condition, five, next);
    }
    let mixed_is_five = terms.eq(mixed, five);
    assert_eq!(terms.cone(&[mixed_is_five]).len(), 3);
    let reset_is_five = terms.eq(reset, five);
    assert_eq!(terms.eval(reset_is_five, &mut |id| u64::from(id.0 > 1)), 1);
}

#[test]
fn terms_are_readable() {
    let mut terms = Terms::new();
    let (x, b) = (terms.symbol(32), terms.symbol(8));
    let minus_four = terms.constant(32, -4i64 as u64);
    let sum = terms.bin(BinOp::Add, x, minus_four);
    let wide = terms.cast(CastOp::ZExt, 32, b);
    let less = terms.cmp(Pred::Ult, sum, wide);
    assert_eq!(terms.display(less), "(s0 + -4) <u zext32(s1)");
    let same = terms.eq(x, wide);
    let differ = terms.not(same);
    assert_eq!(terms.display(differ), "!(s0 == zext32(s1))");
}
