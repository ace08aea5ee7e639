//! An execution, read off a solver's model.

use super::Encoding;
use crate::event::{EventId, EventKind};
use crate::faults::{Fault, seeded};
use crate::forest::Forest;
use crate::witness::InputValue;
use ordain_expr::SymbolId;
use ordain_solve::order::{Answer, Lit, OrderSolver};
use rustc_hash::FxHashMap;

#[derive(Clone, Debug)]
pub struct Solution {
    /// The events that take place, in order, without those that have before everything. Under TSO and PSO a store stands where it reaches memory.
    pub order: Vec<EventId>,
    pub inputs: Vec<InputValue>,
    /// What the scheduler decides.
    pub choices: FxHashMap<EventId, u32>,
    /// By signal: the enqueue event of the thread that it wakes.
    pub woken: FxHashMap<EventId, EventId>,
}

impl<S: OrderSolver> Encoding<S> {
    /// The execution that the last satisfiable answer describes.
    pub fn solution(&self, forest: &Forest) -> Solution {
        let takes_place = |e| if seeded(Fault::UnguardedTakePlace) { self.executed(e) } else { self.active(e) };
        let is_over = |e: &EventId| forest.opening.events.contains(e);
        let events = self.encoded_events().filter(|e| !is_over(e));
        let mut order: Vec<EventId> = events.filter(|&e| self.solver.value(takes_place(e))).collect();
        order.sort_by_key(|&e| {
            let at = forest.position(e);
            let moment = if seeded(Fault::OrderForgotten) { 0 } else { self.solver.position(self.global(e)) };
            (moment, at.node, at.index)
        });
        let mut inputs: Vec<InputValue> = forest
            .inputs
            .iter()
            .map(|(key, input)| InputValue {
                thread: key.thread.clone(),
                nth: key.nth,
                name: input.name.clone(),
                bytes: input.bytes.iter().map(|&b| self.blaster.value(&self.solver, b).unwrap_or(0) as u8).collect(),
            })
            .collect();
        inputs.sort_by(|a, b| (&a.thread, a.nth).cmp(&(&b.thread, b.nth)));
        let choices = order.iter().filter_map(|&e| match forest.event(e).kind {
            EventKind::Choose { value } => Some((e, self.blaster.value(&self.solver, value).unwrap_or(0) as u32)),
            _ => None,
        });
        let choices = choices.collect();
        Solution { order, inputs, choices, woken: self.woken() }
    }

    /// Whether there is an execution in which just these events take place, with these values of symbols.
    pub fn admits(&mut self, forest: &mut Forest, taken: &[EventId], values: &FxHashMap<SymbolId, u64>) -> Answer {
        let mut assumptions: Vec<Lit> = taken.iter().map(|&e| self.active(e)).collect();
        for (&symbol, &value) in values {
            let symbol = forest.terms.symbol_term(symbol);
            let value = forest.terms.constant(forest.terms.width(symbol), value);
            let equal = self.equal(forest, symbol, value);
            assumptions.push(equal);
        }
        self.solver.solve(&assumptions)
    }
}
