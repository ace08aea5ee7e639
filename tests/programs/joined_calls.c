// Sides of branches that call functions, and fail in some of them. Every branch is joined again: the runs do not double from round
// to round. A reader that fails to get in puts back what it took; a writer that does not wait for readers breaks what they see.
// case: safe
// cflags: -DROUNDS=4
// explore: safe
// check: assertion,race,deadlock,hang
// runs: <= 4
// case: bug
// cflags: -DROUNDS=2 -DBUG
// check: assertion,null
// explore: bug assertion:35 null:38
// runs: <= 12
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int word = 16;
static int low, high;
static int *place = &low;

static int try_to(int take) {
    int had = atomic_fetch_sub(&word, take);
#ifdef BUG
    if (had > 0)
#else
    if (had == 16 || (take == 1 && had > 0))
#endif
        return 1;
    atomic_fetch_add(&word, take);
    return 0;
}

static void look(int odd) {
    assert(low == high);
    if (odd) {
        // Only a writer takes it away.
        (void)*(volatile int *)place;
    }
}

static void change(void) {
    low++;
#ifdef BUG
    place = 0;
#endif
    high++;
#ifdef BUG
    place = &low;
#endif
}

static void *worker(void *arg) {
    unsigned char writes;
    ordain_input(&writes, 1, "writes");
    for (int i = 0; i < ROUNDS; i++) {
        if (writes) {
            if (try_to(16)) {
                change();
                atomic_fetch_add(&word, 16);
            }
        } else if (try_to(1)) {
            look(i & 1);
            atomic_fetch_add(&word, 1);
        }
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
