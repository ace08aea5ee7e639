// Setters change two variables one after the other, checkers look at both: half of a change can be seen.
// case: bug
// check: assertion
// cflags: -DSETTERS=2 -DCHECKERS=1
// explore: bug assertion:@pair
// case: more-setters
// check: assertion
// cflags: -DSETTERS=3 -DCHECKERS=1
// explore: bug assertion:@pair
// case: safe
// cflags: -DSETTERS=2 -DCHECKERS=2 -DLOCKED
// explore: safe
#include <assert.h>
#include <pthread.h>

int a, b;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef LOCKED
#define ENTER pthread_mutex_lock(&lock)
#define LEAVE pthread_mutex_unlock(&lock)
#else
#define ENTER (void)0
#define LEAVE (void)0
#endif

void *set(void *arg) {
    ENTER;
    a = 1;
    b = -1;
    LEAVE;
    return 0;
}

void *check(void *arg) {
    ENTER;
    int x = a, y = b;
    LEAVE;
    assert((x == 0 && y == 0) || (x == 1 && y == -1)); // @pair
    return 0;
}

int main(void) {
    pthread_t threads[SETTERS + CHECKERS];
    for (int i = 0; i < SETTERS + CHECKERS; i++)
        pthread_create(&threads[i], 0, i < SETTERS ? set : check, 0);
    for (int i = 0; i < SETTERS + CHECKERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
