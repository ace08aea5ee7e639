// Semaphores used as locks.
//
// The run: one thread (0.1) adds, then the other (0.2).
// - one-section: nobody comes between.
// - two-sections: the semaphore is given back between reading and writing, so either thread's region can be split by the other's write.
// - room-for-two: the semaphore lets both in.
// regions: marked
// case: one-section
// cflags: -DROOM=1
// only: atomicity,race
// predict: none
// violations: 0
// case: two-sections
// cflags: -DROOM=1 -DTWO_SECTIONS
// only: atomicity,race
// predict: atomicity:@read-@write
// violations: 2
// case: room-for-two
// cflags: -DROOM=2
// only: race
// predict: race:@add
#include <ordain.h>
#include <pthread.h>
#include <semaphore.h>

int x;
sem_t room;

void *add(void *arg) {
    ordain_atomic_begin();
    sem_wait(&room);
#ifdef TWO_SECTIONS
    int a = x; // @read
    sem_post(&room);
    sem_wait(&room);
    x = a + 1; // @write
#else
    x++; // @add
#endif
    sem_post(&room);
    ordain_atomic_end();
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&room, 0, ROOM);
    pthread_create(&t1, 0, add, 0);
    pthread_create(&t2, 0, add, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
