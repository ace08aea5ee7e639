// A thread publishes the address of a local variable, counts itself, may do something that nobody else notices, and returns. Where
// it does not do that, it returns in the step in which it counts itself: whoever has seen the count is too late.
// case: absent
// check: use-after-free,assertion
// explore: bug use-after-free:44
// case: present
// cflags: -DSTART=2
// check: use-after-free,assertion
// explore: bug use-after-free:44 assertion:45
// case: absent-tso
// memory: tso
// check: use-after-free,assertion
// explore: bug use-after-free:44
// case: present-pso
// memory: pso
// cflags: -DSTART=2
// check: use-after-free,assertion
// explore: bug use-after-free:44 assertion:45
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef START
#define START 0
#endif

atomic_int count = START;
int own;
int *_Atomic shared;

void *publish(void *arg) {
    int local = 1;
    shared = &local;
    int before = atomic_fetch_add(&count, 1);
    if (before > 1)
        own = before;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    if (count > START) {
        int seen = *shared;
        assert(seen == 0);
    }
    pthread_join(thread, 0);
    return 0;
}
