//! The kinds of failures that a native run can show.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Assertion,
    Abort,
    Null,
    Bounds,
    UseAfterFree,
    DoubleFree,
    Division,
    LockMisuse,
}

impl Kind {
    /// As in `ordain_model::failure::FailureKind`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Assertion => "assertion",
            Kind::Abort => "abort",
            Kind::Null => "null",
            Kind::Bounds => "bounds",
            Kind::UseAfterFree => "use-after-free",
            Kind::DoubleFree => "double-free",
            Kind::Division => "division",
            Kind::LockMisuse => "lock-misuse",
        }
    }
}
