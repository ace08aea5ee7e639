// Dekker's algorithm for T = 2 threads. With P, a thread gives up after P looks at the other's wish or at whose turn it is;
// without, it waits, and the awaits need no bound.
//
// Memory models: both threads raise a flag and then look at the other's. With sequentially consistent atomics (a full fence
// after each store) nothing changes under TSO and PSO. With relaxed ones both flags can wait in store buffers while both
// threads look: broken under TSO, and so under PSO. A full fence between the two, and one before the flag is lowered
// (the sum must be in memory before the other may read it, which TSO promises and PSO does not), repair it.
// check: assertion,hang
// case: dekker1
// cflags: -DP=20
// explore: safe
// case: dekker2
// cflags: -DP=30
// explore: safe
// case: awaits
// explore: safe
// case: bug
// cflags: -DP=20 -DBUG
// explore: bug assertion:@sum
// case: tso
// cflags: -DP=3
// memory: tso
// explore: safe
// case: pso
// cflags: -DP=3
// memory: pso
// explore: safe
// case: relaxed-tso
// cflags: -DP=3 -DRELAXED
// memory: tso
// explore: bug assertion:@sum
// case: relaxed-pso
// cflags: -DP=3 -DRELAXED
// memory: pso
// explore: bug assertion:@sum
// case: fences-tso
// cflags: -DP=3 -DRELAXED -DFENCES
// memory: tso
// explore: safe
// case: fences-pso
// cflags: -DP=3 -DRELAXED -DFENCES
// memory: pso
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif
#ifdef FENCES
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE (void)0
#endif
#define SET(v, n) atomic_store_explicit(&v, n, ORDER)
#define GET(v) atomic_load_explicit(&v, ORDER)

#ifdef P
#define LOOK(looks) ((looks)++ == P)
#else
#define LOOK(looks) 0
#endif

atomic_int wants[2], turn;
unsigned total;

// Whether the thread has entered.
static int enter(int me, int other) {
    int looks = 0;
    (void)looks;
    SET(wants[me], 1);
    FENCE;
#ifdef BUG
    // Whoever has the turn does not look.
    if (GET(turn) == me)
        return 1;
#endif
    while (GET(wants[other])) {
        if (LOOK(looks))
            goto give_up;
        if (GET(turn) == me)
            continue;
        SET(wants[me], 0);
        while (GET(turn) != me)
            if (LOOK(looks))
                return 0;
        SET(wants[me], 1);
        FENCE;
    }
    return 1;
give_up:
    SET(wants[me], 0);
    return 0;
}

static void leave(int me, int other) {
    FENCE;
    SET(turn, other);
    SET(wants[me], 0);
}

static unsigned added[2];

static void *worker(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    unsigned amount;
    ordain_input(&amount, sizeof amount, "amount");
    if (enter(me, other)) {
        total += amount;
        added[me] = amount;
        leave(me, other);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == added[0] + added[1]); // @sum
    return 0;
}
