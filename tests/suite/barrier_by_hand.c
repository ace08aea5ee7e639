// A barrier of a mutex, a condition variable and a generation. The faulty one has no generation to look at when its sleep
// ends, and it may end by itself.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DNO_GENERATION
// check: assertion
// explore: bug assertion:@met
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t complete = PTHREAD_COND_INITIALIZER;
int arrived, generation, ready[N];

void meet(void) {
    pthread_mutex_lock(&lock);
    int mine = generation;
    if (++arrived == N) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&complete);
    } else {
#ifdef NO_GENERATION
        pthread_cond_wait(&complete, &lock);
#else
        while (mine == generation)
            pthread_cond_wait(&complete, &lock);
#endif
    }
    pthread_mutex_unlock(&lock);
}

void *worker(void *arg) {
    ready[(long)arg] = 1;
    meet();
    for (int i = 0; i < N; i++)
        assert(ready[i]); // @met
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
