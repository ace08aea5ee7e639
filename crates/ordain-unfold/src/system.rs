//! System calls, where it was recorded how they were answered. Without that, what comes from outside, and what goes there to be read
//! back, is not part of any execution.

use crate::Unfolder;
use crate::access::Stop;
use crate::builtin::unsupported;
use crate::state::State;
use ordain_expr::Term;
use ordain_expr::op::Width;
use ordain_ir::program::SystemCall;
use ordain_model::forest::NodeId;

/// No event has more bytes.
const MOST_BYTES: u64 = 8;

impl Unfolder<'_> {
    /// Returns what the call returned. What it wrote then it writes again, and what it would write to the outside it reads.
    pub(crate) fn system(
        &mut self,
        state: &mut State,
        node: NodeId,
        call: SystemCall,
        args: &[Term],
    ) -> Result<Term, Stop> {
        let answers = self.options.script.as_ref().map(|script| script.answers.clone()).unwrap_or_default();
        if call.is_computed() || !answers.are_recorded() {
            return unsupported(format!("the system call {} has no model in explore", call.name()));
        }
        let Some(answer) = answers.get(&state.thread, state.answers) else {
            return unsupported(format!("a call of {} that was not recorded", call.name()));
        };
        if let SystemCall::Write | SystemCall::WriteAt = call {
            let (address, bytes) = (self.decided(state, node, args[1])?, self.decided(state, node, args[2])?);
            for (at, size) in pieces(address, bytes) {
                let at = self.forest.terms.constant(64, at);
                self.with_lane(state, node, |this, state, lane, fx| {
                    let at = this.resolve(state, lane, fx, at, u64::from(size))?;
                    this.load(state, lane, fx, at, size, None);
                    Ok(())
                })?;
            }
        }
        if let Some(writes) = call.writes().filter(|_| !answer.bytes.is_empty()) {
            let address = self.decided(state, node, args[writes.argument])?;
            for (at, size) in pieces(address, answer.bytes.len() as u64) {
                let bytes = &answer.bytes[(at - address) as usize..][..usize::from(size)];
                let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
                let at = self.forest.terms.constant(64, at);
                let value = self.forest.terms.constant(8 * size as Width, value);
                self.store_at(state, node, at, size, value)?;
            }
        }
        state.answers += 1;
        Ok(self.forest.terms.constant(64, answer.result as u64))
    }
}

/// Cuts memory into pieces that single accesses could touch: address and size.
fn pieces(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(bytes);
    let mut at = address;
    std::iter::from_fn(move || {
        let aligned = if at == 0 { MOST_BYTES } else { 1 << at.trailing_zeros().min(3) };
        let size = (1..=3)
            .map(|log| 1 << log)
            .filter(|&size| size <= aligned && size <= end.saturating_sub(at))
            .fold(1, u64::max);
        let piece = (at < end).then_some((at, size as u8));
        at += size;
        piece
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_are_aligned_and_cover_everything() {
        assert_eq!(pieces(6, 11).collect::<Vec<_>>(), [(6, 2), (8, 8), (16, 1)]);
        assert_eq!(pieces(16, 0).count(), 0);
    }
}
