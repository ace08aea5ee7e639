// A stream as a lock: whoever has it may take it again. The owner and how often it took it are in members of FILE that have
// no other use here.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

#define OWNER(stream) ((pthread_t *)(void *)&(stream)->_freeres_list)
#define DEPTH(stream) ((stream)->_flags2)

int ftrylockfile(FILE *stream) {
    pthread_t nobody = 0, self = pthread_self();
    if (__atomic_load_n(OWNER(stream), __ATOMIC_RELAXED) != self &&
        !__atomic_compare_exchange_n(OWNER(stream), &nobody, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return -1;
    DEPTH(stream)++;
    return 0;
}

void flockfile(FILE *stream) {
    while (ftrylockfile(stream) != 0)
        ;
}

void funlockfile(FILE *stream) {
    if (--DEPTH(stream) == 0)
        __atomic_store_n(OWNER(stream), 0, __ATOMIC_RELEASE);
}
