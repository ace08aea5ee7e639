// Time may be up before there is something to take.
// explore: safe
// native: same
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

sem_t s;
int x;

void *producer(void *arg) {
    x = 1;
    sem_post(&s);
    return 0;
}

int main(void) {
    struct timespec when = {1, 0};
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, producer, 0);
    if (sem_timedwait(&s, &when) == 0)
        assert(x == 1);
    else
        assert(errno == ETIMEDOUT);
    pthread_join(t, 0);
    return 0;
}
