//! Bugs to be found: what is changed in a copy of the pool's source, one change at a time.
//!
//! Each is a mistake that people make with condition variables and locks, in a place where the pool gets it right.

use crate::client::{Client, HAND_OVER, ONE_THREAD, RESIZES, TWO_THREADS, WAITS};

type Failure = Box<dyn std::error::Error>;

pub struct Seed {
    pub name: &'static str,
    /// The smallest client that meets it.
    pub client: Client,
    from: &'static str,
    to: &'static str,
}

pub const SEEDS: [Seed; 8] = [
    Seed {
        name: "a worker takes any wake-up for a job",
        client: ONE_THREAD,
        from: "while ( ctx->queueEmpty",
        to: "if ( ctx->queueEmpty",
    },
    Seed {
        name: "the client takes any wake-up for room",
        client: HAND_OVER,
        from: "while (isQueueFull(ctx) &&",
        to: "if (isQueueFull(ctx) &&",
    },
    Seed {
        name: "only one worker hears of the end",
        client: TWO_THREADS,
        from: "ZSTD_pthread_cond_broadcast(&ctx->queuePopCond);\n    /* Join",
        to: "ZSTD_pthread_cond_signal(&ctx->queuePopCond);\n    /* Join",
    },
    Seed {
        name: "the end is announced without the lock",
        client: ONE_THREAD,
        from: "ZSTD_pthread_mutex_lock(&ctx->queueMutex);\n    ctx->shutdown = 1;\n    \
               ZSTD_pthread_mutex_unlock(&ctx->queueMutex);",
        to: "ctx->shutdown = 1;",
    },
    Seed {
        name: "a job is counted off without the lock",
        client: HAND_OVER,
        from: "ZSTD_pthread_mutex_lock(&ctx->queueMutex);\n            ctx->numThreadsBusy--;\n            \
               ZSTD_pthread_cond_signal(&ctx->queuePushCond);\n            \
               ZSTD_pthread_mutex_unlock(&ctx->queueMutex);",
        to: "ctx->numThreadsBusy--;\n            ZSTD_pthread_cond_signal(&ctx->queuePushCond);",
    },
    Seed {
        name: "nobody hears that a job is done",
        client: WAITS,
        from: "ctx->numThreadsBusy--;\n            ZSTD_pthread_cond_signal(&ctx->queuePushCond);",
        to: "ctx->numThreadsBusy--;",
    },
    Seed {
        name: "the last worker is not waited for",
        client: ONE_THREAD,
        from: "i < ctx->threadCapacity; ++i",
        to: "i + 1 < ctx->threadCapacity; ++i",
    },
    Seed {
        name: "the limit changes without the lock",
        client: RESIZES,
        from: "ZSTD_pthread_mutex_lock(&ctx->queueMutex);\n    result = POOL_resize_internal(ctx, numThreads);\n    \
               ZSTD_pthread_cond_broadcast(&ctx->queuePopCond);\n    ZSTD_pthread_mutex_unlock(&ctx->queueMutex);",
        to: "result = POOL_resize_internal(ctx, numThreads);\n    ZSTD_pthread_cond_broadcast(&ctx->queuePopCond);",
    },
];

impl Seed {
    /// The pool's source with this bug in it.
    pub fn plant(&self, source: &str) -> Result<String, Failure> {
        match source.matches(self.from).count() {
            1 => Ok(source.replace(self.from, self.to)),
            n => Err(format!("the seed '{}' fits in {n} places instead of one", self.name).into()),
        }
    }
}
