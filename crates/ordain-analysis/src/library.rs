//! Library functions whose models would mix up all that they are ever given: what they do to addresses, call by call.
//!
//! Everything else of the models is analysed like the program itself.

/// What a function does, with its arguments by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Copies from what the second points to to what the first points to, and returns a pointer into the latter.
    Copy,
    /// Returns a pointer into what the first points to.
    PointInto,
    /// Only looks at memory, or writes what is no address, and returns a number.
    Nothing,
}

pub(crate) fn effect(name: &str) -> Option<Effect> {
    let name = name.strip_prefix("__ordain_").unwrap_or(name);
    let known = EFFECTS.iter().find(|(names, _)| names.contains(&name));
    known.map(|(_, effect)| *effect)
}

const EFFECTS: &[(&[&str], Effect)] = &[
    (
        &["memcpy", "memmove", "mempcpy", "memccpy", "strcpy", "strncpy", "stpcpy", "stpncpy", "strcat", "strncat"],
        Effect::Copy,
    ),
    (
        &["memset", "memchr", "memrchr", "rawmemchr", "memmem", "strchr", "strrchr", "strchrnul", "strstr"],
        Effect::PointInto,
    ),
    (&["memcmp", "bzero", "explicit_bzero", "strlen", "strnlen", "strcmp", "strncmp"], Effect::Nothing),
];
