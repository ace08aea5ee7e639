// A race that the run hides: there the lock happens to order the two writes.
//
// The run: the first thread (0.1) writes, then locks and counts; the second (0.2) locks, looks at the count, and writes.
// - any-count: the second goes the same way whatever it sees. If it locks first, nothing orders the writes.
// - counted: it writes because it has seen the first one's count. That does order them, in any execution that goes this way.
// - counted-before: the same, but the first one counts before it writes.
// only: race
// case: any-count
// cflags: -DLEAST=0
// predict: race:@first-@second
// case: counted
// cflags: -DLEAST=1
// predict: none
// case: counted-before
// cflags: -DLEAST=1 -DBEFORE
// predict: race:@early-@second
#include <pthread.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int x, count;

void *first(void *arg) {
#ifndef BEFORE
    x = 1; // @first
#endif
    pthread_mutex_lock(&l);
    count++;
    pthread_mutex_unlock(&l);
#ifdef BEFORE
    x = 1; // @early
#endif
    return arg;
}

void *second(void *arg) {
    pthread_mutex_lock(&l);
    int seen = count;
    pthread_mutex_unlock(&l);
    if (seen >= LEAST)
        x = 2; // @second
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
