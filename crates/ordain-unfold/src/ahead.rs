//! What a path has to do before its next instruction: where merged branches meet, the failures of one side are decided first, and
//! then the thread arrives at the block that comes next. Both may fork the path; what is done already stays done.

use crate::Unfolder;
use crate::access::Stop;
use crate::state::State;
use ordain_expr::Term;
use ordain_ir::program::BlockId;
use ordain_model::event::Site;
use ordain_model::failure::FailureKind;
use ordain_model::forest::{NodeEnd, NodeId, Subject};

#[derive(Clone, Copy, Debug)]
pub enum Ahead {
    /// The thread has failed on one side of a branch, if it went there.
    Fail {
        when: Term,
        kind: FailureKind,
        site: Site,
    },
    Enter(BlockId),
}

impl Unfolder<'_> {
    /// Does what is ahead; says whether there was anything.
    pub(crate) fn look_ahead(&mut self, state: &mut State, node: NodeId) -> Result<bool, Stop> {
        let Some(&ahead) = state.ahead.last() else { return Ok(false) };
        match ahead {
            Ahead::Enter(block) => self.enter_block(state, node, block)?,
            Ahead::Fail { when, kind, site } => match state.known(&self.forest.terms, when) {
                None => return Err(Stop::Decide(Subject::Condition(when))),
                Some(false) => {}
                Some(true) => {
                    self.end_sites.insert(node, site);
                    return Err(Stop::End(NodeEnd::Failure(kind)));
                }
            },
        }
        state.ahead.pop();
        Ok(true)
    }
}

impl State {
    /// Where the next decision of the path is.
    pub(crate) fn decision_site(&self, program: &ordain_ir::program::Program) -> Site {
        match self.ahead.last() {
            Some(Ahead::Fail { site, .. }) => *site,
            Some(Ahead::Enter(_)) | None => self.site(program),
        }
    }
}
