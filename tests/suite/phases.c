// Main holds a lock and waits for a thread that needs it: whether the thread comes through depends on a trylock and an input.
// case: bug
// explore: bug deadlock:@needs
// case: safe
// cflags: -DRELEASE
// explore: safe
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER, y = PTHREAD_MUTEX_INITIALIZER;
int phase;

void *worker(void *arg) {
    if (pthread_mutex_trylock(&y) == 0) {
        phase++;
        pthread_mutex_unlock(&y);
    }
    if (arg) {
        pthread_mutex_lock(&x); // @needs
        phase++;
        pthread_mutex_unlock(&x);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    int mode;
    ordain_input(&mode, sizeof mode, "mode");
    pthread_create(&t, 0, worker, mode == 77 ? &phase : 0);
    pthread_mutex_lock(&x);
#ifdef RELEASE
    pthread_mutex_unlock(&x);
#endif
    pthread_join(t, 0);
#ifndef RELEASE
    pthread_mutex_unlock(&x);
#endif
    return 0;
}
