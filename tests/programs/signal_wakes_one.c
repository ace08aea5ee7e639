// Two threads wait, without a loop, and one signal comes: only one of them goes on.
// check: assertion
// spurious: off
// explore: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int woken;

static void *waits(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    woken++;
    assert(woken == 1);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
