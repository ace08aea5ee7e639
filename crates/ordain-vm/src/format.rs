//! `printf` for the conversions that programs use; others are an error that names them.

use crate::memory::Undefined;
use crate::stop::Stop;

/// Reads a zero-terminated text from the program's memory.
pub(crate) type ReadText<'a> = &'a dyn Fn(u64) -> Result<Vec<u8>, Stop>;

#[derive(Clone, Debug, Default)]
struct Conversion {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
    /// Of the argument.
    bits: u32,
    letter: u8,
}

/// The values that a format consumes, one after the other.
struct Arguments<'a> {
    values: std::slice::Iter<'a, (u64, Undefined)>,
}

impl Arguments<'_> {
    fn next(&mut self) -> Result<u64, Stop> {
        match self.values.next() {
            Some((value, 0)) => Ok(*value),
            Some(_) => Err(Stop::uninitialised("a value that is printed")),
            None => Err(Stop::Unsupported("a format text with more conversions than there are arguments".to_owned())),
        }
    }
}

pub(crate) fn print(format: &[u8], values: &[(u64, Undefined)], read: ReadText<'_>) -> Result<Vec<u8>, Stop> {
    let mut arguments = Arguments { values: values.iter() };
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
        } else if let Some(after) = rest.strip_prefix(b"%") {
            out.push(b'%');
            rest = after;
        } else {
            let conversion = parse(&mut rest, &mut arguments)?;
            out.extend(convert(&conversion, arguments.next()?, read)?);
        }
    }
    Ok(out)
}

fn parse(rest: &mut &[u8], arguments: &mut Arguments<'_>) -> Result<Conversion, Stop> {
    let text = *rest;
    let mut conversion = Conversion { bits: 32, ..Conversion::default() };
    while let Some((&flag, after)) = rest.split_first() {
        match flag {
            b'-' => conversion.left = true,
            b'0' => conversion.zero = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.space = true,
            b'#' => conversion.alternative = true,
            _ => break,
        }
        *rest = after;
    }
    let width = number(rest, arguments)?.unwrap_or(0);
    conversion.left |= width < 0;
    conversion.width = width.unsigned_abs() as usize;
    if let Some(after) = rest.strip_prefix(b".") {
        *rest = after;
        // A negative precision is as if there were none.
        conversion.precision = usize::try_from(number(rest, arguments)?.unwrap_or(0)).ok();
    }
    let lengths: [(&[u8], u32); 7] =
        [(b"hh", 8), (b"h", 16), (b"ll", 64), (b"l", 64), (b"z", 64), (b"j", 64), (b"t", 64)];
    if let Some((prefix, bits)) = lengths.iter().find(|(prefix, _)| rest.starts_with(prefix)) {
        conversion.bits = *bits;
        *rest = &rest[prefix.len()..];
    }
    match rest.split_first() {
        Some((&letter, after)) if b"diuxXocsp".contains(&letter) => {
            conversion.letter = letter;
            *rest = after;
            Ok(conversion)
        }
        _ => {
            let used = text.len() - rest.len() + 1;
            let text = String::from_utf8_lossy(&text[..used.min(text.len())]).into_owned();
            Err(Stop::Unsupported(format!("the printf conversion '%{text}'")))
        }
    }
}

/// A width or precision: digits, or `*` for an argument.
fn number(rest: &mut &[u8], arguments: &mut Arguments<'_>) -> Result<Option<i32>, Stop> {
    if let Some(after) = rest.strip_prefix(b"*") {
        *rest = after;
        return Ok(Some(arguments.next()? as i32));
    }
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, after) = rest.split_at(digits);
    *rest = after;
    if digits == 0 {
        return Ok(None);
    }
    let number = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok());
    let number = number.filter(|n| *n < 1 << 20);
    number.map(Some).ok_or_else(|| Stop::Unsupported("a printf width that is too large".to_owned()))
}

fn convert(c: &Conversion, value: u64, read: ReadText<'_>) -> Result<Vec<u8>, Stop> {
    let unsigned = value & (u64::MAX >> (64 - c.bits));
    Ok(match c.letter {
        b'c' => pad(c, "", vec![value as u8], false),
        b's' => {
            let mut text = read(value)?;
            text.truncate(c.precision.unwrap_or(usize::MAX));
            pad(c, "", text, false)
        }
        b'd' | b'i' => {
            let shift = 64 - c.bits;
            let signed = ((value << shift) as i64) >> shift;
            let sign = match signed {
                ..0 => "-",
                _ if c.plus => "+",
                _ if c.space => " ",
                _ => "",
            };
            digits(c, sign, signed.unsigned_abs().to_string())
        }
        b'u' => digits(c, "", unsigned.to_string()),
        b'x' => digits(c, if c.alternative && unsigned != 0 { "0x" } else { "" }, format!("{unsigned:x}")),
        b'X' => digits(c, if c.alternative && unsigned != 0 { "0X" } else { "" }, format!("{unsigned:X}")),
        b'o' => digits(c, if c.alternative && unsigned != 0 { "0" } else { "" }, format!("{unsigned:o}")),
        _ if value == 0 => pad(c, "", b"(nil)".to_vec(), false),
        _ => digits(c, "0x", format!("{value:x}")),
    })
}

fn digits(c: &Conversion, prefix: &str, digits: String) -> Vec<u8> {
    let digits = match c.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    pad(c, prefix, digits.into_bytes(), c.zero && !c.left && c.precision.is_none())
}

fn pad(c: &Conversion, prefix: &str, body: Vec<u8>, zeros: bool) -> Vec<u8> {
    let missing = c.width.saturating_sub(prefix.len() + body.len());
    let fill = |byte: u8, when: bool| std::iter::repeat_n(byte, if when { missing } else { 0 });
    let mut out: Vec<u8> = fill(b' ', !c.left && !zeros).collect();
    out.extend(prefix.bytes());
    out.extend(fill(b'0', zeros));
    out.extend(body);
    out.extend(fill(b' ', c.left));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &str, values: &[u64]) -> String {
        let values: Vec<_> = values.iter().map(|v| (*v, 0)).collect();
        let read = |address: u64| Ok(format!("text{address}").into_bytes());
        String::from_utf8(print(format.as_bytes(), &values, &read).expect("a supported format")).expect("ASCII")
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
    fn others() {
        assert_eq!(printed("%c%%%p %p", &[65, 16, 0]), "A%0x10 (nil)");
        let unsupported = print(b"%5.2f", &[(0, 0)], &|_| Ok(Vec::new()));
        assert_eq!(unsupported, Err(Stop::Unsupported("the printf conversion '%5.2f'".to_owned())));
        assert!(print(b"%d", &[], &|_| Ok(Vec::new())).is_err());
    }
}
