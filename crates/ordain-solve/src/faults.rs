//! Seeded faults: does the test suite notice when the theory or the engine is wrong?
//!
//! Each fault stands at its place as one `if`. Without the feature `faults` the condition is constant and the compiler
//! removes it; with it, one fault at a time is active: the one that was seeded with `seed`, or the one that the
//! environment variable `ORDAIN_FAULT` names. `tests/mutants.sh` asks the judges about every fault and expects each to be
//! caught.

/// Defines a crate's faults: the type `Fault`, and `seeded`, which asks whether a fault is active.
///
/// The crate that uses it has to have a feature `faults`, which is looked at where the macro is used.
#[macro_export]
macro_rules! faults {
    ($($(#[doc = $what:literal])* $name:ident,)+) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Fault {
            $($(#[doc = $what])* $name,)+
        }

        /// Is this fault seeded?
        #[cfg(not(feature = "faults"))]
        #[inline(always)]
        pub const fn seeded(_fault: Fault) -> bool {
            false
        }

        #[cfg(feature = "faults")]
        mod seeds {
            use super::Fault;
            use std::sync::atomic::{AtomicU32, Ordering};

            const NONE: u32 = u32::MAX;
            const UNKNOWN: u32 = u32::MAX - 1;
            static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);

            fn number(fault: Option<Fault>) -> u32 {
                fault.map_or(NONE, |f| f as u32)
            }

            /// The fault that the environment names; it may be another crate's.
            fn named() -> Option<Fault> {
                let name = std::env::var("ORDAIN_FAULT").ok()?;
                Fault::ALL.iter().copied().find(|f| format!("{f:?}") == name)
            }

            impl Fault {
                pub const ALL: &[Fault] = &[$(Fault::$name,)+];

                /// What goes wrong, in words.
                pub fn what(self) -> &'static str {
                    match self {
                        $(Fault::$name => concat!($($what),*).trim(),)+
                    }
                }
            }

            /// Makes this fault the active one.
            pub fn seed(fault: Option<Fault>) {
                ACTIVE.store(number(fault), Ordering::Relaxed);
            }

            /// Is this fault seeded?
            pub fn seeded(fault: Fault) -> bool {
                if ACTIVE.load(Ordering::Relaxed) == UNKNOWN {
                    seed(named());
                }
                ACTIVE.load(Ordering::Relaxed) == number(Some(fault))
            }
        }

        #[cfg(feature = "faults")]
        pub use seeds::{seed, seeded};
    };
}

faults! {
    /// A from-read edge is not derived if the hit is the last of its three literals.
    HitLast,
    /// A from-read edge is not derived if the write order is the last of its three literals.
    OrderLast,
    /// A from-read edge is not derived if the reads-from is the last of its three literals.
    ReadLast,
    /// Every stated hit counts as one, whatever its literal.
    HitIgnored,
    /// From-reads are not in the coherence order.
    FromReadNotCoherent,
    /// From-reads are not in the global order.
    FromReadNotGlobal,
    /// Reads-from edges point from the read to the write.
    ReadsFromReversed,
    /// Every reads-from edge is in the global order.
    InternalReadGlobal,
    /// No reads-from edge is in the global order, where there is a coherence order.
    ExternalReadNotGlobal,
    /// Reads-from edges are not in the coherence order.
    ReadsFromNotCoherent,
    /// Write order is not in the coherence order.
    OrderNotCoherent,
    /// Write order is no edge at all, only a source of from-reads.
    OrderNoEdge,
    /// Backtracking leaves the clocks as they are.
    ClocksNotUndone,
    /// Backtracking leaves the edges as they are.
    EdgesNotUndone,
    /// The explanation of a cycle lacks a literal.
    CycleLacksLiteral,
    /// The explanation of an implied literal lacks a literal of the path.
    ReasonLacksLiteral,
    /// The explanation of an implied literal may use edges that came after it.
    ReasonFromLaterEdges,
    /// The explanation of a from-read edge lacks the write order.
    FromReadLacksOrder,
    /// An implied literal is propagated with the wrong polarity.
    WrongPolarity,
    /// Facts stated after the first solve are lost.
    LateFactsLost,
    /// Conditional edges on literals that are already fixed are lost.
    FixedLiteralMissed,
    /// A cycle of two edges is not found.
    ShortCycleMissed,
    /// A rise of the clock is not passed on to nodes further on.
    ClockNotPassedOn,
    /// Only the edges of the positive polarity of a literal count.
    NegativePolarityIgnored,
    /// Of several meanings of a literal only the first counts.
    OneMeaningPerLiteral,
    /// Of several literals for a hit of one pair only the first counts.
    OneHitPerPair,
    /// The core lacks an assumption.
    CoreLacksAssumption,
    /// Positions respect the facts only.
    PositionsOfFactsOnly,
}
