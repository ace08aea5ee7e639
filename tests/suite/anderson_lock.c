// Anderson's array lock: a flag per waiter, in a ring. The faulty ring is one place too short for its threads.
// case: safe
// cflags: -DN=2 -DPLACES=2
// explore: safe
// case: safe-three
// cflags: -DN=3 -DPLACES=3
// explore: safe
// case: bug
// check: assertion
// cflags: -DN=2 -DPLACES=1
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int may_enter[PLACES] = {1};
atomic_uint next;
int inside;

void *worker(void *arg) {
    unsigned place = atomic_fetch_add(&next, 1) % PLACES;
    while (!may_enter[place]) {
    }
    inside++;
    assert(inside == 1); // @alone
    inside--;
    may_enter[place] = 0;
    may_enter[(place + 1) % PLACES] = 1;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
