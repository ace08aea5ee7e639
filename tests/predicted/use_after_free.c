// Main frees what a thread uses, when it has been told that the thread is done.
//
// The run: main waits, the thread (0.1) runs to its end, main frees.
// - told-early: the thread says so before it uses the object for the last time.
// - told: it says so after that.
// - joined: main waits for its end.
// only: use-after-free
// case: told-early
// cflags: -DEARLY
// predict: use-after-free:@use
// case: told
// predict: none
// case: joined
// cflags: -DEARLY -DJOINED
// predict: none
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

sem_t done;

void *uses(void *arg) {
    int *object = arg;
#ifdef EARLY
    sem_post(&done);
#endif
    *object = 1; // @use
#ifndef EARLY
    sem_post(&done);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    int *object = malloc(sizeof *object);
    sem_init(&done, 0, 0);
    pthread_create(&t, 0, uses, object);
#ifdef JOINED
    pthread_join(t, 0);
#else
    sem_wait(&done);
#endif
    free(object);
#ifndef JOINED
    pthread_join(t, 0);
#endif
    return 0;
}
