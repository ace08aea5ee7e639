// Peterson's filter lock for N threads: on each level, the last to arrive waits while anybody else is on it or above. The
// faulty one has one level too few, so that two get through.
// case: safe
// cflags: -DN=2 -DLEVELS=1
// explore: safe
// case: safe-three
// cflags: -DN=3 -DLEVELS=2
// explore: safe
// case: bug
// cflags: -DN=3 -DLEVELS=1
// check: assertion
// explore: bug assertion:@alone
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int level[N], last[LEVELS + 1];
int inside;

int others_at(int me, int l) {
    for (int k = 0; k < N; k++)
        if (k != me && level[k] >= l)
            return 1;
    return 0;
}

void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int l = 1; l <= LEVELS; l++) {
        level[me] = l;
        last[l] = me;
        while (last[l] == me && others_at(me, l)) {
        }
    }
    inside++;
    assert(inside == 1); // @alone
    inside--;
    level[me] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
