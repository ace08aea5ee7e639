// One makes, one takes, both wait on conditions of a number under one lock.
// case: safe
// explore: safe
// case: bug
// cflags: -DFORGET_SIGNAL
// spurious: off
// explore: bug deadlock:@taker
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
int number = 1;

void *make(void *arg) {
    pthread_mutex_lock(&lock);
    while (number > 0)
        pthread_cond_wait(&empty, &lock);
    number++;
#ifndef FORGET_SIGNAL
    pthread_cond_signal(&full);
#endif
    pthread_mutex_unlock(&lock);
    return 0;
}

void *take(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (number == 0)
            pthread_cond_wait(&full, &lock); // @taker
        number--;
        pthread_cond_signal(&empty);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, make, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(number == 0);
    return 0;
}
