//! A `Program` as text, for people.

use crate::program::{Callee, FuncId, Function, Inst, Operand, Program};
use ordain_expr::float::FloatPred;
use std::fmt;

/// Shows a whole program.
pub struct Listing<'a>(pub &'a Program);

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for global in &self.0.globals {
            let kind = if global.constant { "const" } else { "global" };
            writeln!(f, "{kind} {} at {:#x}, {} bytes", global.name, global.address, global.init.len())?;
        }
        for function in &self.0.functions {
            write_function(f, self.0, function)?;
        }
        Ok(())
    }
}

fn write_function(f: &mut fmt::Formatter<'_>, program: &Program, function: &Function) -> fmt::Result {
    let params: Vec<String> = function.params.iter().map(|r| format!("r{}", r.0)).collect();
    let model = if function.model { " (model)" } else { "" };
    writeln!(f, "\n{}({}){model}:", function.name, params.join(", "))?;
    for (i, block) in function.blocks.iter().enumerate() {
        writeln!(f, "  b{i}:")?;
        for pc in block.start.index()..block.end.index() {
            let location = program.locations[function.locations[pc].index()];
            let mark = if function.code[pc].is_point() { '*' } else { ' ' };
            let text = instruction(program, &function.code[pc]);
            writeln!(f, "   {mark}{pc:4}  {text:<60} ; {}:{}", location.line, location.column)?;
        }
    }
    Ok(())
}

/// One instruction as text.
pub fn instruction(program: &Program, inst: &Inst) -> String {
    let order = |order: &Option<_>| order.map_or(String::new(), |o| format!(" {o:?}"));
    match inst {
        Inst::Bin { op, width, dst, a, b } => format!("r{} = {op:?}.{width} {}, {}", dst.0, show(*a), show(*b)),
        Inst::Cmp { pred, width, dst, a, b } => format!("r{} = {pred:?}.{width} {}, {}", dst.0, show(*a), show(*b)),
        Inst::Cast { op, from, to, dst, a } => format!("r{} = {op:?}.{from}.{to} {}", dst.0, show(*a)),
        Inst::Select { dst, cond, then, other } => {
            format!("r{} = {} ? {} : {}", dst.0, show(*cond), show(*then), show(*other))
        }
        Inst::Copy { dst, src } => format!("r{} = {}", dst.0, show(*src)),
        Inst::Freeze { dst, src } => format!("r{} = freeze {}", dst.0, show(*src)),
        Inst::FloatBin { op, format, dst, a, b } => {
            format!("r{} = {op:?}.{format:?} {}, {}", dst.0, show(*a), show(*b))
        }
        Inst::FloatCmp { pred, format, dst, a, b } => {
            format!("r{} = {}.{format:?} {}, {}", dst.0, outcomes(*pred), show(*a), show(*b))
        }
        Inst::FloatCast { cast, dst, a } => format!("r{} = {cast:?} {}", dst.0, show(*a)),
        Inst::Load { dst, addr, size, order: o, .. } => format!("r{} = load.{size}{} {}", dst.0, order(o), show(*addr)),
        Inst::Store { value, addr, size, order: o, .. } => {
            format!("store.{size}{} {}, {}", order(o), show(*addr), show(*value))
        }
        Inst::Rmw { op, dst, addr, value, size, order } => {
            format!("r{} = rmw.{size} {op:?} {order:?} {}, {}", dst.0, show(*addr), show(*value))
        }
        Inst::CmpXchg { dst, ok, addr, expected, new, size, success, failure, .. } => format!(
            "r{}, r{} = cmpxchg.{size} {success:?} {failure:?} {}, {}, {}",
            dst.0,
            ok.0,
            show(*addr),
            show(*expected),
            show(*new)
        ),
        Inst::Fence { order } => format!("fence {order:?}"),
        Inst::Alloca { dst, size, name, escapes, .. } => {
            let name = name.map_or("", |n| &program.names[n.index()]);
            let private = if *escapes { "" } else { " private" };
            format!("r{} = alloca {}{private} {name}", dst.0, show(*size))
        }
        Inst::Br { to } => format!("br b{}", to.0),
        Inst::CondBr { cond, then, other } => format!("br {} ? b{} : b{}", show(*cond), then.0, other.0),
        Inst::Switch { value, cases, default, .. } => {
            let cases: Vec<String> = cases.iter().map(|(case, to)| format!("{case}: b{}", to.0)).collect();
            format!("switch {} [{}] else b{}", show(*value), cases.join(", "), default.0)
        }
        Inst::Call { callee, args, dsts } => {
            let dsts: Vec<String> = dsts.iter().map(|r| format!("r{}", r.0)).collect();
            let result = if dsts.is_empty() { String::new() } else { format!("{} = ", dsts.join(", ")) };
            let args: Vec<String> = args.iter().map(|a| show(*a)).collect();
            format!("{result}call {}({})", show_callee(program, callee), args.join(", "))
        }
        Inst::Ret { values } => {
            let values: Vec<String> = values.iter().map(|v| show(*v)).collect();
            format!("ret {}", values.join(", "))
        }
        Inst::Unreachable => "unreachable".into(),
    }
}

/// The outcomes that make a comparison true: `<`, `=`, `>`, and `?` for "not a number".
fn outcomes(pred: FloatPred) -> String {
    let outcomes = [(pred.less, '<'), (pred.equal, '='), (pred.greater, '>'), (pred.unordered, '?')];
    outcomes.iter().filter(|(holds, _)| *holds).map(|(_, sign)| sign).collect()
}

fn show(operand: Operand) -> String {
    match operand {
        Operand::Reg(r) => format!("r{}", r.0),
        Operand::Imm(value) if value < 1 << 14 => value.to_string(),
        Operand::Imm(value) => format!("{value:#x}"),
        Operand::Undefined => "undefined".into(),
    }
}

fn show_callee(program: &Program, callee: &Callee) -> String {
    let function = |f: &FuncId| program.function(*f).name.clone();
    match callee {
        Callee::Direct(f) => function(f),
        Callee::Indirect(target) => format!("*{}", show(*target)),
        Callee::Builtin(builtin) => format!("<{builtin:?}>"),
        Callee::Unknown(name) => format!("<unknown: {}>", program.names[name.index()]),
    }
}
