//! The `printf` family: one machinery, many names.
//!
//! What the functions differ in is where the text goes, whether values follow as arguments or in a `va_list`, and whether
//! it is the fortified version, which has further arguments before the format.

use serde::{Deserialize, Serialize};

/// Where the text goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Sink {
    StandardOutput,
    /// A `FILE *`, the first argument.
    Stream,
    /// A file descriptor, the first argument.
    Descriptor,
    /// Memory at the first argument.
    Text,
    /// Memory at the first argument, with as much room as the second says.
    BoundedText,
    /// A new heap object; the first argument says where its address goes.
    NewText,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Formatter {
    pub sink: Sink,
    pub fortified: bool,
    /// Whether the values are in a `va_list`.
    pub list: bool,
}

impl Formatter {
    pub fn named(name: &str) -> Option<Formatter> {
        let inner = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("_chk"));
        let base = inner.unwrap_or(name);
        let single = base.strip_prefix('v');
        let sink = match single.unwrap_or(base) {
            "printf" => Sink::StandardOutput,
            "fprintf" => Sink::Stream,
            "dprintf" => Sink::Descriptor,
            "sprintf" => Sink::Text,
            "snprintf" => Sink::BoundedText,
            "asprintf" => Sink::NewText,
            _ => return None,
        };
        Some(Formatter { sink, fortified: inner.is_some(), list: single.is_some() })
    }

    /// All names that are understood.
    pub fn names() -> impl Iterator<Item = String> {
        let bases = ["printf", "fprintf", "dprintf", "sprintf", "snprintf", "asprintf"];
        let forms: [fn(&str) -> String; 4] =
            [|b| b.to_owned(), |b| format!("v{b}"), |b| format!("__{b}_chk"), |b| format!("__v{b}_chk")];
        bases.into_iter().flat_map(move |base| forms.map(|form| form(base)))
    }

    /// Which argument is the format. The values, or the list of them, come after it.
    pub fn format_at(self) -> usize {
        let before = match self.sink {
            Sink::StandardOutput => 0,
            Sink::Stream | Sink::Descriptor | Sink::Text | Sink::NewText => 1,
            Sink::BoundedText => 2,
        };
        let checks = match self.sink {
            _ if !self.fortified => 0,
            // A flag, and the size of the object.
            Sink::Text | Sink::BoundedText => 2,
            _ => 1,
        };
        before + checks
    }

    /// The fewest arguments that make a call.
    pub fn arguments(self) -> usize {
        self.format_at() + 1 + self.list as usize
    }

    /// Whether the text leaves the program, or else goes to its memory.
    pub fn is_output(self) -> bool {
        matches!(self.sink, Sink::StandardOutput | Sink::Stream | Sink::Descriptor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where_the_format_is() {
        let at = |name| Formatter::named(name).map(Formatter::format_at);
        assert_eq!((at("printf"), at("__printf_chk"), at("vfprintf")), (Some(0), Some(1), Some(1)));
        assert_eq!((at("__vsnprintf_chk"), at("__sprintf_chk"), at("__asprintf_chk")), (Some(4), Some(3), Some(2)));
        assert_eq!((at("wprintf"), at("print"), at("__printf")), (None, None, None));
        assert!(Formatter::names().all(|name| Formatter::named(&name).is_some()));
    }
}
