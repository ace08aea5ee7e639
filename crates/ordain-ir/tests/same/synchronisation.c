// Semaphores, conditions, barriers, reader-writer locks, spin locks, once, pointers to library functions.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
static sem_t items, room;
static int buffer[2], in, out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static int turn, initialised, parts[THREADS], sums[THREADS], serial, spun, shared;

static void initialise(void) { initialised++; }
static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void *work(void *argument) {
    int mine = (int)(long)argument;
    pthread_once(&once, initialise);
    for (int round = 0; round < 2; round++) {
        parts[mine] = (mine + 1) * (round + 1);
        int last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        for (int i = 0; i < THREADS; i++)
            sums[mine] += parts[i];
        pthread_spin_lock(&spin);
        serial += last;
        spun++;
        pthread_spin_unlock(&spin);
        pthread_barrier_wait(&barrier);
    }
    pthread_mutex_lock(&lock);
    while (turn != mine)
        pthread_cond_wait(&changed, &lock);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_wrlock(&readers);
    shared += mine;
    pthread_rwlock_unlock(&readers);
    pthread_rwlock_rdlock(&readers);
    int seen = shared;
    pthread_rwlock_unlock(&readers);
    return (void *)(long)(seen >= mine);
}

static void *produce(void *argument) {
    for (int i = 1; i <= 5; i++) {
        sem_wait(&room);
        buffer[in++ % 2] = i * i;
        sem_post(&items);
    }
    return argument;
}

int main(void) {
    pthread_t threads[THREADS], producer;
    void (*release)(void *) = free;
    sem_init(&items, 0, 0);
    sem_init(&room, 0, 2);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_create(&producer, NULL, produce, NULL);
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        sem_wait(&items);
        sum = sum * 3 + buffer[out++ % 2];
        sem_post(&room);
    }
    pthread_join(producer, NULL);
    long good = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        good += (long)result;
    }
    int *numbers = malloc(4 * sizeof(int));
    for (int i = 0; i < 4; i++)
        numbers[i] = (i * 7 + 3) % 5;
    qsort(numbers, 4, sizeof(int), ascending);
    printf("%d %ld %d %d %d %d %d\n", sum, good, initialised, serial, spun, turn, shared);
    printf("%d %d %d %d%d%d%d\n", sums[0], sums[1], sums[2], numbers[0], numbers[1], numbers[2], numbers[3]);
    release(numbers);
    return 0;
}
