//! The parts of a format text.

use super::Class;
use super::float::Style;
use crate::stop::Stop;

/// A width or precision that is larger is taken for a mistake.
const LARGEST_SIZE: i32 = 1 << 20;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Text(Vec<u8>),
    Conversion(Conversion),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    None,
    Given(i32),
    /// The value of an argument, by number.
    Argument(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Letter {
    Signed,
    Unsigned,
    Octal,
    Hexadecimal { upper: bool },
    Character,
    Text,
    Pointer,
    Float(Style),
    Count,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conversion {
    pub left: bool,
    pub zero: bool,
    pub plus: bool,
    pub space: bool,
    pub alternative: bool,
    pub width: Size,
    pub precision: Size,
    /// Of an integer.
    pub bits: u32,
    extended: bool,
    pub letter: Letter,
    /// Which argument it converts.
    pub argument: usize,
}

impl Conversion {
    pub fn class(&self) -> Class {
        match self.letter {
            Letter::Float(_) if self.extended => Class::Extended,
            Letter::Float(_) => Class::Double,
            _ => Class::Word,
        }
    }
}

/// The classes of all arguments.
pub(super) fn classes(pieces: &[Piece]) -> Vec<Class> {
    let mut classes = Vec::new();
    let mut set = |at: usize, class: Class| {
        if at >= classes.len() {
            classes.resize(at + 1, Class::Word);
        }
        classes[at] = class;
    };
    for piece in pieces {
        if let Piece::Conversion(conversion) = piece {
            for size in [conversion.width, conversion.precision] {
                if let Size::Argument(at) = size {
                    set(at, Class::Word);
                }
            }
            set(conversion.argument, conversion.class());
        }
    }
    classes
}

pub(super) fn parse(format: &[u8]) -> Result<Vec<Piece>, Stop> {
    let mut parser = Parser { rest: format, next_argument: 0 };
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    while let Some((&byte, after)) = parser.rest.split_first() {
        parser.rest = after;
        if byte != b'%' {
            text.push(byte);
        } else if parser.skip(b"%") {
            text.push(b'%');
        } else {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            pieces.push(Piece::Conversion(parser.conversion()?));
        }
    }
    pieces.push(Piece::Text(text));
    Ok(pieces)
}

struct Parser<'a> {
    rest: &'a [u8],
    next_argument: usize,
}

impl Parser<'_> {
    fn skip(&mut self, prefix: &[u8]) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn argument(&mut self) -> usize {
        self.next_argument += 1;
        self.next_argument - 1
    }

    fn conversion(&mut self) -> Result<Conversion, Stop> {
        let text = self.rest;
        let position = self.position();
        let mut flags = [false; 5];
        while let Some(flag) = self.rest.first().and_then(|byte| b"-0+ #'I".iter().position(|flag| flag == byte)) {
            // Grouping and other digits are for other locales.
            if let Some(flag) = flags.get_mut(flag) {
                *flag = true;
            }
            self.rest = &self.rest[1..];
        }
        let [left, zero, plus, space, alternative] = flags;
        let width = self.size()?;
        let precision = match self.skip(b".") {
            true => match self.size()? {
                Size::None => Size::Given(0),
                size => size,
            },
            false => Size::None,
        };
        let (bits, extended) = self.length();
        let Some(letter) = self.rest.first().and_then(|letter| meaning(*letter)) else {
            let used = (text.len() - self.rest.len() + 1).min(text.len());
            let text = String::from_utf8_lossy(&text[..used]).into_owned();
            return Err(Stop::Unsupported(format!("the printf conversion '%{text}'")));
        };
        let wide = bits == 64 && matches!(self.rest[0], b'c' | b's') || matches!(self.rest[0], b'C' | b'S');
        if wide {
            return Err(Stop::Unsupported("printf of wide characters".to_owned()));
        }
        self.rest = &self.rest[1..];
        let argument = position.unwrap_or_else(|| self.argument());
        Ok(Conversion { left, zero, plus, space, alternative, width, precision, bits, extended, letter, argument })
    }

    /// `2$`: the second argument.
    fn position(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number: usize = std::str::from_utf8(&self.rest[..digits]).ok()?.parse().ok()?;
        if self.rest.get(digits) != Some(&b'$') || !(1..=4096).contains(&number) {
            return None;
        }
        self.rest = &self.rest[digits + 1..];
        Some(number - 1)
    }

    /// A width or precision: digits, or `*` for an argument.
    fn size(&mut self) -> Result<Size, Stop> {
        if self.skip(b"*") {
            let at = self.position();
            return Ok(Size::Argument(at.unwrap_or_else(|| self.argument())));
        }
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, after) = self.rest.split_at(digits);
        self.rest = after;
        if digits == 0 {
            return Ok(Size::None);
        }
        let number = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok()).filter(|n| *n < LARGEST_SIZE);
        number.map(Size::Given).ok_or_else(|| Stop::Unsupported("a printf width that is too large".to_owned()))
    }

    /// How many bits an integer has, and whether a floating-point number is extended.
    fn length(&mut self) -> (u32, bool) {
        let lengths: [(&[u8], u32); 9] = [
            (b"hh", 8),
            (b"h", 16),
            (b"ll", 64),
            (b"l", 64),
            (b"z", 64),
            (b"Z", 64),
            (b"j", 64),
            (b"t", 64),
            (b"q", 64),
        ];
        if self.skip(b"L") {
            return (64, true);
        }
        match lengths.iter().find(|(prefix, _)| self.rest.starts_with(prefix)) {
            Some((prefix, bits)) => {
                self.rest = &self.rest[prefix.len()..];
                (*bits, false)
            }
            None => (32, false),
        }
    }
}

fn meaning(letter: u8) -> Option<Letter> {
    let upper = letter.is_ascii_uppercase();
    Some(match letter {
        b'd' | b'i' => Letter::Signed,
        b'u' => Letter::Unsigned,
        b'o' => Letter::Octal,
        b'x' | b'X' => Letter::Hexadecimal { upper },
        b'c' | b'C' => Letter::Character,
        b's' | b'S' => Letter::Text,
        b'p' => Letter::Pointer,
        b'n' => Letter::Count,
        b'e' | b'E' => Letter::Float(Style::Scientific { upper }),
        b'f' | b'F' => Letter::Float(Style::Fixed { upper }),
        b'g' | b'G' => Letter::Float(Style::General { upper }),
        b'a' | b'A' => Letter::Float(Style::Hexadecimal { upper }),
        _ => return None,
    })
}
