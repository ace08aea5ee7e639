// That a lock could not be had says something about where its holder was.
//
// The run: the first thread (0.1) goes through its region, takes the lock and waits with it; the other (0.2) does not get the lock,
// writes, and lets the first go on.
// - tried: the other writes only because the lock was taken, which is after the region.
// - not-tried: it writes in any case.
// regions: marked
// only: atomicity
// blind: 1
// case: tried
// cflags: -DTRIED
// predict: none
// violations: 0
// case: not-tried
// predict: atomicity:@first-@remote-@second
// violations: 1
#include <ordain.h>
#include <pthread.h>
#include <semaphore.h>

int x;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
sem_t go;

void *region(void *arg) {
    ordain_atomic_begin();
    int a = x; // @first
    x = a + 1; // @second
    ordain_atomic_end();
    pthread_mutex_lock(&l);
    sem_wait(&go);
    pthread_mutex_unlock(&l);
    return arg;
}

int is_taken(void) {
#ifdef TRIED
    if (pthread_mutex_trylock(&l) == 0) {
        pthread_mutex_unlock(&l);
        return 0;
    }
#endif
    return 1;
}

void *other(void *arg) {
    if (is_taken())
        x = 5; // @remote
    sem_post(&go);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&go, 0, 0);
    pthread_create(&t1, 0, region, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
