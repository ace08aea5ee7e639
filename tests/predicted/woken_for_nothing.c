// Who has been woken should look again: `if` where `while` belongs.
//
// The run: the reader (0.1) waits, the writer (0.2) writes, says that it is ready and signals, and the reader goes on and reads. Somebody
// (0.3) broadcasts for another reason, after that signal, when nobody waits any more.
// - if: that broadcast comes first and wakes the reader, who reads while the writer writes.
// - while: the reader would find that nothing is ready.
// - spurious: without 0.3; the reader wakes for no reason at all.
// only: race
// case: if
// cflags: -DAGAIN=if -DNUDGE
// predict: race:@write-@read
// case: while
// cflags: -DAGAIN=while -DNUDGE
// predict: none
// case: spurious
// cflags: -DAGAIN=if
// predict: race:@write-@read
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready, data;

void *reader(void *arg) {
    pthread_mutex_lock(&l);
    AGAIN (!ready)
        pthread_cond_wait(&changed, &l);
    pthread_mutex_unlock(&l);
    *(int *)arg = data; // @read
    return arg;
}

void *writer(void *arg) {
    data = 7; // @write
    pthread_mutex_lock(&l);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&l);
    return arg;
}

#ifdef NUDGE
void *nudge(void *arg) {
    pthread_mutex_lock(&l);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&l);
    return arg;
}
#endif

int main(void) {
    pthread_t t1, t2;
    int read;
    pthread_create(&t1, 0, reader, &read);
    pthread_create(&t2, 0, writer, 0);
#ifdef NUDGE
    pthread_t t3;
    pthread_create(&t3, 0, nudge, 0);
    pthread_join(t3, 0);
#endif
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
