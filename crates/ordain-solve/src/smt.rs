//! Terms as SMT-LIB text (QF_BV), for the oracle and for whoever wants to look at a question with another solver.
//!
//! Every term becomes a definition of its own, so that shared parts are written once. Truth values are bit-vectors of
//! width 1.

use std::fmt::Write;

use ordain_expr::op::{BinOp, Pred};
use ordain_expr::{Node, Term, Terms};
use rustc_hash::FxHashSet;

/// What has been defined in a script, in a scope of it that is still open.
#[derive(Default)]
pub struct Definitions {
    defined: FxHashSet<Term>,
}

impl Definitions {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends what `t` needs to be spoken of by its [`name`], as far as that has not been defined before.
    pub fn define(&mut self, terms: &Terms, t: Term, script: &mut String) {
        for part in terms.cone_until(&[t], |t| self.defined.contains(&t)) {
            self.defined.insert(part);
            let (name, width) = (name(terms, part), terms.width(part));
            let written = match terms.node(part) {
                Node::Const(_) => Ok(()),
                Node::Symbol(_) => writeln!(script, "(declare-const {name} (_ BitVec {width}))"),
                _ => writeln!(script, "(define-fun {name} () (_ BitVec {width}) {})", body(terms, part)),
            };
            debug_assert!(written.is_ok(), "a String takes any text");
        }
    }
}

/// The term as an SMT-LIB expression of the sort of bit-vectors.
pub fn name(terms: &Terms, t: Term) -> String {
    match terms.node(t) {
        Node::Const(bits) => format!("(_ bv{bits} {})", terms.width(t)),
        Node::Symbol(id) => format!("s{}", id.0),
        _ => format!("t{}", t.index()),
    }
}

/// A truth value as an SMT-LIB expression of the sort Bool.
pub fn holds(terms: &Terms, t: Term) -> String {
    assert_eq!(terms.width(t), 1, "only truth values hold");
    format!("(= {} #b1)", name(terms, t))
}

fn body(terms: &Terms, t: Term) -> String {
    let of = |t: Term| name(terms, t);
    let width = terms.width(t);
    match terms.node(t) {
        Node::Const(_) | Node::Symbol(_) => of(t),
        Node::Bin(op, a, b) => format!("({} {} {})", bin_name(op), of(a), of(b)),
        Node::Cmp(pred, a, b) => format!("(ite ({} {} {}) #b1 #b0)", cmp_name(pred), of(a), of(b)),
        Node::Ite { condition, then, otherwise } => {
            format!("(ite {} {} {})", holds(terms, condition), of(then), of(otherwise))
        }
        Node::Extract { from, low } => format!("((_ extract {} {low}) {})", low + width - 1, of(from)),
        Node::Concat { high, low } => format!("(concat {} {})", of(high), of(low)),
        Node::SignExtend(a) => format!("((_ sign_extend {}) {})", width - terms.width(a), of(a)),
    }
}

fn bin_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "bvadd",
        BinOp::Sub => "bvsub",
        BinOp::Mul => "bvmul",
        BinOp::UDiv => "bvudiv",
        BinOp::SDiv => "bvsdiv",
        BinOp::URem => "bvurem",
        BinOp::SRem => "bvsrem",
        BinOp::Shl => "bvshl",
        BinOp::LShr => "bvlshr",
        BinOp::AShr => "bvashr",
        BinOp::And => "bvand",
        BinOp::Or => "bvor",
        BinOp::Xor => "bvxor",
    }
}

fn cmp_name(pred: Pred) -> &'static str {
    match pred {
        Pred::Eq => "=",
        Pred::Ne => "distinct",
        Pred::Ult => "bvult",
        Pred::Ule => "bvule",
        Pred::Slt => "bvslt",
        Pred::Sle => "bvsle",
    }
}
