//! Whether threads of a run would access other addresses in another order of its events: then what could go wrong cannot be told from the
//! log. That is so if an address is computed from what a thread has read, and another thread writes there.

use ordain_ir::program::{Builtin, Callee, FuncId, Inst, Operand, Pc, Program, Reg};
use ordain_vm::{Action, Executed};
use std::collections::BTreeSet;

/// Whether an address of the run may have been another one.
pub fn depend_on_others(program: &Program, log: &[(u64, Executed)]) -> bool {
    let loads = loads_of_addresses(program);
    let events = || log.iter().map(|(_, executed)| executed);
    let created = events().position(|e| matches!(e.action, Action::Create { .. })).unwrap_or(log.len());
    // What main does before there is anybody else is the same in every order.
    let writes: Vec<(u32, u64, u64)> = events().skip(created).filter_map(write).collect();
    events().filter(|e| loads.contains(&(e.function, e.pc))).any(|e| {
        let Some((from, size)) = access(e) else { return true };
        let is_foreign =
            |&(thread, at, bytes): &(u32, u64, u64)| thread != e.thread.0 && at < from + size && from < at + bytes;
        writes.iter().any(is_foreign)
    })
}

pub fn access(executed: &Executed) -> Option<(u64, u64)> {
    match executed.action {
        Action::Load { address, size, .. }
        | Action::Store { address, size, .. }
        | Action::Rmw { address, size, .. }
        | Action::CmpXchg { address, size, .. } => Some((address, size.into())),
        _ => None,
    }
}

fn write(executed: &Executed) -> Option<(u32, u64, u64)> {
    let (address, size) = access(executed)?;
    (!matches!(executed.action, Action::Load { .. })).then_some((executed.thread.0, address, size))
}

/// The loads whose results an address may be computed from, whatever the way.
fn loads_of_addresses(program: &Program) -> BTreeSet<(FuncId, Pc)> {
    let (mut loads, mut known, mut open) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let all = || (0..program.functions.len() as u32).map(FuncId).filter(|&id| !program.function(id).model);
    for id in all() {
        for inst in &program.function(id).code {
            match inst {
                Inst::Load { addr, .. }
                | Inst::Store { addr, .. }
                | Inst::Rmw { addr, .. }
                | Inst::CmpXchg { addr, .. }
                | Inst::Call { callee: Callee::Indirect(addr), .. } => open.extend(reg(addr).map(|r| (id, r))),
                Inst::Call { callee: Callee::Builtin(Builtin::Free | Builtin::Realloc), args, .. } => {
                    open.extend(args.iter().filter_map(reg).map(|r| (id, r)));
                }
                Inst::Call { callee: Callee::Direct(callee), args, .. } if program.function(*callee).model => {
                    open.extend(args.iter().filter_map(reg).map(|r| (id, r)));
                }
                _ => {}
            }
        }
    }
    while let Some((id, register)) = open.pop() {
        if !known.insert((id, register)) {
            continue;
        }
        let function = program.function(id);
        if let Some(nth) = function.params.iter().position(|&param| param == register) {
            open.extend(all().flat_map(|caller| given(program, caller, id, nth)));
        }
        for (at, inst) in function.code.iter().enumerate().filter(|(_, i)| i.definitions().any(|r| r == register)) {
            match inst {
                Inst::Load { point: false, .. } => open.extend(all().flat_map(|f| kept_privately(program, f))),
                Inst::Load { .. } | Inst::Rmw { .. } | Inst::CmpXchg { .. } => {
                    loads.insert((id, Pc(at as u32)));
                }
                Inst::Call { callee: Callee::Direct(callee), .. } => {
                    let results = program.function(*callee).code.iter().filter_map(|i| match i {
                        Inst::Ret { values } => Some(values.iter().filter_map(reg)),
                        _ => None,
                    });
                    open.extend(results.flatten().map(|r| (*callee, r)));
                }
                Inst::Call { .. } => {}
                _ => inst.for_each_use(|r| open.push((id, r))),
            }
        }
    }
    loads
}

fn reg(operand: &Operand) -> Option<Reg> {
    match operand {
        Operand::Reg(reg) => Some(*reg),
        _ => None,
    }
}

/// What `caller` gives a function as its nth argument, or a thread as its only one.
fn given(program: &Program, caller: FuncId, callee: FuncId, nth: usize) -> Vec<(FuncId, Reg)> {
    let argument = |inst: &Inst| match inst {
        Inst::Call { callee: Callee::Direct(f), args, .. } if *f == callee => args.get(nth).and_then(reg),
        Inst::Call { callee: Callee::Builtin(Builtin::ThreadCreate), args, .. } => args.get(3).and_then(reg),
        _ => None,
    };
    program.function(caller).code.iter().filter_map(argument).map(|r| (caller, r)).collect()
}

/// What is stored where nobody else sees it.
fn kept_privately(program: &Program, id: FuncId) -> Vec<(FuncId, Reg)> {
    let stored = |inst: &Inst| match inst {
        Inst::Store { value, point: false, .. } => reg(value),
        _ => None,
    };
    program.function(id).code.iter().filter_map(stored).map(|r| (id, r)).collect()
}
