// A counting semaphore of a mutex and a condition variable. The faulty post signals only when the count leaves zero: two
// quick posts wake one of two sleepers.
// spurious: off
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DONLY_AT_ZERO
// explore: bug deadlock:@sleeps
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t more = PTHREAD_COND_INITIALIZER;
int count;

void post(void) {
    pthread_mutex_lock(&lock);
    count++;
#ifdef ONLY_AT_ZERO
    if (count == 1)
#endif
        pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

void *wait_once(void *arg) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&more, &lock); // @sleeps
    count--;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, wait_once, 0);
    for (int i = 0; i < N; i++)
        post();
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
