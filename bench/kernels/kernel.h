// What the kernels share: `body(part)` is the work of one thread, `PARTS` how many there are, and whether they run in
// threads or one after the other (the interpreter they are compared with has no threads).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PARTS
#define PARTS 1
#endif

static uint64_t body(int part);

static uint64_t results[PARTS];

static void *run_part(void *argument) {
    int part = (int)(intptr_t)argument;
    results[part] = body(part);
    return NULL;
}

#if PARTS > 1 && !defined(SEQUENTIAL)
#include <pthread.h>

static void run_all(void) {
    pthread_t threads[PARTS];
    for (int i = 0; i < PARTS; i++)
        pthread_create(&threads[i], NULL, run_part, (void *)(intptr_t)i);
    for (int i = 0; i < PARTS; i++)
        pthread_join(threads[i], NULL);
}
#else
static void run_all(void) {
    for (int i = 0; i < PARTS; i++)
        run_part((void *)(intptr_t)i);
}
#endif

// A small generator of numbers, the same everywhere.
static inline uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

int main(void) {
    run_all();
    uint64_t sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum = sum * 31 + results[i];
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
