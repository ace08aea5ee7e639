// Threads that decide by their own inputs have paths that multiply, unless somebody notices which way they go. Two workers with
// two ways each, and a thread that looks.
// explore: safe
// check: assertion
// case: nobody-looks
// cflags: -DCASE=0
// paths: 4
// case: a-flag-that-one-way-sets
// cflags: -DCASE=1
// paths: 7
// case: the-input-itself-is-seen-before
// cflags: -DCASE=2
// paths: 6
// case: the-looker-joins
// cflags: -DCASE=3
// paths: 5
// case: nobody-waits-for-them
// cflags: -DCASE=4
// paths: 9
// case: one-is-not-always-created
// cflags: -DCASE=5
// paths: 10
// case: a-lock-that-the-looker-keeps
// cflags: -DCASE=6
// paths: 18
// case: a-lock-that-is-given-back
// cflags: -DCASE=7
// paths: 8
// case: what-they-touch-is-freed
// cflags: -DCASE=8
// paths: 7
#include <ordain.h>
#include <pthread.h>
#include <stdlib.h>

int x, seen, *shared;
pthread_t one, two;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
#if CASE == 2
    if (arg)
        x = i;
#endif
#if CASE == 6 || CASE == 7
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#endif
#if CASE == 4
    seen = 0;
#endif
    if (i == 3) {
#if CASE == 1 || CASE == 3 || CASE == 5
        x = 1;
#elif CASE == 8
        *shared = 1;
#else
        seen++;
#endif
    }
    return 0;
}

void *look(void *arg) {
#if CASE == 3
    pthread_join(one, 0);
#endif
#if CASE == 6 || CASE == 7
    pthread_mutex_lock(&lock);
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i == 7)
        x = 1;
#if CASE == 7
    pthread_mutex_unlock(&lock);
#endif
#endif
#if CASE == 8
    if (*shared == 0)
        seen = 1;
#endif
#if CASE == 1 || CASE == 5
    if (x == 1)
        seen = 2;
#elif CASE == 2
    if (x == 3)
        seen = 2;
#elif CASE == 3
    if (x == 1)
        seen = 2;
#endif
    return 0;
}

int main(void) {
    pthread_t three;
    int *mine = shared = calloc(1, sizeof *shared);
    pthread_create(&one, 0, worker, &x);
#if CASE == 5
    int j;
    ordain_input(&j, sizeof j, "j");
    if (j > 0)
#endif
        pthread_create(&two, 0, worker, 0);
    pthread_create(&three, 0, look, 0);
#if CASE == 4
    return 0;
#endif
#if CASE != 3
    pthread_join(one, 0);
#endif
#if CASE == 5
    if (j > 0)
#endif
        pthread_join(two, 0);
    pthread_join(three, 0);
    free(mine);
    return 0;
}
