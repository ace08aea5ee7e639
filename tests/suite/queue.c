// A ring that one thread fills with inputs and another empties, under a lock. The faulty consumer believes a look that it
// took before it had the lock for the second time.
// case: bug
// cflags: -DN=2 -DSTALE
// explore: bug assertion:@taken
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-longer
// cflags: -DN=4
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define SIZE (N + 1)
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ring[SIZE], head, tail;

int empty(void) {
    return head == tail;
}

void put(int value) {
    ring[tail] = value;
    tail = (tail + 1) % SIZE;
}

int take(void) {
    int value = ring[head];
    head = (head + 1) % SIZE;
    return value;
}

void *produce(void *arg) {
    for (int i = 0; i < N; i++) {
        int value;
        ordain_input(&value, sizeof value, "value");
        ordain_assume(value != 0);
        pthread_mutex_lock(&lock);
        put(value);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

void *consume(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        int nothing = empty();
#ifdef STALE
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        if (!nothing)
            assert(take() != 0); // @taken
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, consume, 0);
#ifdef STALE
    pthread_create(&c, 0, consume, 0);
    pthread_join(c, 0);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
