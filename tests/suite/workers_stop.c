// Stopping a driver: whoever uses it counts itself in and looks whether it has been stopped. The faulty one looks before it
// counts.
// check: assertion,hang,deadlock
// case: safe
// cflags: -DUSERS=1
// explore: safe
// case: safe-two
// cflags: -DUSERS=2
// explore: safe
// case: bug
// cflags: -DUSERS=1 -DLOOK_FIRST
// explore: bug assertion:@stopped
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// The driver counts as its own first user.
atomic_int users = 1, stopping, gone, stopped;

void leave(void) {
    if (atomic_fetch_sub(&users, 1) == 1)
        gone = 1;
}

void *user(void *arg) {
#ifdef LOOK_FIRST
    if (stopping)
        return 0;
    atomic_fetch_add(&users, 1);
#else
    atomic_fetch_add(&users, 1);
    if (stopping) {
        leave();
        return 0;
    }
#endif
    assert(!stopped); // @stopped
    leave();
    return 0;
}

void *stopper(void *arg) {
    stopping = 1;
    leave();
    while (!gone) {
    }
    stopped = 1;
    return 0;
}

int main(void) {
    pthread_t s, threads[USERS];
    pthread_create(&s, 0, stopper, 0);
    for (int i = 0; i < USERS; i++)
        pthread_create(&threads[i], 0, user, 0);
    pthread_join(s, 0);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
