//! Atomic sections (`__VERIFIER_atomic_begin`): natively they can only exclude each other.

use crate::lock::Lock;
use crate::sys;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Who is inside, and how deep. Sections may lie in each other.
static OWNER: AtomicU64 = AtomicU64::new(0);
static DEPTH: AtomicU32 = AtomicU32::new(0);
static SECTION: Lock<()> = Lock::new(());

/// A region that is meant to be atomic begins or ends, which makes no difference to a process.
#[unsafe(no_mangle)]
extern "C" fn ordain_rec_region() {}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_atomic_begin() {
    // SAFETY: has no precondition.
    let me = unsafe { sys::pthread_self() };
    if OWNER.load(Ordering::Relaxed) != me {
        core::mem::forget(SECTION.lock());
        OWNER.store(me, Ordering::Relaxed);
    }
    DEPTH.fetch_add(1, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
extern "C" fn ordain_rec_atomic_end() {
    // SAFETY: has no precondition.
    let me = unsafe { sys::pthread_self() };
    if OWNER.load(Ordering::Relaxed) == me && DEPTH.fetch_sub(1, Ordering::Relaxed) == 1 {
        OWNER.store(0, Ordering::Relaxed);
        SECTION.release();
    }
}
