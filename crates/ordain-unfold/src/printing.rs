//! Output: nobody reads it, but what is printed has to be defined, and texts have to be there.

use crate::Unfolder;
use crate::access::Stop;
use crate::builtin::unsupported;
use crate::state::State;
use ordain_expr::Term;
use ordain_model::forest::NodeId;

/// What a conversion of a format takes from the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    Number,
    Text,
}

impl Unfolder<'_> {
    /// `printf` and the like with the format at `args[0]`.
    pub(crate) fn print(&mut self, state: &mut State, node: NodeId, args: &[Term]) -> Result<(), Stop> {
        let format = self.decided(state, node, args[0])?;
        let Some(format) = self.constant_text(format) else {
            return unsupported("printing by a format that is not a constant has no model in explore");
        };
        let Some(conversions) = conversions(&format) else {
            return unsupported("a format that writes to memory, or numbers its arguments, has no model in explore");
        };
        let mut values = args[1..].iter();
        for taken in conversions {
            let Some(&value) = values.next() else {
                return unsupported("a format text with more conversions than there are arguments");
            };
            match taken {
                Taken::Number => self.print_number(state, node, value)?,
                Taken::Text => self.print_text(state, node, value)?,
            }
        }
        Ok(())
    }

    pub(crate) fn print_number(&mut self, state: &mut State, node: NodeId, value: Term) -> Result<(), Stop> {
        self.with_lane(state, node, |this, state, lane, effects| {
            this.use_value(state, lane, effects, value);
            Ok(())
        })
    }

    pub(crate) fn print_text(&mut self, state: &mut State, node: NodeId, address: Term) -> Result<(), Stop> {
        let address = self.decided(state, node, address)?;
        match self.constant_text(address) {
            Some(_) => Ok(()),
            None => unsupported("printing a text that is not a constant has no model in explore"),
        }
    }

    /// The zero-terminated text at an address that nobody writes to.
    fn constant_text(&self, address: u64) -> Option<Vec<u8>> {
        let inside = |base: u64, size: usize| address.checked_sub(base).is_some_and(|offset| offset < size as u64);
        let global = self.program.globals.iter().find(|g| g.constant && inside(g.address, g.init.len()))?;
        let bytes = &global.init[(address - global.address) as usize..];
        let end = bytes.iter().position(|&b| b == 0)?;
        Some(bytes[..end].to_vec())
    }
}

fn conversions(format: &[u8]) -> Option<Vec<Taken>> {
    let mut taken = Vec::new();
    let mut bytes = format.iter();
    while bytes.by_ref().any(|&b| b == b'%') {
        let mut extended = false;
        // Flags, width, precision and length come before the letter.
        for &b in bytes.by_ref() {
            match b {
                b'*' => taken.push(Taken::Number),
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' | b'0'..=b'9' => {}
                b'h' | b'l' | b'q' | b'j' | b'z' | b't' => {}
                b'L' => extended = true,
                b'%' => break,
                b'n' | b'$' => return None,
                b's' => {
                    taken.push(Taken::Text);
                    break;
                }
                _ => {
                    // An extended floating-point number takes two words.
                    taken.extend(std::iter::repeat_n(Taken::Number, 1 + extended as usize));
                    break;
                }
            }
        }
    }
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::Taken::{Number, Text};
    use super::conversions;

    #[test]
    fn every_conversion_takes_what_it_prints() {
        assert_eq!(conversions(b"%d%% of %-*.3s, %08lx"), Some(vec![Number, Number, Text, Number]));
        assert_eq!(conversions(b"%Lf"), Some(vec![Number, Number]));
        assert_eq!(conversions(b"100%"), Some(vec![]));
        assert_eq!(conversions(b"%d%n"), None);
    }
}
