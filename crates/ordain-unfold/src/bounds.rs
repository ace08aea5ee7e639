//! Where a path is cut because it goes on and on, and how that is said: a verdict names the loop.
//!
//! Of loops and recursion only what depends on decisions is counted: a loop that goes round a fixed number of times is
//! never cut by `--unroll`, however often that is.

use crate::Unfolder;
use crate::access::Stop;
use crate::state::State;
use ordain_ir::program::{BlockId, FuncId, Pc};
use ordain_model::event::Site;
use ordain_model::forest::{Cut, NodeEnd, NodeId};

impl Unfolder<'_> {
    /// The path ends at the loop with this header, in the topmost frame.
    pub(crate) fn cut_loop(&mut self, state: &State, node: NodeId, header: BlockId, why: &str) -> NodeEnd {
        let function = state.frame().function;
        let site = self.site_of_block(state, function, header);
        self.cut_at(node, site, &format!("{} {why}", self.loop_in(function)))
    }

    /// The path has gone on for very long without any decision.
    pub(crate) fn cut_segment(&mut self, state: &State, node: NodeId) -> NodeEnd {
        let innermost = state.arrivals.last().filter(|a| a.depth <= state.frames.len());
        let (function, site) = match innermost.map(|a| (state.frames[a.depth - 1].function, a.block)) {
            Some((function, header)) => (function, self.site_of_block(state, function, header)),
            None => (state.frame().function, state.site(self.program)),
        };
        self.cut_at(node, site, &format!("{} goes on without any decision", self.loop_in(function)))
    }

    /// Cuts the path if the call of `f` is one too many inside another.
    pub(crate) fn check_recursion(&mut self, state: &State, node: NodeId, f: FuncId) -> Result<(), Stop> {
        let Some(limit) = self.options.unroll else { return Ok(()) };
        let mut calls: Vec<u32> = state.frames.iter().filter(|c| c.function == f).map(|c| c.decisions).collect();
        calls.push(state.decisions);
        calls.dedup();
        // The first call is no recursion yet.
        if calls.len() as u32 <= limit.saturating_add(1) {
            return Ok(());
        }
        let what = format!("the recursion of {} was cut at depth {limit} (--unroll)", self.program.function(f).name);
        Err(Stop::End(self.cut_at(node, state.site(self.program), &what)))
    }

    fn cut_at(&mut self, node: NodeId, site: Site, what: &str) -> NodeEnd {
        self.end_sites.insert(node, site);
        NodeEnd::Cut(Cut::Bound(what.to_owned()))
    }

    /// The place of a person's own loop says which it is; a model's needs its name.
    fn loop_in(&self, function: FuncId) -> String {
        let function = self.program.function(function);
        if function.model { format!("a loop in {}", function.name) } else { "a loop".to_owned() }
    }

    fn site_of_block(&self, state: &State, function: FuncId, block: BlockId) -> Site {
        let has_line = |pc: &usize| self.program.location(function, Pc(*pc as u32)).line > 0;
        let mut code = self.pc_in(function, block);
        let first = code.start;
        let pc = Pc(code.find(has_line).unwrap_or(first) as u32);
        let user = match self.program.function(function).model {
            true => state.site(self.program).user,
            false => (function, pc),
        };
        Site { function, pc, user }
    }
}
