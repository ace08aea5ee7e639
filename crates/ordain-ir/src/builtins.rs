//! Which names of functions have a meaning to Ordain.

use crate::program::{Builtin, Formatter, SystemCall};
use ordain_expr::float::math::MathCall;
use ordain_expr::float::wide::WideOp;

/// Whether a name keeps its meaning where the program defines the function itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Always means the builtin: these names exist to talk to a verifier.
    Reserved,
    /// Means the builtin only if the program leaves the function undefined.
    Library,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaning {
    pub builtin: Builtin,
    pub claim: Claim,
    /// The fewest arguments that make sense of a call; one with fewer is not understood.
    pub arguments: usize,
}

/// Functions of the program that start with this run atomically as a whole.
pub const ATOMIC_PREFIX: &str = "__VERIFIER_atomic_";
pub const ATOMIC_BEGIN: &str = "__VERIFIER_atomic_begin";
pub const ATOMIC_END: &str = "__VERIFIER_atomic_end";
const NONDET_PREFIX: &str = "__VERIFIER_nondet_";

pub fn meaning(name: &str) -> Option<Meaning> {
    if let Some((_, builtin, arguments)) = RESERVED.iter().find(|(n, ..)| *n == name) {
        return Some(Meaning { builtin: *builtin, claim: Claim::Reserved, arguments: *arguments });
    }
    if name.strip_prefix(NONDET_PREFIX).is_some_and(is_scalar_name) {
        return Some(Meaning { builtin: Builtin::InputValue, claim: Claim::Reserved, arguments: 0 });
    }
    if let Some(call) = SystemCall::named(name) {
        return Some(Meaning { builtin: Builtin::System(call), claim: Claim::Reserved, arguments: call.arguments() });
    }
    if let Some(formatter) = Formatter::named(name) {
        let (builtin, arguments) = (Builtin::Format(formatter), formatter.arguments());
        return Some(Meaning { builtin, claim: Claim::Library, arguments });
    }
    if let Some(call) = MathCall::named(name) {
        return Some(Meaning { builtin: Builtin::Math(call), claim: Claim::Library, arguments: call.arguments() });
    }
    if let Some(op) = WideOp::named(name) {
        return Some(Meaning { builtin: Builtin::Wide(op), claim: Claim::Library, arguments: 1 });
    }
    let (_, builtin, arguments) = LIBRARY.iter().find(|(n, ..)| *n == name)?;
    Some(Meaning { builtin: *builtin, claim: Claim::Library, arguments: *arguments })
}

/// Whether a function of this name, defined by the program, runs atomically.
pub fn is_atomic_function(name: &str) -> bool {
    name.starts_with(ATOMIC_PREFIX) && name != ATOMIC_BEGIN && name != ATOMIC_END
}

/// The scalar types that the benchmarks' input functions are named after.
fn is_scalar_name(name: &str) -> bool {
    const NAMES: [&str; 27] = [
        "int",
        "uint",
        "char",
        "uchar",
        "schar",
        "short",
        "ushort",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "bool",
        "_Bool",
        "u8",
        "u16",
        "u32",
        "u64",
        "s8",
        "s16",
        "s32",
        "s64",
        "size_t",
        "unsigned",
        "unsigned_int",
        "unsigned_char",
        "float",
        "double",
    ];
    NAMES.contains(&name)
}

const RESERVED: &[(&str, Builtin, usize)] = &[
    ("reach_error", Builtin::ReachError, 0),
    ("__VERIFIER_error", Builtin::ReachError, 0),
    ("__VERIFIER_assume", Builtin::Assume, 1),
    ("klee_assume", Builtin::Assume, 1),
    ("ordain_assume", Builtin::Assume, 1),
    ("ordain_input", Builtin::InputBytes, 3),
    ("klee_make_symbolic", Builtin::InputBytes, 3),
    ("ordain_sys_sleep", Builtin::Sleep, 1),
    ("ordain_sys_allocate", Builtin::AlignedAlloc, 2),
    (ATOMIC_BEGIN, Builtin::AtomicBegin, 0),
    (ATOMIC_END, Builtin::AtomicEnd, 0),
    ("ordain_atomic_begin", Builtin::RegionBegin, 0),
    ("ordain_atomic_end", Builtin::RegionEnd, 0),
    // What the models of synchronisation are made of.
    ("ordain_cond_enqueue", Builtin::CondEnqueue, 1),
    ("ordain_cond_sleep", Builtin::CondSleep, 0),
    ("ordain_cond_woken", Builtin::CondWoken, 0),
    ("ordain_cond_leave", Builtin::CondLeave, 0),
    ("ordain_cond_signal", Builtin::CondSignal, 1),
    ("ordain_cond_broadcast", Builtin::CondBroadcast, 1),
    ("ordain_cond_waiters", Builtin::CondWaiters, 1),
    ("ordain_expired", Builtin::Expired, 0),
    ("ordain_spurious", Builtin::Spurious, 0),
    ("ordain_misuse", Builtin::Misuse, 1),
    // The builtins behind names that a model may define otherwise.
    ("ordain_thread_create", Builtin::ThreadCreate, 5),
    ("ordain_thread_exit", Builtin::ThreadExit, 1),
    ("ordain_thread_join", Builtin::ThreadJoin, 2),
    ("ordain_mutex_init", Builtin::MutexInit, 2),
    ("ordain_mutex_destroy", Builtin::MutexDestroy, 1),
    ("ordain_mutex_lock", Builtin::MutexLock, 1),
    ("ordain_mutex_trylock", Builtin::MutexTryLock, 1),
    ("ordain_mutex_unlock", Builtin::MutexUnlock, 1),
];

const LIBRARY: &[(&str, Builtin, usize)] = &[
    ("pthread_create", Builtin::ThreadCreate, 4),
    ("pthread_join", Builtin::ThreadJoin, 2),
    ("pthread_exit", Builtin::ThreadExit, 1),
    ("pthread_self", Builtin::ThreadSelf, 0),
    ("pthread_equal", Builtin::ThreadEqual, 2),
    ("pthread_detach", Builtin::ThreadDetach, 1),
    ("pthread_mutex_init", Builtin::MutexInit, 2),
    ("pthread_mutex_destroy", Builtin::MutexDestroy, 1),
    ("pthread_mutex_lock", Builtin::MutexLock, 1),
    ("pthread_mutex_trylock", Builtin::MutexTryLock, 1),
    ("pthread_mutex_unlock", Builtin::MutexUnlock, 1),
    ("malloc", Builtin::Malloc, 1),
    ("calloc", Builtin::Calloc, 2),
    ("realloc", Builtin::Realloc, 2),
    ("free", Builtin::Free, 1),
    ("exit", Builtin::Exit, 1),
    ("_exit", Builtin::ExitNow, 1),
    ("_Exit", Builtin::ExitNow, 1),
    ("quick_exit", Builtin::ExitNow, 1),
    ("abort", Builtin::Abort, 0),
    ("__assert_fail", Builtin::AssertFail, 4),
    ("setjmp", Builtin::SetJump, 1),
    ("_setjmp", Builtin::SetJump, 1),
    ("sigsetjmp", Builtin::SetJump, 1),
    ("__sigsetjmp", Builtin::SetJump, 1),
    ("longjmp", Builtin::LongJump, 2),
    ("_longjmp", Builtin::LongJump, 2),
    ("siglongjmp", Builtin::LongJump, 2),
    ("__longjmp_chk", Builtin::LongJump, 2),
    ("sched_yield", Builtin::Yield, 0),
    ("pthread_yield", Builtin::Yield, 0),
    ("thrd_yield", Builtin::Yield, 0),
    ("malloc_usable_size", Builtin::UsableSize, 1),
    ("puts", Builtin::Puts, 1),
    ("putchar", Builtin::Putchar, 1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verifier_names_are_reserved_and_library_names_are_not() {
        assert_eq!(meaning("reach_error").map(|m| m.claim), Some(Claim::Reserved));
        assert_eq!(meaning("__VERIFIER_nondet_int").map(|m| m.builtin), Some(Builtin::InputValue));
        assert_eq!(meaning("__VERIFIER_nondet_pointer_to_cow"), None);
        assert_eq!(meaning("malloc").map(|m| m.claim), Some(Claim::Library));
        assert_eq!(meaning("__VERIFIER_assert"), None);
    }

    #[test]
    fn begin_and_end_are_not_atomic_functions_themselves() {
        assert!(is_atomic_function("__VERIFIER_atomic_take"));
        assert!(!is_atomic_function(ATOMIC_BEGIN));
        assert!(!is_atomic_function("reach_error"));
    }
}
