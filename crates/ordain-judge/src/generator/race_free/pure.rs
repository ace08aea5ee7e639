//! Functions without side effects, and expressions that call them.

use crate::generator::rng::Rng;
use crate::generator::syntax::{Body, Declaration, Stmt, function_text};

/// `f0` to `f3`, each of which may call those before it.
const FUNCTIONS: u32 = 4;

pub(super) fn functions(rng: &mut Rng) -> Vec<Declaration> {
    (0..FUNCTIONS).map(|nth| function(rng, nth)).collect()
}

/// A call of one of the functions.
pub(super) fn call(rng: &mut Rng, a: &str, b: &str) -> String {
    format!("f{}({a}, {b})", rng.below(FUNCTIONS))
}

/// An expression of type `word` over these operands.
pub(super) fn expression(rng: &mut Rng, operands: &[&str], depth: u32) -> String {
    if depth == 0 || rng.chance(15) {
        return if rng.chance(25) { rng.below(1000).to_string() } else { rng.pick(operands).to_owned() };
    }
    let a = expression(rng, operands, depth - 1);
    let b = expression(rng, operands, depth - 1);
    match rng.below(14) {
        0..3 => format!("({a} + {b})"),
        3 => format!("({a} - {b})"),
        4 => format!("({a} * {b})"),
        5 => format!("({a} ^ {b})"),
        6 => format!("({a} | {b})"),
        7 => format!("({a} << ({b} & 15))"),
        8 => format!("({a} >> ({b} & 31))"),
        9 => format!("({a} / ({b} | 1))"),
        10 => format!("({a} % ({b} | 1))"),
        11 => format!("({a} < {b} ? {a} : {b})"),
        12 => format!("(word)({}){a}", rng.pick(&["int", "signed char", "unsigned short", "short", "unsigned"])),
        _ => format!("(word)((long){a} >= (long){b})"),
    }
}

fn function(rng: &mut Rng, nth: u32) -> Declaration {
    let locals = vec![Declaration::new("c", "word c = a ^ b;"), Declaration::new("t", "word t[4] = {a, b, 1, 2};")];
    let mut stmts: Vec<Stmt> = (0..2 + rng.below(3)).map(|_| statement(rng, nth, 2)).collect();
    stmts.push(Stmt::line("c += t[c & 3];"));
    let body = Body { locals, stmts, result: "return a + 3 * b + 5 * c;".into() };
    let text = function_text(&format!("static word f{nth}(word a, word b)"), &body);
    Declaration::new(format!("f{nth}"), text.trim_end())
}

fn statement(rng: &mut Rng, nth: u32, depth: u32) -> Stmt {
    const OPERANDS: [&str; 5] = ["a", "b", "c", "t[a & 3]", "t[c & 3]"];
    let target = rng.pick(&["a", "b", "c", "t[b & 3]", "t[2]"]);
    let value = expression(rng, &OPERANDS, 2);
    let inner = |rng: &mut Rng| vec![statement(rng, nth, depth - 1), statement(rng, nth, depth - 1)];
    match rng.below(9) {
        // Loops are short: functions call each other from within them.
        0 if depth > 0 => Stmt::block(format!("for (word i{depth} = 0; i{depth} < (b & 3); i{depth}++)"), inner(rng)),
        1 if depth > 0 => Stmt::block(format!("if ({value} & 1)"), inner(rng)),
        2 if depth > 0 => {
            let mut cases = Vec::new();
            for case in ["case 0:", "case 1:", "case 2:", "default:"] {
                cases.push(Stmt::line(case));
                cases.push(statement(rng, nth, 0));
                if rng.chance(70) {
                    cases.push(Stmt::line("break;"));
                }
            }
            // Nothing may follow the last label but a statement.
            Stmt::block(format!("switch ({value} & 3)"), cases)
        }
        3 | 4 if nth > 0 => Stmt::line(format!("{target} = f{}({value}, {});", rng.below(nth), rng.pick(&OPERANDS))),
        5 => Stmt::line(format!("{target} += {value};")),
        _ => Stmt::line(format!("{target} = {value};")),
    }
}
