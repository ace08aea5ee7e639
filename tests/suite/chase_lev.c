// A work-stealing deque after Chase and Lev: the owner works at the bottom, thieves take from the top. In the faulty one
// the owner takes the last task without asking whether a thief is about to.
// check: assertion,bounds
// case: safe
// cflags: -DTASKS=1 -DTHIEVES=1
// explore: safe
// case: safe-2
// cflags: -DTASKS=2 -DTHIEVES=1
// explore: safe
// case: safe-two-thieves
// cflags: -DTASKS=2 -DTHIEVES=2
// explore: safe
// case: bug
// cflags: -DTASKS=1 -DTHIEVES=1 -DNO_CAS
// explore: bug assertion:@once
// case: bug-tso
// cflags: -DTASKS=2 -DTHIEVES=2 -DNO_FENCE
// memory: tso
// explore: bug assertion:@once
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4
atomic_int tasks[SIZE], top, bottom;
atomic_int done[TASKS + 1];

#ifdef NO_FENCE
#define STORE_ORDER memory_order_release
#else
#define STORE_ORDER memory_order_seq_cst
#endif

void execute(int task) {
    assert(atomic_fetch_add(&done[task], 1) == 0); // @once
}

void push(int task) {
    int b = bottom;
    tasks[b % SIZE] = task;
    bottom = b + 1;
}

int pop(void) {
    int b = bottom - 1;
    atomic_store_explicit(&bottom, b, STORE_ORDER);
    int t = top;
    if (t < b)
        return tasks[b % SIZE];
    if (t > b) {
        bottom = t;
        return 0;
    }
    int task = tasks[b % SIZE];
#ifdef NO_CAS
    top = t + 1;
#else
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
        task = 0;
#endif
    bottom = b + 1;
    return task;
}

int steal(void) {
    int t = top, b = bottom;
    if (t >= b)
        return 0;
    int task = tasks[t % SIZE];
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : 0;
}

void *thief(void *arg) {
    int task = steal();
    if (task)
        execute(task);
    return 0;
}

int main(void) {
    pthread_t thieves[THIEVES];
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&thieves[i], 0, thief, 0);
    for (int task = 1; task <= TASKS; task++)
        push(task);
    for (int i = 0; i < TASKS; i++) {
        int task = pop();
        if (task)
            execute(task);
    }
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thieves[i], 0);
    for (int task = 1; task <= TASKS; task++)
        assert(done[task] == 1);
    return 0;
}
