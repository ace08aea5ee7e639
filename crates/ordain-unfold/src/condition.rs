//! What condition variables are made of, and decisions of the scheduler, in a thread's own view.

use crate::Unfolder;
use crate::access::Stop;
use crate::builtin::unsupported;
use crate::state::State;
use ordain_expr::Term;
use ordain_model::event::{EventId, EventKind, Site};
use ordain_model::forest::NodeId;

impl Unfolder<'_> {
    pub(crate) fn enqueue(&mut self, state: &mut State, node: NodeId, site: Site, address: Term) -> Result<(), Stop> {
        let condition = self.mutex(state, node, address)?;
        let enqueue = self.emit(node, state, site, EventKind::Enqueue { condition });
        state.waiting = Some(enqueue);
        Ok(())
    }

    fn waiting(&self, state: &State) -> Result<EventId, Stop> {
        match state.waiting {
            Some(enqueue) => Ok(enqueue),
            None => unsupported("waiting for no condition"),
        }
    }

    pub(crate) fn sleep(&mut self, state: &mut State, node: NodeId, site: Site) -> Result<(), Stop> {
        let enqueue = self.waiting(state)?;
        self.emit(node, state, site, EventKind::Wake { enqueue });
        state.waiting = None;
        Ok(())
    }

    /// Whether the thread was woken. It goes on waiting unless it was, which is what its own code decides next.
    pub(crate) fn look(&mut self, state: &mut State, node: NodeId, site: Site, leaves: bool) -> Result<Term, Stop> {
        let enqueue = self.waiting(state)?;
        let woken = self.forest.terms.symbol(1);
        self.emit(node, state, site, EventKind::Look { enqueue, woken, leaves });
        if leaves {
            state.waiting = None;
        }
        Ok(woken)
    }

    pub(crate) fn signal(
        &mut self,
        state: &mut State,
        node: NodeId,
        site: Site,
        address: Term,
        all: bool,
    ) -> Result<(), Stop> {
        let condition = self.mutex(state, node, address)?;
        self.emit(node, state, site, EventKind::Signal { condition, all });
        Ok(())
    }

    pub(crate) fn waiters(&mut self, state: &mut State, node: NodeId, site: Site, address: Term) -> Result<Term, Stop> {
        let condition = self.mutex(state, node, address)?;
        let any = self.forest.terms.symbol(1);
        self.emit(node, state, site, EventKind::Waiters { condition, any });
        Ok(any)
    }

    pub(crate) fn choose(&mut self, state: &mut State, node: NodeId, site: Site) -> Term {
        let value = self.forest.terms.symbol(1);
        self.emit(node, state, site, EventKind::Choose { value });
        value
    }
}
