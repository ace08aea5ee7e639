// Main waits until all workers have counted down. The faulty main looks at the count without the lock, before it sleeps.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DLOOK_BEFORE
// spurious: off
// check: deadlock
// explore: bug deadlock:@sleeps
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t done = PTHREAD_COND_INITIALIZER;
int left = N, result[N];

void *worker(void *arg) {
    long me = (long)arg;
    result[me] = me + 1;
    pthread_mutex_lock(&lock);
    if (--left == 0)
        pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (long i = 0; i < N; i++) {
        pthread_create(&thread, 0, worker, (void *)i);
        pthread_detach(thread);
    }
#ifdef LOOK_BEFORE
    if (left > 0) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&done, &lock); // @sleeps
        pthread_mutex_unlock(&lock);
    }
#else
    pthread_mutex_lock(&lock);
    while (left > 0)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
#endif
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += result[i];
#ifndef LOOK_BEFORE
    assert(sum == N * (N + 1) / 2);
#endif
    return 0;
}
