//! `printf`: what a format text makes of values, byte for byte as glibc has it in the C locale.
//!
//! First the whole format is parsed (`parse`), since only then it is known which values it needs and of which class;
//! then they are fetched, in the order of the arguments; then each conversion is carried out.

mod decimal;
mod float;
mod parse;
#[cfg(test)]
mod tests;

use crate::memory::Undefined;
use crate::stop::Stop;
use float::Float;
use parse::{Conversion, Letter, Piece, Size};

/// Reads a text from the program's memory: up to its end, or so many characters.
pub(crate) type ReadText<'a> = &'a dyn Fn(u64, usize) -> Result<Vec<u8>, Stop>;

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Class {
    #[default]
    Word,
    Double,
    /// x86's `long double`.
    Extended,
}

/// An argument's bits; only those of an extended one need more than 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Value {
    pub low: u64,
    pub high: u16,
}

/// Where arguments come from, one after the other.
pub(crate) trait Arguments {
    fn next(&mut self, class: Class) -> Result<Value, Stop>;
}

/// The arguments of a call.
pub(crate) struct Given<'a>(pub std::slice::Iter<'a, (u64, Undefined)>);

impl Given<'_> {
    fn word(&mut self) -> Result<u64, Stop> {
        match self.0.next() {
            Some((value, 0)) => Ok(*value),
            Some(_) => Err(Stop::uninitialised("a value that is printed")),
            None => Err(Stop::Unsupported("a format text with more conversions than there are arguments".to_owned())),
        }
    }
}

impl Arguments for Given<'_> {
    fn next(&mut self, class: Class) -> Result<Value, Stop> {
        let low = self.word()?;
        let high = if class == Class::Extended { self.word()? as u16 } else { 0 };
        Ok(Value { low, high })
    }
}

/// A number that `%n` stores in the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub address: u64,
    pub bytes: u8,
    pub value: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Printed {
    pub text: Vec<u8>,
    pub counts: Vec<Count>,
}

pub(crate) fn print(format: &[u8], from: &mut dyn Arguments, read: ReadText<'_>) -> Result<Printed, Stop> {
    let pieces = parse::parse(format)?;
    let values = parse::classes(&pieces).into_iter().map(|class| from.next(class)).collect::<Result<Vec<_>, _>>()?;
    let mut printed = Printed::default();
    for piece in pieces {
        match piece {
            Piece::Text(text) => printed.text.extend(text),
            Piece::Conversion(conversion) => convert(&Settled::new(&conversion, &values), read, &mut printed)?,
        }
    }
    Ok(printed)
}

/// A conversion with everything it needs.
struct Settled<'a> {
    shape: &'a Conversion,
    left: bool,
    width: usize,
    precision: Option<usize>,
    value: Value,
}

impl<'a> Settled<'a> {
    fn new(shape: &'a Conversion, values: &[Value]) -> Self {
        let size = |size: Size| match size {
            Size::None => None,
            Size::Given(n) => Some(n),
            Size::Argument(at) => Some(values[at].low as i32),
        };
        let width = size(shape.width).unwrap_or(0);
        Settled {
            shape,
            left: shape.left || width < 0,
            width: width.unsigned_abs() as usize,
            // A negative precision is as if there were none.
            precision: size(shape.precision).and_then(|n| usize::try_from(n).ok()),
            value: values[shape.argument],
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match negative {
            true => "-",
            false if self.shape.plus => "+",
            false if self.shape.space => " ",
            false => "",
        }
    }

    fn pad(&self, prefix: &str, body: &[u8], zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(prefix.len() + body.len());
        let fill = |byte: u8, when: bool| std::iter::repeat_n(byte, if when { missing } else { 0 });
        let mut out: Vec<u8> = fill(b' ', !self.left && !zeros).collect();
        out.extend(prefix.bytes());
        out.extend(fill(b'0', zeros && !self.left));
        out.extend(body);
        out.extend(fill(b' ', self.left));
        out
    }

    fn digits(&self, prefix: &str, digits: String) -> Vec<u8> {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits,
        };
        self.pad(prefix, digits.as_bytes(), self.shape.zero && self.precision.is_none())
    }
}

fn convert(c: &Settled<'_>, read: ReadText<'_>, printed: &mut Printed) -> Result<(), Stop> {
    let bits = c.shape.bits;
    let word = c.value.low;
    let unsigned = word & (u64::MAX >> (64 - bits));
    let text = match c.shape.letter {
        Letter::Count => {
            let count = Count { address: word, bytes: (bits / 8) as u8, value: printed.text.len() as u64 };
            printed.counts.push(count);
            Vec::new()
        }
        Letter::Character => c.pad("", &[word as u8], false),
        Letter::Text => c.pad("", &text(c, word, read)?, false),
        Letter::Signed => {
            let shift = 64 - bits;
            let signed = ((word << shift) as i64) >> shift;
            c.digits(c.sign(signed < 0), signed.unsigned_abs().to_string())
        }
        Letter::Unsigned => c.digits("", unsigned.to_string()),
        Letter::Hexadecimal { upper } => {
            let prefix = if upper { "0X" } else { "0x" };
            let digits = if upper { format!("{unsigned:X}") } else { format!("{unsigned:x}") };
            c.digits(if c.shape.alternative && unsigned != 0 { prefix } else { "" }, digits)
        }
        Letter::Octal => octal(c, unsigned),
        Letter::Pointer if word == 0 => c.pad("", b"(nil)", false),
        Letter::Pointer => c.digits(&format!("{}0x", c.sign(false)), format!("{word:x}")),
        Letter::Float(style) => {
            let value = match c.shape.class() {
                Class::Extended => Float::extended(c.value.low, c.value.high),
                _ => Float::double(word),
            };
            let body = float::digits(&value, style, c.precision, c.shape.alternative);
            c.pad(
                &format!("{}{}", c.sign(value.negative), body.prefix),
                body.text.as_bytes(),
                c.shape.zero && body.is_number,
            )
        }
    };
    printed.text.extend(text);
    Ok(())
}

fn text(c: &Settled<'_>, address: u64, read: ReadText<'_>) -> Result<Vec<u8>, Stop> {
    const NULL: &[u8] = b"(null)";
    if address != 0 {
        return read(address, c.precision.unwrap_or(usize::MAX));
    }
    // All of it or nothing.
    Ok(if c.precision.is_none_or(|p| p >= NULL.len()) { NULL.to_vec() } else { Vec::new() })
}

/// The alternative form is a leading zero, which may be there already.
fn octal(c: &Settled<'_>, value: u64) -> Vec<u8> {
    let digits = format!("{value:o}");
    let padded = c.precision.is_some_and(|p| p > digits.len());
    if c.shape.alternative && !padded && (value != 0 || c.precision == Some(0)) {
        let digits = if value == 0 { "0".to_owned() } else { format!("0{digits}") };
        return c.pad("", digits.as_bytes(), c.shape.zero && c.precision.is_none());
    }
    c.digits("", digits)
}
