// A signal wakes any of those who wait, not the one that has waited longest.
// spurious: off
// explore: bug assertion:32
#include <assert.h>
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int waiting, first;

void *waiter(void *arg) {
    pthread_mutex_lock(&l);
    int mine = ++waiting;
    pthread_cond_wait(&changed, &l);
    if (!first)
        first = mine;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_mutex_lock(&l);
    if (waiting == 2) {
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&l);
        pthread_join(a, 0);
        pthread_join(b, 0);
        assert(first == 1);
    }
    return 0;
}
