// Szymanski's algorithm for two: a waiting room with two doors. The faulty one goes straight through.
// case: safe
// explore: safe
// case: bug
// check: assertion
// cflags: -DNO_DOOR
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { OUTSIDE, INTERESTED, WAITING, IN_DOORWAY, IN_ROOM };
atomic_int flag[2];
int inside;

void *worker(void *arg) {
    long me = (long)arg, other = 1 - me;
    flag[me] = INTERESTED;
#ifndef NO_DOOR
    while (flag[other] >= IN_DOORWAY) {
    }
    flag[me] = IN_DOORWAY;
    if (flag[other] == INTERESTED) {
        flag[me] = WAITING;
        while (flag[other] != IN_ROOM) {
        }
    }
#endif
    flag[me] = IN_ROOM;
    // The lower number goes first.
    if (me == 1)
        while (flag[other] >= WAITING) {
        }
    inside++;
    assert(inside == 1); // @alone
    inside--;
    // Nobody leaves before all who wait have seen that the room is closed.
    if (me == 0) {
        int seen;
        do
            seen = flag[other];
        while (seen == WAITING || seen == IN_DOORWAY);
    }
    flag[me] = OUTSIDE;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
