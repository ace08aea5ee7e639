// Threads enter their messages into one hash table, slot by slot, each with a compare-and-swap; the faulty one looks first
// and writes then.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DLOOK_FIRST
// explore: bug assertion:@lost
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 8
#define MESSAGES 2
atomic_int table[SIZE];

int enter(int message) {
    int slot = message * 7 % SIZE;
    for (int tries = 0; tries < SIZE; tries++) {
#ifdef LOOK_FIRST
        if (atomic_load(&table[slot]) == 0) {
            atomic_store(&table[slot], message);
            return slot;
        }
#else
        int nothing = 0;
        if (atomic_compare_exchange_strong(&table[slot], &nothing, message))
            return slot;
#endif
        slot = (slot + 1) % SIZE;
    }
    return -1;
}

void *worker(void *arg) {
    int slots[MESSAGES];
    for (int i = 0; i < MESSAGES; i++)
        slots[i] = enter(1 + (int)(long)arg + i * SIZE);
    for (int i = 0; i < MESSAGES; i++)
        assert(atomic_load(&table[slots[i]]) == 1 + (int)(long)arg + i * SIZE); // @lost
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)(i * SIZE * MESSAGES));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
