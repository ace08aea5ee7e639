//! Writes an execution down as the runtime reads it: see `ordain-rt`'s module of the same name for the format.

use ordain_model::failure::FailureKind;
use ordain_model::names::ThreadName;
use ordain_model::witness::{Claim, Execution, MemoryModel, Turn};
use std::collections::HashMap;

const MAGIC: u32 = 0x4e4c_504f;
const VERSION: u32 = 4;
const NO_THREAD: u32 = u32::MAX;

/// What the runtime does when the schedule is over.
#[derive(Clone, Copy)]
enum Ending {
    Failure = 0,
    Deadlock = 1,
    Hang = 2,
}

/// The bytes of the plan for `execution`, at whose end `claim` is expected.
pub(crate) fn encode(execution: &Execution, environment: &[String], claim: &Claim) -> Vec<u8> {
    let mut threads = Threads::default();
    let (claimed, ending) = match claim {
        Claim::Failure(failure) => (threads.number(&failure.thread), ending(failure.kind)),
        // Nobody may do more than what is scheduled.
        Claim::Exit { .. } => (NO_THREAD, Ending::Failure),
    };
    let mut turns = Vec::new();
    let mut turn_count = 0;
    for turn in &execution.schedule {
        let (thread, points, outcome) = match turn {
            Turn::Run { thread, points: points @ 1.. } => (thread, *points, 0),
            Turn::Choose { thread, outcome } => (thread, 1, *outcome),
            Turn::Commit { thread, nth } => (thread, 0, *nth),
            // Without points it would mean something else.
            Turn::Run { .. } => continue,
        };
        turns.extend([threads.number(thread), points, outcome]);
        turn_count += 1;
    }
    let mut data = Data::default();
    let mut inputs = Vec::new();
    for input in &execution.inputs {
        inputs.extend([threads.number(&input.thread), input.nth]);
        inputs.extend(data.add(&input.bytes));
    }
    let mut answers = Vec::new();
    for (thread, of_thread) in execution.answers.of_threads() {
        let thread = threads.number(thread);
        answers.extend((0..).zip(of_thread).map(|(nth, answer)| {
            let [start, length] = data.add(&answer.bytes);
            [thread, nth, answer.result as u32, (answer.result >> 32) as u32, start, length]
        }));
    }
    // The runtime looks for them by thread and number.
    answers.sort();
    let variables: Vec<[u32; 2]> =
        environment.iter().map(|variable| data.add(&[variable.as_bytes(), &[0]].concat())).collect();
    let mut words = vec![MAGIC, VERSION];
    words.extend([threads.table.len() as u32, turn_count, execution.inputs.len() as u32]);
    words.extend([claimed, ending as u32, memory_model(execution.memory)]);
    words.extend([answers.len() as u32, execution.answers.are_recorded().into(), variables.len() as u32]);
    words.extend(threads.table.iter().flatten());
    words.extend(turns);
    words.extend(inputs);
    words.extend(answers.iter().flatten());
    words.extend(variables.iter().flatten());
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(data.0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// The bytes that the rest of a plan points to.
#[derive(Default)]
struct Data(Vec<u8>);

impl Data {
    /// Where it is, and how long.
    fn add(&mut self, bytes: &[u8]) -> [u32; 2] {
        let place = [self.0.len() as u32, bytes.len() as u32];
        self.0.extend(bytes);
        place
    }
}

/// The number that the runtime has for a memory model.
pub(crate) fn memory_model(memory: MemoryModel) -> u32 {
    match memory {
        MemoryModel::Sc => 0,
        MemoryModel::Tso => 1,
        MemoryModel::Pso => 2,
    }
}

fn ending(kind: FailureKind) -> Ending {
    match kind {
        FailureKind::Deadlock => Ending::Deadlock,
        FailureKind::Hang => Ending::Hang,
        _ => Ending::Failure,
    }
}

/// The threads that a plan speaks of, and their ancestors, which come first.
struct Threads {
    numbers: HashMap<ThreadName, u32>,
    /// Parent and place among its children, by number.
    table: Vec<[u32; 2]>,
}

impl Default for Threads {
    fn default() -> Self {
        Threads { numbers: HashMap::from([(ThreadName::main(), 0)]), table: vec![[NO_THREAD, 0]] }
    }
}

impl Threads {
    fn number(&mut self, name: &ThreadName) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let parent = name.parent().map_or(NO_THREAD, |parent| self.number(&parent));
        let number = self.table.len() as u32;
        self.table.push([parent, name.nth()]);
        self.numbers.insert(name.clone(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_model::answers::{Answer, Answers};
    use ordain_model::failure::{Failure, Place};
    use ordain_model::witness::InputValue;
    use std::collections::BTreeMap;

    #[test]
    fn ancestors_come_first_and_data_is_padded() {
        let grandchild = ThreadName::main().child(2).child(1);
        let claim = Failure {
            kind: FailureKind::Deadlock,
            thread: ThreadName::main(),
            place: Place { file: "a.c".into(), line: 1 },
            others: vec![],
            message: String::new(),
            stack: Vec::new(),
        };
        let execution = Execution {
            schedule: vec![
                Turn::Run { thread: grandchild.clone(), points: 7 },
                Turn::Choose { thread: ThreadName::main(), outcome: 1 },
                Turn::Commit { thread: ThreadName::main(), nth: 4 },
            ],
            memory: MemoryModel::Pso,
            inputs: vec![InputValue { thread: grandchild.clone(), nth: 3, name: String::new(), bytes: vec![9] }],
            answers: Answers::recorded(BTreeMap::from([
                (ThreadName::main(), vec![Answer { result: 4, bytes: vec![7] }]),
                (grandchild, vec![Answer { result: -2, bytes: vec![] }]),
            ])),
        };
        let bytes = encode(&execution, &["A".to_owned()], &Claim::Failure(claim));
        let words: Vec<u32> = bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
        let expected = [
            vec![MAGIC, VERSION, 3, 3, 1, 0, 1, 2, 2, 1, 1],
            vec![NO_THREAD, 0, 0, 2, 1, 1],
            vec![2, 7, 0],
            vec![0, 1, 1],
            vec![0, 0, 4],
            vec![2, 3, 0, 1],
            vec![0, 0, 4, 0, 1, 1],
            vec![2, 0, (-2_i32) as u32, u32::MAX, 2, 0],
            vec![2, 2],
            vec![0x0041_0709],
        ];
        assert_eq!(words, expected.concat());
    }
}
