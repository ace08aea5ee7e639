// Nobody reads before everybody has written.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

pthread_barrier_t all;
int done[2];

void *worker(void *arg) {
    long me = (long)arg;
    done[me] = 1;
    pthread_barrier_wait(&all);
    assert(done[1 - me]);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&all, 0, 2);
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
