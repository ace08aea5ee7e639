//! Library functions that run natively in a recording, although there is a model of them.
//!
//! Those that only look at and change memory, because the C library's are faster and do the same; and those that wait,
//! because models wait in loops that the machine knows to be awaits, where a process would burn its time. Both have the
//! layout of the C library's objects and of nothing else. Everything else of the models is compiled, recorded and followed
//! like the program itself, down to the system calls.

/// What a native function does for the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Native {
    /// What it does follows from memory and its arguments.
    Memory,
    /// What it returns is noted.
    Waits,
}

/// The library's function that takes the place of the model `name`.
pub(crate) fn native(name: &str) -> Option<(&str, Native)> {
    if let Some(plain) = name.strip_prefix("__ordain_").filter(|n| ["memcpy", "memmove", "memset"].contains(n)) {
        return Some((plain, Native::Memory));
    }
    if MEMORY.contains(&name) {
        return Some((name, Native::Memory));
    }
    let waits = WAITING.iter().any(|prefix| name.starts_with(prefix));
    waits.then_some((name, Native::Waits))
}

const MEMORY: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "memchr",
    "memrchr",
    "mempcpy",
    "memccpy",
    "memmem",
    "rawmemchr",
    "bzero",
    "explicit_bzero",
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strchr",
    "strrchr",
    "strchrnul",
    "strdup",
    "strndup",
    "stpcpy",
    "stpncpy",
    // Where the functions above and the system calls of models leave their errors.
    "__errno_location",
];

/// Beginnings of names: functions of synchronisation objects, and those of their attributes.
const WAITING: &[&str] = &[
    "pthread_attr_",
    "pthread_barrier_",
    "pthread_barrierattr_",
    "pthread_cond_",
    "pthread_condattr_",
    "pthread_mutex_",
    "pthread_mutexattr_",
    "pthread_rwlock_",
    "pthread_rwlockattr_",
    "pthread_spin_",
    "sem_",
];
