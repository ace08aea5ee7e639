// A thread that ends early, and does not do what others wait for.
//
// The run: one thread (0.1) waits for what another (0.2) does, which finds the flag down; then the flag goes up.
// - semaphore, condition, flag: what 0.1 waits for is a post, a signal, or that another flag goes up.
// - posted: 0.2 posts whatever it finds.
// only: deadlock,hang
// case: semaphore
// cflags: -DSEMAPHORE
// predict: deadlock:@semaphore-@join
// case: posted
// cflags: -DSEMAPHORE -DPOSTED
// predict: none
// case: condition
// cflags: -DCONDITION
// predict: deadlock:@condition-@join
// case: flag
// predict: hang:@flag-@join
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

sem_t ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
atomic_int closing, is_ready;

void *worker(void *arg) {
    if (atomic_load(&closing)) {
#ifdef POSTED
        sem_post(&ready);
#endif
        return 0;
    }
#ifdef SEMAPHORE
    sem_post(&ready);
#elif defined CONDITION
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
#else
    atomic_store(&is_ready, 1);
#endif
    return arg;
}

void *waits(void *arg) {
#ifdef SEMAPHORE
    sem_wait(&ready); // @semaphore
#elif defined CONDITION
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&changed, &lock); // @condition
    pthread_mutex_unlock(&lock);
#else
    while (!atomic_load(&is_ready)) { // @flag
    }
#endif
    return arg;
}

void *closes(void *arg) {
    atomic_store(&closing, 1);
    return arg;
}

int main(void) {
    pthread_t t1, t2, t3;
    sem_init(&ready, 0, 0);
    pthread_create(&t1, 0, waits, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_create(&t3, 0, closes, 0);
    pthread_join(t2, 0);
    pthread_join(t1, 0); // @join
    pthread_join(t3, 0);
    return 0;
}
