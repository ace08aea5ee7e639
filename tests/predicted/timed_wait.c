// A wait that ends when time is up proves nothing.
//
// The run: the reader (0.1) waits, the writer (0.2) writes and says that it is ready, without a signal; the reader's time is up.
// Whether it is up before or after the writer, in the run, does not matter for what is predicted.
// - unchecked: the reader reads whether anything is ready or not.
// - checked: it reads only if it is, which it has seen under the lock.
// only: race
// case: unchecked
// predict: race:@write-@read
// case: checked
// cflags: -DCHECKED
// predict: none
#include <pthread.h>
#include <time.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

void *reader(void *arg) {
    struct timespec when = {1, 0};
    pthread_mutex_lock(&l);
    if (!ready)
        pthread_cond_timedwait(&changed, &l, &when);
#ifdef CHECKED
    int may_read = ready;
#else
    int may_read = 1;
#endif
    pthread_mutex_unlock(&l);
    if (may_read)
        *(int *)arg = data; // @read
    return arg;
}

void *writer(void *arg) {
    data = 7; // @write
    pthread_mutex_lock(&l);
    ready = 1;
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    int read = 0;
    pthread_create(&t1, 0, reader, &read);
    pthread_create(&t2, 0, writer, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
