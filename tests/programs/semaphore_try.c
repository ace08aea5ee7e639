// Trying for a semaphore fails when there is nothing to take.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t s;
int count;

void *worker(void *arg) {
    if (sem_trywait(&s) == 0) {
        count++;
        sem_post(&s);
    } else {
        assert(errno == EAGAIN);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 1);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 1 || count == 2);
    return 0;
}
