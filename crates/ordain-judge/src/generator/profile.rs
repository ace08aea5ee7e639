//! What kinds of statements a generated program is made of.

use super::rng::Rng;
use std::fmt;
use std::str::FromStr;

/// What generated programs are about, so that tests can balance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Profile {
    Mixed,
    Locks,
    Pointers,
    Atomics,
    Inputs,
    Heap,
    Awaits,
    /// Only loads, stores and fences on two or three globals: for TSO and PSO.
    Litmus,
    /// Condition variables.
    Conditions,
    /// What else the library has to synchronise threads: semaphores, barriers, other locks.
    Primitives,
    /// Ways that part for a moment, and meet again.
    Detours,
}

impl Profile {
    pub const ALL: [Profile; 9] = [
        Profile::Mixed,
        Profile::Locks,
        Profile::Pointers,
        Profile::Atomics,
        Profile::Inputs,
        Profile::Heap,
        Profile::Awaits,
        Profile::Litmus,
        Profile::Detours,
    ];

    /// What the library makes of mutexes and atomics: programs that are short, and have many points.
    pub const LIBRARY: [Profile; 2] = [Profile::Conditions, Profile::Primitives];

    fn name(self) -> &'static str {
        match self {
            Profile::Mixed => "mixed",
            Profile::Locks => "locks",
            Profile::Pointers => "pointers",
            Profile::Atomics => "atomics",
            Profile::Inputs => "inputs",
            Profile::Heap => "heap",
            Profile::Awaits => "awaits",
            Profile::Litmus => "litmus",
            Profile::Conditions => "conditions",
            Profile::Primitives => "primitives",
            Profile::Detours => "detours",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let every: Vec<Profile> = Profile::ALL.into_iter().chain(Profile::LIBRARY).collect();
        every.iter().copied().find(|p| p.name() == text).ok_or_else(|| {
            let names: Vec<&str> = every.iter().map(|p| p.name()).collect();
            format!("'{text}' is not a profile (expected {})", names.join(", "))
        })
    }
}

/// A kind of statement, or of a small group of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Plain,
    Atomic,
    Fence,
    Array,
    Pointer,
    Heap,
    /// Accesses of different sizes to the same bytes.
    Bytes,
    Lock,
    TryLock,
    Condition,
    Semaphore,
    ReadWrite,
    Spin,
    Barrier,
    Once,
    Await,
    Divide,
    Uninitialised,
    Helper,
    Branch,
    /// A branch that cannot be executed under a guard, with little in it.
    Detour,
    Switch,
    Loop,
    Assert,
    /// Leaves the thread or the process.
    Leave,
    Print,
}

/// How many kinds of statements one program is made of: threads that do quite different things do not meet.
const PALETTE_SIZE: usize = 4;

/// Kinds for one program, with their weights. The heaviest of the profile are always among them.
pub(super) fn palette(rng: &mut Rng, profile: Profile) -> Vec<(Kind, u32)> {
    let all = weights(profile);
    let heaviest = all.iter().map(|&(_, weight)| weight).max().unwrap_or(0);
    let is_chosen = |palette: &[(Kind, u32)], kind| palette.iter().any(|&(chosen, _)| chosen == kind);
    let mut palette: Vec<_> = all.iter().copied().filter(|&(_, weight)| weight == heaviest).collect();
    while palette.len() < PALETTE_SIZE.min(all.len()) {
        let kind = rng.weighted(all);
        if !is_chosen(&palette, kind) {
            palette.extend(all.iter().filter(|(other, _)| *other == kind));
        }
    }
    palette
}

/// The kinds of a profile with their weights.
fn weights(profile: Profile) -> &'static [(Kind, u32)] {
    use Kind::*;
    match profile {
        Profile::Mixed => &[
            (Plain, 6),
            (Atomic, 4),
            (Fence, 1),
            (Array, 3),
            (Pointer, 3),
            (Heap, 3),
            (Bytes, 3),
            (Lock, 3),
            (TryLock, 1),
            (Await, 1),
            (Divide, 2),
            (Uninitialised, 1),
            (Helper, 2),
            (Branch, 5),
            (Switch, 1),
            (Loop, 1),
            (Assert, 3),
            (Leave, 1),
            (Print, 1),
        ],
        Profile::Locks => {
            &[(Plain, 4), (Atomic, 1), (Lock, 8), (TryLock, 2), (Branch, 3), (Assert, 1), (Leave, 1), (Helper, 1)]
        }
        Profile::Pointers => {
            &[(Plain, 4), (Array, 4), (Pointer, 10), (Bytes, 3), (Helper, 3), (Branch, 3), (Lock, 1), (Assert, 1)]
        }
        Profile::Atomics => &[(Plain, 2), (Atomic, 12), (Fence, 2), (Branch, 4), (Switch, 1), (Loop, 1), (Assert, 2)],
        Profile::Inputs => &[
            (Plain, 4),
            (Atomic, 2),
            (Array, 6),
            (Pointer, 2),
            (Divide, 2),
            (Uninitialised, 2),
            (Branch, 7),
            (Switch, 2),
            (Loop, 1),
            (Assert, 2),
            (Bytes, 1),
            (Print, 1),
        ],
        Profile::Heap => &[
            (Heap, 10),
            (Plain, 2),
            (Atomic, 1),
            (Lock, 2),
            (Pointer, 1),
            (Branch, 3),
            (Uninitialised, 1),
            (Assert, 1),
        ],
        Profile::Awaits => &[(Await, 6), (Atomic, 6), (Plain, 4), (Branch, 2), (Lock, 1), (Fence, 1), (Assert, 1)],
        Profile::Litmus => &[(Plain, 1), (Atomic, 8), (Fence, 1)],
        Profile::Detours => &[
            (Detour, 8),
            (Atomic, 8),
            (Plain, 3),
            (Fence, 1),
            (Lock, 2),
            (Branch, 1),
            (Loop, 1),
            (Await, 1),
            (Uninitialised, 1),
            (Assert, 1),
        ],
        Profile::Conditions => &[(Condition, 8), (Lock, 2), (Plain, 2), (Atomic, 1), (Branch, 2), (TryLock, 1)],
        Profile::Primitives => &[
            (Semaphore, 3),
            (ReadWrite, 3),
            (Spin, 2),
            (Barrier, 2),
            (Once, 1),
            (Plain, 4),
            (Lock, 1),
            (Branch, 1),
            (Assert, 1),
        ],
    }
}
