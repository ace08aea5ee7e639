//! What the pool is driven by: `tests/real/pool/harness.c`, in several sizes.

/// A size of the harness.
#[derive(Clone, Copy)]
pub struct Client {
    pub name: &'static str,
    pub threads: u32,
    pub queue: u32,
    pub jobs: u32,
    /// What inputs may make it do.
    pub may: &'static str,
}

pub const ONE_THREAD: Client = Client { name: "one thread", threads: 1, queue: 1, jobs: 2, may: "0" };
pub const HAND_OVER: Client = Client { name: "hands over", queue: 0, ..ONE_THREAD };
pub const TWO_THREADS: Client = Client { name: "two threads", threads: 2, jobs: 1, ..ONE_THREAD };
pub const WAITS: Client = Client { name: "tries and waits", jobs: 1, may: "TRY|WAIT", ..ONE_THREAD };
pub const RESIZES: Client = Client { name: "resizes", jobs: 1, may: "RESIZE", ..ONE_THREAD };
/// `ZSTD_customCalloc` clears what the allocator gave it without looking whether that is anything: a bug of zstd's own.
pub const RUNS_SHORT: Client = Client { name: "runs short", jobs: 1, may: "RUN_SHORT", ..ONE_THREAD };
/// Too much to be finished: how far is it in the time that there is?
pub const EVERYTHING: Client = Client { name: "everything", may: "TRY|WAIT|RESIZE", ..ONE_THREAD };

impl Client {
    pub fn flags(&self) -> String {
        let Client { threads, queue, jobs, may, .. } = self;
        format!("-DTHREADS={threads} -DQUEUE={queue} -DJOBS={jobs} -DMAY={may}")
    }
}
