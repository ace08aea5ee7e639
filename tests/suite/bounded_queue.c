// A bounded queue with two conditions. With two consumers the faulty one, which waits only once, takes from an empty queue
// (no spurious wake-ups needed: another consumer can be faster).
// spurious: off
// case: safe
// cflags: -DN=2 -DCONSUMERS=1
// explore: safe
// case: safe-two-consumers
// cflags: -DN=2 -DCONSUMERS=2
// explore: safe
// case: bug
// cflags: -DN=2 -DCONSUMERS=2 -DWAIT_ONCE
// explore: bug assertion:@something
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define CAPACITY 1
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
int queue[CAPACITY], count, total;

void *produce(void *arg) {
    for (int i = 0; i < N; i++) {
        int value;
        ordain_input(&value, sizeof value, "value");
        pthread_mutex_lock(&lock);
        while (count == CAPACITY)
            pthread_cond_wait(&not_full, &lock);
        queue[count++] = value;
        total ^= value;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

void *consume(void *arg) {
    for (int i = 0; i < N / CONSUMERS; i++) {
        pthread_mutex_lock(&lock);
#ifdef WAIT_ONCE
        if (count == 0)
#else
        while (count == 0)
#endif
            pthread_cond_wait(&not_empty, &lock);
        assert(count > 0); // @something
        total ^= queue[--count];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t producer, consumers[CONSUMERS];
    pthread_create(&producer, 0, produce, 0);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], 0, consume, 0);
    pthread_join(producer, 0);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], 0);
    assert(total == 0);
    return 0;
}
