//! Floating point, as far as it is constant: there are no terms for it. A path that computes with a number that is not known
//! ends there, and says so.

use crate::Unfolder;
use crate::access::Stop;
use crate::state::State;
use ordain_expr::Term;
use ordain_ir::program::{Operand, Reg};
use ordain_model::forest::{Cut, NodeEnd};
use rustc_hash::FxHashMap;

const NOT_CONSTANT: &str = "floating point that depends on inputs or on shared memory has no model in explore";

impl Unfolder<'_> {
    /// The values of operands that must be constant.
    pub(crate) fn numbers<const N: usize>(&self, state: &State, operands: [Term; N]) -> Result<[u64; N], Stop> {
        let mut values = [0; N];
        for (value, operand) in values.iter_mut().zip(operands) {
            let constant = state.constant(&self.forest.terms, operand);
            *value = constant.ok_or(Stop::End(NodeEnd::Cut(Cut::Unsupported(NOT_CONSTANT.into()))))?;
        }
        Ok(values)
    }

    /// Calls a function on numbers.
    pub(crate) fn compute(
        &mut self,
        state: &mut State,
        args: &[Operand],
        dsts: &[Reg],
        evaluate: impl FnOnce(&[u64]) -> [u64; 2],
    ) -> Result<(), Stop> {
        let mut values = Vec::new();
        for &arg in args {
            let width = match arg {
                Operand::Reg(r) => self.register_width(state.frame().function, r),
                _ => 64,
            };
            let term = self.operand(state, arg, width);
            values.extend(self.numbers(state, [term])?);
        }
        for (&dst, value) in dsts.iter().zip(evaluate(&values)) {
            let width = self.register_width(state.frame().function, dst);
            let value = self.forest.terms.constant(width, value & ordain_expr::op::mask(width));
            state.set(dst, value);
        }
        self.next(state)
    }

    /// The value with every part that nobody defined being zero, as it is in the machine. What memory of other threads may
    /// leave undefined stays as it is.
    pub(crate) fn frozen(&mut self, value: Term) -> Term {
        let symbols = self.forest.terms.symbols_in(value);
        let mut zeros = FxHashMap::default();
        for symbol in symbols.into_iter().filter(|s| self.forest.undefined.contains(s)) {
            let width = self.forest.terms.width(self.forest.terms.symbol_term(symbol));
            zeros.insert(symbol, self.forest.terms.constant(width, 0));
        }
        if zeros.is_empty() { value } else { self.forest.terms.substitute(value, &zeros) }
    }
}
