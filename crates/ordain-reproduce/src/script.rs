//! What a recording says about the ways of its threads, as unfolding wants it.

use ordain_ir::facts::{Facts, loops};
use ordain_ir::program::{BlockId, Callee, FuncId, Inst, Pc, Program};
use ordain_model::answers::{Answer, Answers};
use ordain_model::forest::InputKey;
use ordain_model::names::ThreadName;
use ordain_record::{Decision, FollowError, Recording, Seen, ThreadLog, follow_with};
use ordain_rt::format::Tag;
use ordain_unfold::script::{Script, Step, What};
use ordain_vm::tape::{self, Knowledge, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;

/// What is known of a run that was recorded.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    pub script: Script,
    pub tapes: FxHashMap<ThreadName, Arc<Tape>>,
}

impl Ways {
    /// What a script says, if nothing more is known.
    pub fn of_script(program: &Program, script: Script) -> Ways {
        let knowledge = Arc::new(Knowledge { waiting: waiting(program), computed: script.computed.clone() });
        let branch = |step: &Step| match step.what {
            What::Branch { to } => {
                Some(tape::Step { what: tape::What::Branch { to }, function: step.function, pc: step.pc })
            }
            What::Value(_) | What::Argument { .. } => None,
        };
        let tape = |steps: &Vec<Step>| Tape {
            steps: steps.iter().filter_map(branch).collect(),
            knowledge: Arc::clone(&knowledge),
            ..Tape::default()
        };
        let tapes = script.steps.iter().map(|(thread, steps)| (thread.clone(), Arc::new(tape(steps)))).collect();
        Ways { script, tapes }
    }
}

/// Follows every thread of the recording in `directory`, and writes down which way it went.
pub fn read(program: &Program, recording: &Recording, directory: &Path) -> Result<Ways, FollowError> {
    let native = recording.run.table.native.iter().map(|&function| FuncId(function)).collect();
    let known = recording.functions().filter(|(_, function)| function.index() < program.functions.len());
    let functions = known.map(|(address, function)| (address, program.function(function).address)).collect();
    let mut script = Script { native, functions, computed: computed(program, recording), ..Script::default() };
    let ignored = ignored_results(program);
    let knowledge = Arc::new(Knowledge { waiting: waiting(program), computed: script.computed.clone() });
    let mut tapes = FxHashMap::default();
    for thread in &recording.threads {
        let mut steps = Vec::new();
        let knowledge = Arc::clone(&knowledge);
        let mut tape = Tape { steps: Vec::new(), began: thread.began, ended: thread.ended, knowledge };
        follow_with(program, recording, thread, directory, &mut |seen| {
            steps.extend(match seen {
                Seen::Decision(Decision { function, pc, to }) => Some(Step { function, pc, what: What::Branch { to } }),
                Seen::Value { function, pc, value } => Some(Step { function, pc, what: What::Value(value) }),
                Seen::Argument { function, pc, nth, value } => {
                    Some(Step { function, pc, what: What::Argument { nth, value } })
                }
                Seen::Time { .. } | Seen::Result { .. } => None,
            });
            let is_known = |function, pc| script.computed.contains(&(function, pc));
            tape.steps.extend(match seen {
                Seen::Decision(Decision { function, pc, .. }) if is_known(function, pc) => None,
                Seen::Result { function, pc, .. } if ignored.contains(&(function, pc)) => None,
                seen => on_tape(seen),
            });
        })?;
        script.steps.insert(thread.name.clone(), steps);
        script.inputs.extend(inputs(thread));
        tapes.insert(thread.name.clone(), Arc::new(tape));
    }
    script.unrecorded = unrecorded(program, &script);
    let answers = recording.threads.iter().map(|thread| (thread.name.clone(), answers(thread).collect())).collect();
    script.answers = Answers::recorded(answers);
    Ok(Ways { script, tapes })
}

/// The ways of loops in which threads may wait for memory to change, and whether they lead out.
fn waiting(program: &Program) -> FxHashMap<(FuncId, Pc, BlockId), bool> {
    let facts = Facts::new(program);
    let mut waiting = FxHashMap::default();
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        let facts = facts.function(id);
        let headers = (0..function.blocks.len() as u32).map(BlockId).filter(|&block| facts.is_loop_header(block));
        for header in headers.filter(|&header| loops::may_await(function, facts, header)) {
            for (pc, to, out) in loops::ways(function, facts, header) {
                *waiting.entry((id, pc, to)).or_default() |= out;
            }
        }
    }
    waiting
}

/// The calls whose results nobody looks at: what they return makes no difference.
fn ignored_results(program: &Program) -> FxHashSet<(FuncId, Pc)> {
    let mut ignored = FxHashSet::default();
    for (id, function) in (0..).map(FuncId).zip(&program.functions) {
        let mut used = FxHashSet::default();
        for inst in &function.code {
            inst.for_each_use(|register| {
                used.insert(register);
            });
        }
        let is_ignored = |inst: &Inst| match inst {
            Inst::Call { dsts, .. } => !dsts.iter().any(|dst| used.contains(dst)),
            _ => false,
        };
        let calls = (0..).map(Pc).zip(&function.code).filter(|(_, inst)| is_ignored(inst));
        ignored.extend(calls.map(|(pc, _)| (id, pc)));
    }
    ignored
}

fn on_tape(seen: Seen) -> Option<tape::Step> {
    let (function, pc, what) = match seen {
        Seen::Decision(Decision { function, pc, to }) => (function, pc, tape::What::Branch { to }),
        Seen::Time { function, pc, time } => (function, pc, tape::What::Time(time)),
        Seen::Result { function, pc, value } => (function, pc, tape::What::Result(value)),
        Seen::Value { .. } | Seen::Argument { .. } => return None,
    };
    Some(tape::Step { function, pc, what })
}

/// The branches that no log has, each by the last instruction of its block.
fn computed(program: &Program, recording: &Recording) -> FxHashSet<(FuncId, Pc)> {
    let last = |&(function, block): &(u32, u32)| {
        let block = program.functions.get(function as usize)?.blocks.get(block as usize)?;
        Some((FuncId(function), Pc(block.end.0 - 1)))
    };
    recording.run.table.recomputed.iter().filter_map(last).collect()
}

/// The functions that ran natively, and the models that nobody else calls.
fn unrecorded(program: &Program, script: &Script) -> FxHashSet<FuncId> {
    let all = (0..program.functions.len() as u32).map(FuncId);
    let users = all.clone().filter(|&f| !program.function(f).model || f == program.start);
    let seen = script.steps.values().flatten().map(|step| step.function);
    let mut recorded: FxHashSet<FuncId> = users.chain(seen).collect();
    let mut open: Vec<FuncId> = recorded.iter().copied().collect();
    while let Some(function) = open.pop() {
        for inst in &program.function(function).code {
            if let Inst::Call { callee: Callee::Direct(called), .. } = inst
                && !script.native.contains(called)
                && recorded.insert(*called)
            {
                open.push(*called);
            }
        }
    }
    all.filter(|f| !recorded.contains(f) || script.native.contains(f)).collect()
}

/// What the thread asked for by `ordain_input` and its like, and got.
fn inputs(thread: &ThreadLog) -> impl Iterator<Item = (InputKey, Vec<u8>)> {
    let given = thread.data.iter().filter(|entry| entry.tag == Tag::Input);
    given
        .enumerate()
        .map(|(nth, entry)| (InputKey { thread: thread.name.clone(), nth: nth as u32 }, entry.bytes.clone()))
}

/// How the thread's system calls were answered.
fn answers(thread: &ThreadLog) -> impl Iterator<Item = Answer> {
    let entries = thread.data.iter().filter(|entry| entry.tag == Tag::System);
    entries.filter_map(|entry| entry.bytes.split_first_chunk()).map(|(result, bytes)| {
        let (result, bytes) = (i64::from_le_bytes(*result), bytes.to_vec());
        Answer { result, bytes }
    })
}
