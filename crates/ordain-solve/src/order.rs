//! The interface between an encoding and a solver of orders.
//!
//! Literals are those of a SAT solver. Nodes are points in time of which a partial order must exist: the graph of all
//! edges whose literals are true must be acyclic. Reads-from, write order and from-reads are stated as such, because a
//! solver can do better than to write out the from-read edges: whenever a read cell takes its value from write `w`, and
//! `w` comes before another write `v` that hits the same cell, the read comes before `v`.

pub use crate::guidance::{About, Way};
use std::ops::Not;

/// A literal: a variable or its negation. `Lit::TRUE` is a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Lit(i32);

impl Lit {
    /// Variable 1 is reserved: every solver asserts it.
    pub const TRUE: Lit = Lit(1);
    pub const FALSE: Lit = Lit(-1);

    pub fn from_dimacs(lit: i32) -> Lit {
        debug_assert!(lit != 0);
        Lit(lit)
    }

    pub fn dimacs(self) -> i32 {
        self.0
    }

    pub fn var(self) -> u32 {
        self.0.unsigned_abs()
    }

    pub fn is_positive(self) -> bool {
        self.0 > 0
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

/// A point in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Node(pub u32);

/// Where a memory access takes place: in the global order and, if the memory model keeps coherence apart from it
/// (everything weaker than SC), in the order of its location. Edges of write order and from-reads hold in both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    pub global: Node,
    pub coherence: Option<Node>,
}

/// A write, as far as the solver needs to know it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct WriteId(pub u32);

/// The part of a read that takes its value from one write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct CellId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    /// Interrupted, or the oracle gave up.
    Unknown,
}

pub trait OrderSolver {
    fn new_lit(&mut self) -> Lit;
    fn add_clause(&mut self, clause: &[Lit]);

    fn new_node(&mut self) -> Node;
    /// If `lit` is true, `from` comes before `to`. `Lit::TRUE` makes it a fact.
    fn add_edge(&mut self, lit: Lit, from: Node, to: Node);

    fn new_write(&mut self, access: Access) -> WriteId;
    fn new_cell(&mut self, access: Access) -> CellId;
    /// If `lit` is true, `first` is before `second` in both orders, and reads of `first` come before `second` where it
    /// hits them.
    fn add_write_order(&mut self, lit: Lit, first: WriteId, second: WriteId);
    /// If `lit` is true, the cell takes its value from the write. The edge is in the coherence order, and in the global
    /// order if `external` (a thread sees its own store before others do).
    fn add_reads_from(&mut self, lit: Lit, write: WriteId, cell: CellId, external: bool);
    /// If `lit` is true, the write writes the cell's memory. Not stated: it never does. An access that both reads and
    /// writes at one node does not hit itself: its read would have to come before itself.
    fn add_hit(&mut self, lit: Lit, write: WriteId, cell: CellId);

    /// Advice: if `condition` holds, one of the ways has to (which clauses say). A solver may try them in this order.
    fn add_choice(&mut self, _about: About, _condition: Lit, _ways: Vec<Way>) {}
    /// Advice: try this polarity first when the variable is decided.
    fn set_phase(&mut self, _lit: Lit) {}

    fn solve(&mut self, assumptions: &[Lit]) -> Answer;
    /// After `Sat`.
    fn value(&self, lit: Lit) -> bool;
    /// After `Sat`: a number for every node such that all edges of the model ascend.
    fn position(&self, node: Node) -> u64;
    /// After `Unsat`: a subset of the assumptions that cannot hold together.
    fn core(&self) -> Vec<Lit>;
    /// Whether solving would give up at once, so that nothing more needs to be stated.
    fn gives_up(&self) -> bool {
        false
    }
}
