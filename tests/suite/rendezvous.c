// Two threads meet by a semaphore each: both say that they are there before they wait for the other. Waiting first, both
// wait for ever.
// case: safe
// explore: safe
// case: bug
// cflags: -DWAIT_FIRST
// explore: bug deadlock:@other
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t here[2];
int value[2];

void *meet(void *arg) {
    long me = (long)arg, other = 1 - me;
    value[me] = 10 + me;
#ifndef WAIT_FIRST
    sem_post(&here[me]);
#endif
    sem_wait(&here[other]); // @other
#ifdef WAIT_FIRST
    sem_post(&here[me]);
#endif
    assert(value[other] == 10 + other);
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&here[0], 0, 0);
    sem_init(&here[1], 0, 0);
    pthread_create(&a, 0, meet, (void *)0);
    pthread_create(&b, 0, meet, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
