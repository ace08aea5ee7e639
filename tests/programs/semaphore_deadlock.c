// A semaphore that is posted once lets one of two go on.
// explore: bug deadlock:12
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t s;

void *worker(void *arg) {
    sem_wait(&s);
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    sem_post(&s);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
