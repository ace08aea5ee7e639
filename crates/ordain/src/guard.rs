//! A panic anywhere is an internal error with a message of its own, never a raw backtrace.

use crate::error::CommandError;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

pub fn catch_panics<T>(run: impl FnOnce() -> Result<T, CommandError>) -> Result<T, CommandError> {
    let place = Arc::new(Mutex::new(None::<String>));
    let seen = Arc::clone(&place);
    panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or("no message");
        let at = info.location().map(|l| format!(" (at {}:{})", l.file(), l.line())).unwrap_or_default();
        // The first panic is the cause; what follows from it while unwinding is noise.
        if let Ok(mut place) = seen.lock() {
            place.get_or_insert(format!("{message}{at}"));
        }
    }));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let message = place.lock().ok().and_then(|mut place| place.take());
        Err(CommandError::Internal(message.unwrap_or_else(|| "panic without a message".to_owned())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_internal_error_that_says_where() {
        let result: Result<(), _> = catch_panics(|| panic!("the impossible happened"));
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("internal error: the impossible happened (at "), "{message}");
        assert!(message.contains("Please report"), "{message}");
    }
}
