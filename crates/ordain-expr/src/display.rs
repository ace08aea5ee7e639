//! Terms as text for people.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::op::{self, BinOp, Pred};
use crate::store::Terms;
use crate::term::{Node, Term};

/// Shared parts are repeated in the text, so it may grow exponentially: what is longer than this is abbreviated.
const LONGEST_PART: usize = 2000;

impl Terms {
    /// The term in the notation of C, as far as C has one: `(s0 + 4) <u zext64(s1)`.
    pub fn display(&self, t: Term) -> String {
        let mut texts: FxHashMap<Term, String> = FxHashMap::default();
        for t in self.cone(&[t]) {
            let mut text = self.display_node(t, &texts);
            if text.len() > LONGEST_PART {
                text = format!("t{}", t.0);
            }
            texts.insert(t, text);
        }
        let text = texts.remove(&t).unwrap_or_default();
        match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) if is_balanced(inner) => inner.to_string(),
            _ => text,
        }
    }

    fn display_node(&self, t: Term, texts: &FxHashMap<Term, String>) -> String {
        let width = self.width(t);
        let of = |t: Term| texts[&t].as_str();
        match self.node(t) {
            Node::Const(bits) => constant(width, bits),
            Node::Symbol(id) => format!("s{}", id.0),
            Node::Bin(BinOp::Xor, a, b) if self.as_const(b) == Some(op::mask(width)) => {
                format!("{}{}", if width == 1 { "!" } else { "~" }, of(a))
            }
            Node::Bin(op, a, b) => format!("({} {} {})", of(a), bin_sign(op), of(b)),
            Node::Cmp(pred, a, b) => format!("({} {} {})", of(a), cmp_sign(pred), of(b)),
            Node::Ite { condition, then, otherwise } => {
                format!("({} ? {} : {})", of(condition), of(then), of(otherwise))
            }
            Node::Extract { from, low } => format!("{}[{}:{}]", of(from), low + width - 1, low),
            Node::Concat { high, low } if self.as_const(high) == Some(0) => format!("zext{width}({})", of(low)),
            Node::Concat { high, low } => format!("({} ++ {})", of(high), of(low)),
            Node::SignExtend(a) => format!("sext{width}({})", of(a)),
        }
    }
}

fn constant(width: u8, bits: u64) -> String {
    let mut text = String::new();
    let signed = op::signed(width, bits);
    let written = match width {
        1 => write!(text, "{}", bits != 0),
        _ if (-4096..0).contains(&signed) => write!(text, "{signed}"),
        _ if bits > 4096 => write!(text, "{bits:#x}"),
        _ => write!(text, "{bits}"),
    };
    debug_assert!(written.is_ok(), "a String takes any text");
    text
}

fn is_balanced(text: &str) -> bool {
    let mut open = 0i32;
    text.chars().all(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open >= 0
    })
}

fn bin_sign(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::UDiv => "/u",
        BinOp::SDiv => "/s",
        BinOp::URem => "%u",
        BinOp::SRem => "%s",
        BinOp::Shl => "<<",
        BinOp::LShr => ">>u",
        BinOp::AShr => ">>s",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}

fn cmp_sign(pred: Pred) -> &'static str {
    match pred {
        Pred::Eq => "==",
        Pred::Ne => "!=",
        Pred::Ult => "<u",
        Pred::Ule => "<=u",
        Pred::Slt => "<s",
        Pred::Sle => "<=s",
    }
}
