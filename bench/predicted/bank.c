// A bank: workers move money between accounts, holding both accounts' locks, and post to four books that all of them share.
//
// The run: with `av`, the workers (0.1, 0.2, …) run one after the other. With the others they wait for their turn at the books, and the
// last one begins: each of the others blocks in `pthread_cond_wait` once and goes on when the one after it has been there.
// Every access is under a lock. The bug: a worker visits the books, lets go of their lock, and comes back.
//
// Each worker has one region, and in it each book is accessed twice, in different sections of the books' lock. Per worker that makes
// four orders of three accesses (the line of the remote access is that of another worker's region, whichever that is):
//   turnover  read, another's write, write     the other's sum is lost
//   fees      read, another's write, write     the same
//   clerk     write, another's write, read     somebody else's name is read back
//   receipt   write, another's write, read     the same
// There are no others: a remote read between a read and a write, or between a write and a read, is serialisable; an account is
// accessed in one section of its own lock per region; `turn` once at most per region; main only reads, after the joins.
// - av: all four, for each worker: 4N. (A split of turnover or fees can be harmless if a third worker overwrites what came between;
//   two workers are enough for one that is not.)
// - sav: the turn is passed on inside the region, after turnover and clerk, so nobody comes between there: whoever is at these two has
//   found its own number in `turn` and not yet passed it on. Fees and receipt come after that: 2N. In the region of the first
//   worker, the last to have its turn, it is the second that comes between: it has passed on the turn and is slow to go on.
// - nav: the turn is passed on after the region: 0.
// Whoever looks at locks alone sees 4N each time, whether it knows about create and join or not.
// Fusion has the same numbers of threads, regions, violations, and orders that remain without data; its runs have 278 to 1243 events.
// regions: marked
// only: atomicity
// case: av-2
// cflags: -DTHREADS=2 -DVARIANT=AV
// violations: 8
// blind: 8
// case: av-4
// cflags: -DTHREADS=4 -DVARIANT=AV
// violations: 16
// blind: 16
// case: av-6
// cflags: -DTHREADS=6 -DVARIANT=AV
// violations: 24
// blind: 24
// case: av-8
// cflags: -DTHREADS=8 -DVARIANT=AV
// violations: 32
// blind: 32
// case: sav-2
// cflags: -DTHREADS=2 -DVARIANT=SAV
// violations: 4
// blind: 8
// case: sav-4
// cflags: -DTHREADS=4 -DVARIANT=SAV
// violations: 8
// blind: 16
// case: sav-6
// cflags: -DTHREADS=6 -DVARIANT=SAV
// violations: 12
// blind: 24
// case: sav-8
// cflags: -DTHREADS=8 -DVARIANT=SAV
// violations: 16
// blind: 32
// case: nav-2
// cflags: -DTHREADS=2 -DVARIANT=NAV
// violations: 0
// blind: 8
// case: nav-4
// cflags: -DTHREADS=4 -DVARIANT=NAV
// violations: 0
// blind: 16
// case: nav-6
// cflags: -DTHREADS=6 -DVARIANT=NAV
// violations: 0
// blind: 24
// case: nav-8
// cflags: -DTHREADS=8 -DVARIANT=NAV
// violations: 0
// blind: 32
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define AV 1
#define SAV 2
#define NAV 3

#ifndef THREADS
#define THREADS 2
#endif
#ifndef VARIANT
#define VARIANT AV
#endif

// No account can be overdrawn: all that is ever moved is less than what is in each.
enum { ACCOUNTS = 8, OPENING = 1000, TRANSFERS = 6 };

static struct {
    pthread_mutex_t lock;
    int balance;
} accounts[ACCOUNTS] = {[0 ... ACCOUNTS - 1] = {PTHREAD_MUTEX_INITIALIZER, OPENING}};

static struct {
    pthread_mutex_t lock;
    int turnover, clerk, fees, receipt;
} books = {.lock = PTHREAD_MUTEX_INITIALIZER};

#if VARIANT != AV
// Whose turn it is at the books: from the last worker down to the first.
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t your_turn[THREADS + 1] = {[0 ... THREADS] = PTHREAD_COND_INITIALIZER};
static int turn = THREADS;

static void await_turn(int me) {
    pthread_mutex_lock(&turn_lock);
    while (turn != me)
        pthread_cond_wait(&your_turn[me], &turn_lock);
    pthread_mutex_unlock(&turn_lock);
}

static void pass_turn(int me) {
    pthread_mutex_lock(&turn_lock);
    turn = me - 1;
    pthread_cond_signal(&your_turn[me - 1]);
    pthread_mutex_unlock(&turn_lock);
}
#endif

static void hold(int one, int other) {
    pthread_mutex_lock(&accounts[one < other ? one : other].lock);
    pthread_mutex_lock(&accounts[one < other ? other : one].lock);
}

static void let_go(int one, int other) {
    pthread_mutex_unlock(&accounts[one < other ? other : one].lock);
    pthread_mutex_unlock(&accounts[one < other ? one : other].lock);
}

static void move(int from, int to, int amount) {
    if (accounts[from].balance < amount)
        return;
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
}

// What a worker does all day, rightly: one transfer after the other, each under both locks.
static void transfers(int me) {
    for (int i = 0; i < TRANSFERS; i++) {
        int from = (me + i) % ACCOUNTS;
        int to = (from + 1 + i % (ACCOUNTS - 1)) % ACCOUNTS;
        hold(from, to);
        move(from, to, 1 + (me + i) % 4);
        let_go(from, to);
    }
}

// A receipt's number, from what nobody else sees.
static int stamp(int me) {
    int digits[8], number = 0;
    for (int i = 0; i < 8; i++)
        digits[i] = (me * 7 + i * 3) % 10;
    for (int i = 0; i < 8; i++)
        number += digits[i];
    return number * (THREADS + 1) + me;
}

// One more transfer, and what has to be written about it. Returns how often something was not as the worker had left it.
static int post(int me) {
    int from = me % ACCOUNTS, to = (me + 3) % ACCOUNTS, amount = me, receipt = stamp(me);
    ordain_atomic_begin();
    hold(from, to);
    move(from, to, amount);
    pthread_mutex_lock(&books.lock);
    int turnover = books.turnover;
    books.clerk = me;
    pthread_mutex_unlock(&books.lock);
    let_go(from, to);

    pthread_mutex_lock(&books.lock);
    books.turnover = turnover + amount;
    int clerk_now = books.clerk;
    pthread_mutex_unlock(&books.lock);

#if VARIANT == SAV
    pass_turn(me);
#endif

    pthread_mutex_lock(&books.lock);
    int fees = books.fees;
    books.receipt = receipt;
    pthread_mutex_unlock(&books.lock);

    pthread_mutex_lock(&books.lock);
    books.fees = fees + 10 * me;
    int receipt_now = books.receipt;
    pthread_mutex_unlock(&books.lock);
    ordain_atomic_end();
    return (clerk_now != me) + (receipt_now != receipt);
}

static void *work(void *arg) {
    int me = (int)(long)arg;
    transfers(me);
#if VARIANT != AV
    await_turn(me);
#endif
    long wrong = post(me);
#if VARIANT == NAV
    pass_turn(me);
#endif
    return (void *)wrong;
}

int main(void) {
    pthread_t workers[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&workers[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(workers[i], &wrong);
        assert(!wrong);
    }
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        sum += accounts[i].balance;
    assert(sum == ACCOUNTS * OPENING);
    assert(books.turnover == THREADS * (THREADS + 1) / 2);
    assert(books.fees == 10 * books.turnover);
    return 0;
}
