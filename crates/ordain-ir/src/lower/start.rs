//! Where the main thread starts: a wrapper that gives `main` its arguments and exits with its result.

use super::GLOBAL_GAP;
use crate::error::Refusal;
use crate::program::{Block, Builtin, Callee, FuncId, Function, Global, Inst, LocId, Operand, Pc, Reg};

/// What `main` finds as its own name.
const PROGRAM_NAME: &str = "program";

/// The wrapper. The strings of the arguments become globals from `next` on.
pub(super) fn function(
    main: &Function,
    main_id: FuncId,
    arguments: &[String],
    next: u64,
    globals: &mut Vec<Global>,
) -> Result<Function, Refusal> {
    let mut args = Vec::new();
    if !main.params.is_empty() {
        let (argv, envp) = lay_out(arguments, next, globals);
        args = vec![Operand::Imm(arguments.len() as u64 + 1), Operand::Imm(argv), Operand::Imm(envp)];
        if main.params.len() > args.len() {
            return Err(Refusal::Unsupported("a `main` with more than three parameters".into()));
        }
        args.truncate(main.params.len());
    }
    let returns = main.code.iter().find_map(|inst| match inst {
        Inst::Ret { values } => Some(values.len()),
        _ => None,
    });
    let (dsts, status) = match returns {
        Some(1) => (vec![Reg(0)], Operand::Reg(Reg(0))),
        // It does not return, or returns nothing.
        _ => (Vec::new(), Operand::Imm(0)),
    };
    let code = vec![
        Inst::Call { callee: Callee::Direct(main_id), args: args.into(), dsts: dsts.into() },
        Inst::Call { callee: Callee::Builtin(Builtin::Exit), args: Box::new([status]), dsts: Box::new([]) },
        Inst::Unreachable,
    ];
    Ok(Function {
        name: "_start".into(),
        address: 0,
        params: Vec::new(),
        registers: vec![32],
        locations: vec![main.location; code.len()],
        blocks: vec![Block { start: Pc(0), end: Pc(code.len() as u32) }],
        code,
        model: false,
        location: main.location,
    })
}

/// Lays out the argument strings, the vector of pointers to them, and an empty environment.
fn lay_out(arguments: &[String], mut next: u64, globals: &mut Vec<Global>) -> (u64, u64) {
    let mut add = |name: String, init: Vec<u8>| {
        let address = next.next_multiple_of(16);
        next = address + init.len() as u64 + GLOBAL_GAP;
        globals.push(Global { name, address, init, constant: false, location: LocId(0) });
        address
    };
    let mut pointers = Vec::new();
    for (i, argument) in std::iter::once(PROGRAM_NAME).chain(arguments.iter().map(String::as_str)).enumerate() {
        let mut text = argument.as_bytes().to_vec();
        text.push(0);
        pointers.push(add(format!("argv[{i}]"), text));
    }
    pointers.push(0);
    let argv = add("argv".into(), pointers.iter().flat_map(|p| p.to_le_bytes()).collect());
    let envp = add("environ".into(), vec![0; 8]);
    (argv, envp)
}
