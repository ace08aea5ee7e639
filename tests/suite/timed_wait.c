// A waiter that gives up after a while has to look once more: the news may have come just then. The faulty one believes the
// clock.
// case: safe
// explore: safe
// case: bug
// cflags: -DBELIEVE_CLOCK
// explore: bug assertion:@news
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int news, given_up;

void *waiter(void *arg) {
    struct timespec until = {1, 0};
    pthread_mutex_lock(&lock);
    int late = 0;
    while (!news && !late)
        late = pthread_cond_timedwait(&changed, &lock, &until) == ETIMEDOUT;
#ifdef BELIEVE_CLOCK
    given_up = late;
#else
    given_up = !news;
#endif
    assert(!(given_up && news)); // @news
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_mutex_lock(&lock);
    if (!given_up)
        news = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    assert(given_up != news);
    return 0;
}
