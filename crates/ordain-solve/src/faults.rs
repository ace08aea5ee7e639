//! Seeded faults: does the test suite notice when the theory or the engine is wrong?
//!
//! Each fault stands at its place as one `if`. Without the feature `faults` the condition is constant and the compiler
//! removes it; with it, the environment variable `ORDAIN_FAULT` names the one fault that is active. `tests/mutants.sh`
//! runs the judges once per fault and expects every one of them to be caught.

/// Defines a crate's faults: the type `Fault`, and `seeded`, which asks whether a fault is active.
///
/// The crate that uses it has to have a feature `faults`, which is looked at where the macro is used.
#[macro_export]
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Fault {
            $($(#[$doc])* $name,)+
        }

        /// Is this fault seeded?
        #[cfg(not(feature = "faults"))]
        #[inline(always)]
        pub const fn seeded(_fault: Fault) -> bool {
            false
        }

        /// Is this fault seeded?
        #[cfg(feature = "faults")]
        pub fn seeded(fault: Fault) -> bool {
            use std::sync::OnceLock;
            static SEEDED: OnceLock<Option<Fault>> = OnceLock::new();
            *SEEDED.get_or_init(|| match std::env::var("ORDAIN_FAULT").ok()?.as_str() {
                $(stringify!($name) => Some(Fault::$name),)+
                // It may be another crate's.
                _ => None,
            }) == Some(fault)
        }
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
