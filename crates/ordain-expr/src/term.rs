//! What a term is: an id in a store, and the node behind it.

use crate::op::{BinOp, Pred};

/// A term of one [`Terms`](crate::Terms) store. The operands of a term always have smaller ids than the term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

impl Term {
    /// For tables that are indexed by terms.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An unknown: a free variable of terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// A term, one level deep. Its width is kept beside it, in the store.
///
/// Few kinds, because every consumer has to know all of them: truncation is an `Extract` from bit 0, zero extension a
/// `Concat` with a constant zero, negation an `Xor` with ones, shifts by constants are `Concat`s and `Extract`s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Const(u64),
    Symbol(SymbolId),
    Bin(BinOp, Term, Term),
    /// Never `Pred::Ne`.
    Cmp(Pred, Term, Term),
    Ite {
        condition: Term,
        then: Term,
        otherwise: Term,
    },
    /// As many bits of `from` as the term is wide, beginning with bit `low`.
    Extract {
        from: Term,
        low: u8,
    },
    Concat {
        high: Term,
        low: Term,
    },
    SignExtend(Term),
}

impl Node {
    pub fn operands(self) -> impl Iterator<Item = Term> {
        let all = match self {
            Node::Const(_) | Node::Symbol(_) => [None, None, None],
            Node::Extract { from: a, .. } | Node::SignExtend(a) => [Some(a), None, None],
            Node::Bin(_, a, b) | Node::Cmp(_, a, b) | Node::Concat { high: a, low: b } => [Some(a), Some(b), None],
            Node::Ite { condition, then, otherwise } => [Some(condition), Some(then), Some(otherwise)],
        };
        all.into_iter().flatten()
    }
}
