//! Where the main thread starts: a wrapper that gives `main` its arguments and exits with its result.

use super::GLOBAL_GAP;
use crate::error::Refusal;
use crate::program::{Block, Builtin, Callee, FuncId, Function, Global, Inst, LocId, Operand, Pc, Reg};
use serde::{Deserialize, Serialize};

/// What `main` finds as its own name.
const PROGRAM_NAME: &str = "program";
/// The variable in which the models have the environment.
const ENVIRONMENT: &str = "environ";

/// What a program is started with.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Surroundings {
    /// Without the program's own name.
    pub arguments: Vec<String>,
    pub environment: Vec<String>,
}

/// The wrapper. The strings that the program is started with become globals from `next` on.
pub(super) fn function(
    main: &Function,
    main_id: FuncId,
    surroundings: &Surroundings,
    next: u64,
    globals: &mut Vec<Global>,
) -> Result<Function, Refusal> {
    let mut args = Vec::new();
    if !main.params.is_empty() || !surroundings.environment.is_empty() {
        let count = surroundings.arguments.len() as u64 + 1;
        let (argv, envp) = lay_out(surroundings, next, globals);
        args = vec![Operand::Imm(count), Operand::Imm(argv), Operand::Imm(envp)];
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

/// Lays out the strings that the program is started with, and the vectors of pointers to them.
fn lay_out(surroundings: &Surroundings, mut next: u64, globals: &mut Vec<Global>) -> (u64, u64) {
    let Surroundings { arguments, environment } = surroundings;
    let known = globals.iter().position(|global| global.name == ENVIRONMENT && global.init.len() == size_of::<u64>());
    let mut add = |name: String, init: Vec<u8>| {
        let address = next.next_multiple_of(16);
        next = address + init.len() as u64 + GLOBAL_GAP;
        globals.push(Global { name, address, init, constant: false, location: LocId(0) });
        address
    };
    let mut vector = |name: &str, texts: &mut dyn Iterator<Item = &str>| {
        let mut pointers = Vec::new();
        for (i, text) in texts.enumerate() {
            pointers.push(add(format!("{name}[{i}]"), [text.as_bytes(), &[0]].concat()));
        }
        pointers.push(0);
        add(name.to_owned(), pointers.iter().flat_map(|p| p.to_le_bytes()).collect())
    };
    let argv = vector("argv", &mut std::iter::once(PROGRAM_NAME).chain(arguments.iter().map(String::as_str)));
    let envp = vector(ENVIRONMENT, &mut environment.iter().map(String::as_str));
    if let Some(known) = known.filter(|_| !environment.is_empty()) {
        globals[known].init = envp.to_le_bytes().to_vec();
    }
    (argv, envp)
}
