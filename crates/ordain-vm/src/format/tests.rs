//! Formats with known results. How they compare with the C library's is tested on whole programs.

use super::*;

fn printed(format: &str, values: &[u64]) -> String {
    let values: Vec<_> = values.iter().map(|v| (*v, 0)).collect();
    let read = |address: u64, limit: usize| {
        let text = format!("text{address}").into_bytes();
        Ok(text[..limit.min(text.len())].to_vec())
    };
    let printed = print(format.as_bytes(), &mut Given(values.iter()), &read).expect("a supported format");
    String::from_utf8(printed.text).expect("ASCII")
}

fn floats(format: &str, values: &[f64]) -> String {
    printed(format, &values.iter().map(|v| v.to_bits()).collect::<Vec<_>>())
}

#[test]
fn numbers() {
    assert_eq!(printed("%d %i %u", &[u64::MAX, 0xffff_ffff, 0xffff_ffff]), "-1 -1 4294967295");
    assert_eq!(printed("%ld %lld %lu %zu", &[u64::MAX, 1, u64::MAX, 3]), "-1 1 18446744073709551615 3");
    assert_eq!(printed("%x %X %#x %o %hhd", &[255, 255, 255, 8, 0x1ff]), "ff FF 0xff 10 -1");
}

#[test]
fn widths_and_precisions() {
    assert_eq!(printed("[%5d|%-5d|%05d|%+d|%.3d|%5.3d]", &[42; 6]), "[   42|42   |00042|+42|042|  042]");
    assert_eq!(printed("[%*d|%-*d]", &[4, 7, 3, 7]), "[   7|7  ]");
    assert_eq!(printed("[%8s|%-7s|%.2s]", &[1, 2, 3]), "[   text1|text2  |te]");
    assert_eq!(printed("[%08x|%#06x]", &[0xbeef, 0xbeef]), "[0000beef|0xbeef]");
}

#[test]
fn arguments_by_number() {
    assert_eq!(printed("%2$d %1$d %2$*1$d", &[3, 7]), "7 3   7");
}

#[test]
fn fractions_are_exact_and_rounded_half_to_even() {
    assert_eq!(floats("%.0f %.0f %.0f %.1f", &[0.5, 1.5, 2.5, 0.25]), "0 2 2 0.2");
    assert_eq!(floats("%.25f", &[0.1]), "0.1000000000000000055511151");
    assert_eq!(floats("%f %e %g", &[1e22, 12345.678, 1e-5]), "10000000000000000000000.000000 1.234568e+04 1e-05");
    assert_eq!(floats("%g %#g %g %.0e", &[100000.0, 1.0, 1e6, 9.5]), "100000 1.00000 1e+06 1e+01");
    assert_eq!(floats("[%8.2f|%-8.1f|%08.1f|%+.1f]", &[1.005, 2.0, -3.5, 4.0]), "[    1.00|2.0     |-00003.5|+4.0]");
    assert_eq!(floats("%.3f %.2f %.0f", &[0.0005, 0.001, 0.4]), "0.001 0.00 0");
}

#[test]
fn special_values() {
    assert_eq!(
        floats("%f %F %05f %e", &[f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, -0.0]),
        "inf INF  -inf -0.000000e+00"
    );
    assert_eq!(floats("%a %a %.1a %a", &[1.0, 0.5, 1.96875, 0.0]), "0x1p+0 0x1p-1 0x2.0p+0 0x0p+0");
}

#[test]
fn extended_numbers_take_two_words() {
    assert_eq!(printed("%Lf %d", &[1 << 63, 16383, 5]), "1.000000 5");
    assert_eq!(printed("%La", &[1 << 63, 16383]), "0x8p-3");
}

#[test]
fn others() {
    assert_eq!(printed("%c%%%p %p", &[65, 16, 0]), "A%0x10 (nil)");
    assert_eq!(printed("%s|%.3s", &[0, 0]), "(null)|");
    assert!(print(b"%d", &mut Given([].iter()), &|_, _| Ok(Vec::new())).is_err());
    assert!(print(b"%y", &mut Given([(0, 0)].iter()), &|_, _| Ok(Vec::new())).is_err());
}
