//! The store: every term once, with its width and what is known of its value.

use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::op::{self, Width};
use crate::term::{Node, SymbolId, Term};

#[derive(Clone, Copy, Debug)]
struct Entry {
    node: Node,
    width: Width,
    facts: Facts,
}

/// The store of all terms that may be combined with each other.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    entries: Vec<Entry>,
    ids: FxHashMap<(Node, Width), Term>,
    /// The term of every symbol.
    symbols: Vec<Term>,
}

impl Terms {
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The low `width` bits of `bits`.
    pub fn constant(&mut self, width: Width, bits: u64) -> Term {
        self.intern(width, Node::Const(bits & op::mask(width)))
    }

    pub fn bool(&mut self, b: bool) -> Term {
        self.constant(1, b as u64)
    }

    /// A new unknown.
    pub fn symbol(&mut self, width: Width) -> Term {
        let id = SymbolId(u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols"));
        let term = self.intern(width, Node::Symbol(id));
        self.symbols.push(term);
        term
    }

    pub fn width(&self, t: Term) -> Width {
        self.entries[t.index()].width
    }

    pub fn node(&self, t: Term) -> Node {
        self.entries[t.index()].node
    }

    pub fn as_const(&self, t: Term) -> Option<u64> {
        match self.node(t) {
            Node::Const(bits) => Some(bits),
            _ => None,
        }
    }

    pub fn symbol_id(&self, t: Term) -> Option<SymbolId> {
        match self.node(t) {
            Node::Symbol(id) => Some(id),
            _ => None,
        }
    }

    pub fn symbol_term(&self, id: SymbolId) -> Term {
        self.symbols[id.0 as usize]
    }

    /// An unsigned interval, both ends included, that surely contains the value.
    pub fn range(&self, t: Term) -> (u64, u64) {
        let facts = self.facts(t);
        (facts.low, facts.high)
    }

    /// How many of the low bits are surely zero.
    pub fn trailing_zero_bits(&self, t: Term) -> u8 {
        (self.facts(t).zeros.trailing_ones() as u8).min(self.width(t))
    }

    /// The bits that are surely zero, and those that are surely one.
    pub fn known_bits(&self, t: Term) -> (u64, u64) {
        let facts = self.facts(t);
        (facts.zeros, facts.ones)
    }

    pub(crate) fn facts(&self, t: Term) -> Facts {
        self.entries[t.index()].facts
    }

    /// The term of a node that no rule rewrites; a constant after all if only one value is possible.
    pub(crate) fn intern(&mut self, width: Width, node: Node) -> Term {
        debug_assert!((1..=64).contains(&width), "width {width}");
        if let Some(&known) = self.ids.get(&(node, width)) {
            return known;
        }
        let facts = Facts::of(self, width, node);
        if facts.low == facts.high && !matches!(node, Node::Const(_)) {
            let constant = self.constant(width, facts.low);
            self.ids.insert((node, width), constant);
            return constant;
        }
        let term = Term(u32::try_from(self.entries.len()).expect("fewer than 2^32 terms"));
        self.entries.push(Entry { node, width, facts });
        self.ids.insert((node, width), term);
        term
    }
}
