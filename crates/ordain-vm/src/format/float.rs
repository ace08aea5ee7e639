//! Floating-point numbers as text.

use super::decimal::Decimal;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// `%f`
    Fixed { upper: bool },
    /// `%e`
    Scientific { upper: bool },
    /// `%g`
    General { upper: bool },
    /// `%a`
    Hexadecimal { upper: bool },
}

impl Style {
    fn upper(self) -> bool {
        match self {
            Style::Fixed { upper }
            | Style::Scientific { upper }
            | Style::General { upper }
            | Style::Hexadecimal { upper } => upper,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Magnitude {
    Infinite,
    NotANumber,
    /// `significand * 2^exponent`
    Finite {
        significand: u64,
        exponent: i32,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Float {
    pub negative: bool,
    magnitude: Magnitude,
    /// How the leading digit of `%a` is chosen, and how many bits follow it.
    extended: bool,
}

const DEFAULT_PRECISION: usize = 6;

impl Float {
    pub fn double(bits: u64) -> Self {
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        let magnitude = match exponent {
            0x7ff if fraction == 0 => Magnitude::Infinite,
            0x7ff => Magnitude::NotANumber,
            0 => Magnitude::Finite { significand: fraction, exponent: -1074 },
            _ => Magnitude::Finite { significand: fraction | 1 << 52, exponent: exponent - 1075 },
        };
        Float { negative: bits >> 63 == 1, magnitude, extended: false }
    }

    /// x86's extended format: a whole significand, and sign and exponent.
    pub fn extended(significand: u64, high: u16) -> Self {
        let exponent = (high & 0x7fff) as i32;
        let magnitude = match exponent {
            0x7fff if significand << 1 == 0 => Magnitude::Infinite,
            0x7fff => Magnitude::NotANumber,
            _ => Magnitude::Finite { significand, exponent: exponent.max(1) - 16446 },
        };
        Float { negative: high >> 15 == 1, magnitude, extended: true }
    }
}

/// The text of a number without its sign. What stands in `prefix` comes before zeros that pad it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Body {
    pub prefix: &'static str,
    pub text: String,
    pub is_number: bool,
}

pub(super) fn digits(value: &Float, style: Style, precision: Option<usize>, alternative: bool) -> Body {
    let word = |text: &str| Body { prefix: "", text: text.to_owned(), is_number: false };
    let mut body = match value.magnitude {
        Magnitude::Infinite => word("inf"),
        Magnitude::NotANumber => word("nan"),
        Magnitude::Finite { significand, exponent } => {
            let text = match style {
                Style::Hexadecimal { .. } => hexadecimal(value, precision, alternative),
                _ => decimal(Decimal::new(significand, exponent), style, precision, alternative),
            };
            let prefix = if matches!(style, Style::Hexadecimal { .. }) { "0x" } else { "" };
            Body { prefix, text, is_number: true }
        }
    };
    if style.upper() {
        body.text.make_ascii_uppercase();
        body.prefix = if body.prefix.is_empty() { "" } else { "0X" };
    }
    body
}

fn decimal(number: Decimal, style: Style, precision: Option<usize>, alternative: bool) -> String {
    let precision = precision.unwrap_or(DEFAULT_PRECISION);
    match style {
        Style::Fixed { .. } => fixed(number, precision, alternative),
        Style::Scientific { .. } => scientific(number, precision, alternative),
        _ => general(number, precision.max(1), alternative),
    }
}

fn fixed(mut number: Decimal, precision: usize, point: bool) -> String {
    number.round(number.point + precision as i64);
    let mut text: String = (0..number.point.max(1)).rev().map(|power| number.digit(power) as char).collect();
    if precision > 0 || point {
        text.push('.');
    }
    text.extend((1..=precision as i64).map(|place| number.digit(-place) as char));
    text
}

fn scientific(mut number: Decimal, precision: usize, point: bool) -> String {
    number.round(precision as i64 + 1);
    let exponent = exponent_of(&number);
    let mut text = String::from(number.digit(exponent) as char);
    if precision > 0 || point {
        text.push('.');
    }
    text.extend((1..=precision as i64).map(|place| number.digit(exponent - place) as char));
    text + &format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn exponent_of(number: &Decimal) -> i64 {
    if number.digits.is_empty() { 0 } else { number.point - 1 }
}

/// So many digits that count, in the shorter style; zeros at the end go unless all are asked for.
fn general(mut number: Decimal, precision: usize, alternative: bool) -> String {
    number.round(precision as i64);
    let exponent = exponent_of(&number);
    let kept = if alternative { precision } else { number.digits.len().max(1) } as i64;
    if (-4..precision as i64).contains(&exponent) {
        let places = (kept - 1 - exponent).max(0);
        fixed(number, places as usize, alternative)
    } else {
        scientific(number, (kept - 1) as usize, alternative)
    }
}

/// Doubles have one bit before the point, extended numbers four.
fn hexadecimal(value: &Float, precision: Option<usize>, alternative: bool) -> String {
    let Magnitude::Finite { significand, exponent } = value.magnitude else { return String::new() };
    let fraction_bits: u32 = if value.extended { 60 } else { 52 };
    let mut exponent = if significand == 0 { 0 } else { exponent + fraction_bits as i32 };
    let mut bits = significand as u128;
    if let Some(dropped) = precision.and_then(|p| fraction_bits.checked_sub(4 * p as u32)) {
        bits = rounded(bits, dropped);
    }
    let mut lead = bits >> fraction_bits;
    if lead > 0xf {
        (lead, exponent) = (1, exponent + 4);
    }
    let fraction = bits as u64 & ((1 << fraction_bits) - 1);
    let mut digits = format!("{fraction:0width$x}", width = fraction_bits as usize / 4);
    match precision {
        Some(precision) => digits = format!("{digits:0<precision$}")[..precision].to_owned(),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() && !alternative { "" } else { "." };
    format!("{lead:x}{point}{digits}p{exponent:+}")
}

/// Makes the last `count` bits zero, rounding half to even.
fn rounded(bits: u128, count: u32) -> u128 {
    if count == 0 {
        return bits;
    }
    let (kept, dropped, half) = (bits >> count, bits & ((1 << count) - 1), 1 << (count - 1));
    let up = dropped > half || dropped == half && kept & 1 == 1;
    (kept + up as u128) << count
}
