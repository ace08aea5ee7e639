// A cache under a read-write lock: threads look keys up, most of the time for reading; who does not find one works its value out and
// puts it in under the lock for writing, unless somebody else has done so meanwhile.
//
// For how the time of a prediction grows with the length of the run. Each thread looks up LOOKUPS keys.
// The bug: hits are counted under the lock for reading, which others may have at the same time. That is a race, and counts are lost. The
// program ends well all the same: it only prints them.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef LOOKUPS
#define LOOKUPS 100
#endif
#ifndef THREADS
#define THREADS 3
#endif
#define SETS 32
#define WAYS 4
#define KEYS 160

struct entry {
    uint32_t key, value;
};

// Key 0 is none. The newest entry of a set is the first.
static struct entry cache[SETS][WAYS];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned hits, misses;
static uint64_t sums[THREADS];

static struct entry *find(uint32_t key) {
    struct entry *set = cache[key % SETS];
    for (int way = 0; way < WAYS; way++)
        if (set[way].key == key)
            return &set[way];
    return NULL;
}

static uint32_t work_out(uint32_t key) {
    uint32_t value = key;
    for (int i = 0; i < 20; i++)
        value = value * 2654435761u ^ value >> 15;
    return value;
}

static uint32_t look_up(uint32_t key) {
    pthread_rwlock_rdlock(&lock);
    struct entry *entry = find(key);
    uint32_t value = entry ? entry->value : 0;
    if (entry)
        hits++; // @hits
    pthread_rwlock_unlock(&lock);
    if (entry)
        return value;
    value = work_out(key);
    pthread_rwlock_wrlock(&lock);
    misses++;
    if (!find(key)) {
        struct entry *set = cache[key % SETS];
        for (int way = WAYS - 1; way > 0; way--)
            set[way] = set[way - 1];
        set[0] = (struct entry){key, value};
    }
    pthread_rwlock_unlock(&lock);
    return value;
}

static void *work(void *arg) {
    uint32_t me = (uint32_t)(uintptr_t)arg, state = 12345u + me;
    uint64_t sum = 0;
    for (int i = 0; i < LOOKUPS; i++) {
        state = state * 1664525u + 1013904223u;
        // The smaller of two: some keys are looked up more often than others.
        uint32_t one = (state >> 8) % KEYS, other = (state >> 20) % KEYS;
        sum += look_up(1 + (one < other ? one : other));
    }
    sums[me] = sum;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
    uint64_t sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum = sum * 31 + sums[i];
    }
    printf("%llu, %u hits, %u misses\n", (unsigned long long)sum, hits, misses);
    return 0;
}
