//! Does the program look at where its objects lie?
//!
//! Addresses are ours to choose, and what a program does must not depend on the choice. Comparing pointers for equality,
//! subtracting them and looking at their alignment is fine. Ordering pointers of different objects, or computing with their
//! bits (hashing them, say), is not: then a verdict is about one layout only, and has to say so.

use crate::Unfolder;
use ordain_expr::Term;
use ordain_expr::op::{BinOp, CastOp, Pred};
use ordain_ir::program::Inst;

/// Objects are aligned to this many bytes in any layout.
const ALIGNMENT: u64 = 16;

impl Unfolder<'_> {
    /// Notes if an instruction with these operands depends on where objects lie.
    pub(crate) fn note_layout(&mut self, site: ordain_model::event::Site, inst: &Inst, a: Term, b: Term) {
        if self.layout.is_none() && self.depends_on_layout(inst, a, b) {
            self.layout = Some(site);
        }
    }

    fn depends_on_layout(&self, inst: &Inst, a: Term, b: Term) -> bool {
        let (x, y) = (self.points_into(a), self.points_into(b));
        if x.is_none() && y.is_none() {
            return false;
        }
        match inst {
            Inst::Cmp { pred: Pred::Eq | Pred::Ne, .. } => false,
            Inst::Cmp { .. } => match (x, y) {
                (Some(x), Some(y)) => x != y,
                _ => self.forest.terms.as_const(a).is_none() || self.forest.terms.as_const(b).is_none(),
            },
            Inst::Cast { op, .. } => *op == CastOp::Trunc,
            Inst::Bin { op: BinOp::Add | BinOp::Sub, .. } => false,
            // Tags in the bits that alignment leaves free.
            Inst::Bin { op: BinOp::And | BinOp::Or | BinOp::Xor, .. } => {
                let mask = if x.is_some() { b } else { a };
                self.forest.terms.as_const(mask).is_none_or(|m| m >= ALIGNMENT && !m >= ALIGNMENT)
            }
            Inst::Bin { .. } => true,
            _ => false,
        }
    }

    /// The object that a 64-bit value surely points into.
    fn points_into(&self, t: Term) -> Option<u64> {
        if self.forest.terms.width(t) != 64 {
            return None;
        }
        let (low, high) = self.forest.terms.range(t);
        self.book.borrow().find(low).filter(|o| o.contains(high, 0)).map(|o| o.base)
    }
}
