// A producer and a consumer with counting semaphores; what was produced is an input. The faulty consumer lets the producer
// go on before it has read.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-4
// cflags: -DN=4
// explore: safe
// case: bug
// cflags: -DN=2 -DEARLY_POST
// check: assertion
// explore: bug assertion:@sum
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <semaphore.h>

sem_t room, ready;
unsigned slot, produced, consumed;

void *producer(void *arg) {
    for (int i = 0; i < N; i++) {
        unsigned value;
        ordain_input(&value, sizeof value, "value");
        sem_wait(&room);
        slot = value;
        produced += value;
        sem_post(&ready);
    }
    return 0;
}

void *consumer(void *arg) {
    for (int i = 0; i < N; i++) {
        sem_wait(&ready);
#ifdef EARLY_POST
        sem_post(&room);
        consumed += slot;
#else
        consumed += slot;
        sem_post(&room);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&room, 0, 1);
    sem_init(&ready, 0, 0);
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(produced == consumed); // @sum
    return 0;
}
