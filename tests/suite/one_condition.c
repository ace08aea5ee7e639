// Producers and consumers share one condition variable. A signal can wake one of the same side, who goes back to sleep, and
// everybody sleeps; a broadcast cannot be lost like that.
// spurious: off
// case: bug
// cflags: -DWAKE=pthread_cond_signal
// explore: bug deadlock:@put
// case: safe
// cflags: -DWAKE=pthread_cond_broadcast
// explore: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int full;

void *put(void *arg) {
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock); // @put
    full = 1;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *take(void *arg) {
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock);
    full = 0;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t p, q, c, d;
    pthread_create(&c, 0, take, 0);
    pthread_create(&d, 0, take, 0);
    pthread_create(&p, 0, put, 0);
    pthread_create(&q, 0, put, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    pthread_join(c, 0);
    pthread_join(d, 0);
    return 0;
}
