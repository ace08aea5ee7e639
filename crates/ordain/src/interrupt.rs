//! Ctrl-C, and being asked to end in general: the first time, the search ends with what is known; the second time, at once.

use crate::error::CommandError;
use ordain_explore::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What a shell says of a process that a signal ended, less the number of the signal.
const ENDED_BY_SIGNAL: i32 = 128;

/// Raised by the first signal to end.
pub fn interrupted_by_signals() -> Result<Interrupt, CommandError> {
    let interrupt = Interrupt::default();
    for signal in [SIGINT, SIGTERM] {
        // In this order: what the first one finds raised was raised by an earlier signal.
        flag::register_conditional_shutdown(signal, ENDED_BY_SIGNAL + signal, interrupt.flag())
            .and_then(|_| flag::register(signal, interrupt.flag()))
            .map_err(|e| CommandError::Internal(format!("cannot handle signal {signal}: {e}")))?;
    }
    Ok(interrupt)
}
