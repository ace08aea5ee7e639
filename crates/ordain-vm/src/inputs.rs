//! Where the values of a program's inputs come from.

use crate::rng::Rng;
use ordain_model::answers::Answers;
use ordain_model::names::ThreadName;
use ordain_model::witness::{Execution, InputValue};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Inputs by thread and number; what is not given is zero or random. What system calls return, if that was recorded.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    given: Rc<FxHashMap<(ThreadName, u32), Vec<u8>>>,
    random: Option<Rng>,
    pub(crate) answers: Answers,
}

impl Inputs {
    /// All inputs are zero.
    pub fn zero() -> Self {
        Self::default()
    }

    /// All inputs are random.
    pub fn random(seed: u64) -> Self {
        Inputs { random: Some(Rng::new(seed)), ..Inputs::default() }
    }

    /// The inputs of a witness; others are zero.
    pub fn given<'a>(values: impl IntoIterator<Item = &'a InputValue>) -> Self {
        let given = values.into_iter().map(|v| ((v.thread.clone(), v.nth), v.bytes.clone())).collect();
        Inputs { given: Rc::new(given), ..Inputs::default() }
    }

    /// All that an execution has from outside.
    pub fn of(execution: &Execution) -> Self {
        Self::given(&execution.inputs).with_answers(execution.answers.clone())
    }

    /// With these answers to the program's system calls.
    pub fn with_answers(self, answers: Answers) -> Self {
        Inputs { answers, ..self }
    }

    /// Whether it was recorded how system calls were answered.
    pub fn has_answers(&self) -> bool {
        self.answers.are_recorded()
    }

    pub fn set(&mut self, thread: ThreadName, nth: u32, bytes: Vec<u8>) {
        Rc::make_mut(&mut self.given).insert((thread, nth), bytes);
    }

    pub(crate) fn take(&mut self, thread: &ThreadName, nth: u32, size: usize) -> Vec<u8> {
        let mut bytes = match (self.given.get(&(thread.clone(), nth)), &mut self.random) {
            (Some(bytes), _) => bytes.clone(),
            (None, Some(rng)) => random_bytes(rng, size),
            (None, None) => Vec::new(),
        };
        bytes.resize(size, 0);
        bytes
    }
}

/// Half of the time a small number, which is what programs compare inputs with.
fn random_bytes(rng: &mut Rng, size: usize) -> Vec<u8> {
    if rng.below(2) == 0 {
        let small = (rng.below(16) as i64 - 4).to_le_bytes();
        let sign = if small[7] == 0 { 0 } else { 0xff };
        return (0..size).map(|i| small.get(i).copied().unwrap_or(sign)).collect();
    }
    (0..size).map(|_| rng.next_u64() as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_inputs_and_missing_bytes_are_zero() {
        let mut inputs = Inputs::zero();
        inputs.set(ThreadName::main(), 1, vec![7]);
        assert_eq!(inputs.take(&ThreadName::main(), 0, 2), [0, 0]);
        assert_eq!(inputs.take(&ThreadName::main(), 1, 4), [7, 0, 0, 0]);
    }

    #[test]
    fn random_inputs_repeat_with_their_seed() {
        let take = |seed| (0..8).map(|n| Inputs::random(seed).take(&ThreadName::main(), n, 4)).collect::<Vec<_>>();
        assert_eq!(take(3), take(3));
    }
}
