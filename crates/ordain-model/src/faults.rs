//! Seeded faults: do the tests notice when the encoding is wrong?
//!
//! As in `ordain_solve::faults`: each fault stands at its place as one `if`, which is there only with the feature `faults`.

ordain_solve::faults! {
    // Paths and guards.
    /// A thread takes an outcome although its condition does not hold.
    OutcomeUnconditional,
    /// A thread takes several outcomes of one decision.
    SiblingsTogether,
    /// An event is executed although those before it are not.
    EventsSkipped,
    /// An event that is executed takes place whatever its guard says.
    GuardIgnored,
    /// Read-modify-writes always write, also compare-and-swaps that fail.
    RmwAlwaysWrites,
    /// Read-modify-writes never write.
    RmwNeverWrites,
    /// Executions go on although an assumption is violated.
    AssumeIgnored,
    /// Executions go on although something undefined was used.
    UndefinedUsed,

    // Meetings.
    /// Only who comes by the first way goes on after a meeting.
    FirstWayOnly,
    /// What symbols stand for after a meeting is left open.
    RenamedFree,
    /// What comes after a meeting comes after what was on the first way only.
    AfterFirstWay,
    /// What was written on one way to a meeting hides what was there before, whichever way was taken.
    BypassedHides,
    /// What one path knows, all that meet it know.
    KnownByAll,
    /// Variables that only callees still use count as dead.
    CalleesForgotten,
    /// After a meeting, reads go on with the names that they had on the path that came first.
    ReadsNamedOn,

    // Program order and memory models.
    /// Under weak memory, what follows a load need not come after it.
    LoadsUnordered,
    /// Under PSO, stores reach memory in order.
    StoresKeptInOrder,
    /// Under weak memory, stores reach memory at once.
    StoresNotBuffered,
    /// A release store orders no more than any other.
    ReleaseStoreIgnored,
    /// Fences order nothing.
    FenceIgnored,
    /// Every fence orders just stores.
    FenceForStoresOnly,
    /// Read-modify-writes do not drain the store buffer.
    RmwDrainsNothing,
    /// Stores after a release fence do not wait for it.
    StoreFenceIgnored,
    /// Under weak memory, a thread's own accesses to one location are not ordered.
    OwnAccessesIncoherent,

    // Memory.
    /// A thread's own writes have no order that readers would notice.
    OwnWritesUnordered,
    /// If the first of two writes of different threads is not first, the second need not be.
    WritesOrderedOneWay,
    /// Under weak memory, writes of different threads to one place need not be ordered.
    BufferedWritesUnordered,
    /// Whether accesses overlap is seen by the first cell of one of them.
    FirstCellsOverlap,
    /// Nobody reads the initial contents.
    InitialNeverSeen,
    /// The initial contents are anything.
    InitialValueFree,
    /// A read need not read from anything.
    ReadFromNowhere,
    /// Everything comes before what follows a join, whoever was joined.
    CertainlyAfterJoinOfAnother,
    /// Nothing that was written under some mutex is seen by others.
    LockedAwayUnlocked,
    /// Only one addition to a counter counts.
    AdditionNotCounted,
    /// Of what is written to memory, only the first counts among what it can hold.
    ValueNotCounted,
    /// What memory can hold is thought to stay apart although accesses overlap.
    OverlapNotSeen,
    /// A write that may not take place hides what was before it.
    GuardedWriteShadows,
    /// A thread sees its own buffered stores only when all do.
    NoForwarding,
    /// A read sees a write that does not take place.
    UnwrittenSeen,
    /// A read sees a write to somewhere else.
    SeenElsewhere,
    /// Whatever part of a write a read sees, it is the lowest.
    FirstCellSeen,
    /// A write changes all of its object.
    HitEverywhere,

    // Threads and mutexes.
    /// A thread starts without having been created.
    StartUncreated,
    /// A thread starts before it is created.
    StartUnordered,
    /// A thread is started with any argument.
    ArgumentFree,
    /// Several signals wake a thread.
    WokenTwice,
    /// A signal wakes several threads.
    SignalWakesMany,
    /// A signal wakes nobody although somebody waits.
    SignalLost,
    /// A thread goes on although nobody has woken it.
    WokenByNobody,
    /// A join comes before the end of the thread.
    JoinUnordered,
    /// A join returns any value.
    JoinValueFree,
    /// A join waits for nothing.
    JoinAtOnce,
    /// A thread locks a mutex that it holds.
    LockedTwice,
    /// Critical sections overlap.
    SectionsOverlap,
    /// Others get a mutex that is never released.
    OpenSectionNotLast,
    /// A trylock fails after the mutex was released.
    BusyAfterUnlock,
    /// A trylock fails although nobody holds the mutex.
    BusyWithoutHolder,

    /// Under weak memory, a function returns some time after its last point.
    ReturnsLater,
    /// Under weak memory, a function returns only when its last store has reached memory.
    ReturnsAfterStore,

    // What a step does after its point.
    /// A thread stops before a decision that is due.
    DecisionsWait,
    /// A thread waits at an event that does not take place.
    AbsentHoldUp,
    /// A function returns after an event that does not take place.
    ReturnsWithAbsent,
    /// A thread stops amid a step.
    StepsStopHalfway,

    // Lifetimes and definedness.
    /// Two threads free one object.
    FreedTwice,
    /// Executions go on although something freed was touched.
    TouchedWhenFreed,
    /// The initial contents of all memory are defined.
    InitiallyDefined,
    /// A value read is defined if its last cell is.
    LastCellDefines,
    /// Whether what a join returns is defined is left open.
    JoinedDefinedness,
    /// What was written is defined.
    CopiesDefined,

    // Deadlocks and hangs.
    /// A thread is stuck where it has been past.
    StuckThoughDone,
    /// A thread is stuck joining one that is not.
    JoinedNotStuck,
    /// A thread is stuck for a mutex that was released.
    HeldThoughUnlocked,
    /// A thread is stuck for a mutex whose holder is not.
    HolderNotStuck,
    /// Mutexes of a thread that has ended are free.
    DeadHoldersRelease,
    /// A thread awaits for ever although others go on.
    AwaitAmongOthers,
    /// A thread awaits for ever without seeing the last writes.
    AwaitMissesWrites,

    // Races.
    /// Accesses to different parts of an object race.
    RaceApart,
    /// Creation does not synchronise.
    CreateNoSync,
    /// Joins do not synchronise.
    JoinNoSync,
    /// Mutexes do not synchronise.
    UnlockNoSync,
    /// Read-modify-writes do not continue a release sequence.
    ReleaseSequenceEnds,
    /// Relaxed writes release.
    RelaxedReleases,
    /// Relaxed reads acquire.
    RelaxedAcquires,
    /// Acquiring loads do not synchronise.
    AcquireNoSync,

    // Goals and answers.
    /// A thread gets to an outcome that nobody has followed although its condition does not hold.
    StubUnconditional,
    /// Something is touched after its end although nobody has freed it.
    NotFreedYet,
    /// A use of something defined counts as one of something undefined.
    DefinedAfterAll,
    /// Whole executions may have threads other than main that go on.
    EndedThoughRunning,
    /// Witnesses contain events whose guard does not hold.
    UnguardedTakePlace,
    /// Witnesses are not in the order of the solution.
    OrderForgotten,

    // Regions that somebody comes between.
    /// Executions look the same whatever was read.
    ValuesForgotten,
    /// Executions look the same whatever memory holds in the end.
    MemoryForgotten,
    /// Where one execution made no difference, no execution does.
    OneBenignForAll,
    /// Other threads may be interrupted in their regions.
    OthersSplit,

    // What is looked for in a run at all.
    /// Creation orders what the child does before what its parent does next.
    CreateOrdersBoth,
    /// A join orders what all threads have done, whoever was joined.
    JoinOrdersEveryone,
    /// Threads keep the mutexes that they unlock.
    UnlockKeeps,
    /// The end of an object goes unnoticed.
    FreeUnnoticed,
    /// Threads that hold different mutexes shut each other out.
    AnyGate,
    /// An access is like the last one, whatever is held.
    SameWhateverHeld,

    // Ways of a run.
    /// That a thread has ended on another way than its own goes unnoticed.
    EndsElsewhereLost,

    // Beginnings in the middle of a run.
    /// Mutexes that threads have at the beginning are nobody's.
    HeldBeforeForgotten,
    /// Who has been woken before the beginning sleeps on.
    WokenBeforeForgotten,

    // Runs of which a part is left out.
    /// What is read need not have been written.
    WritersLeftOut,
    /// Sections of a mutex may be left open although others come later.
    SectionsLeftOpen,
}
