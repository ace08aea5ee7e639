// A failure comes with the functions that led to it, in the thread that fails.
// case: own
// explore: bug bounds:13
// stack: third second worker
// case: library
// cflags: -DLIBRARY
// explore: bug null:17
// stack: third second worker
#include <pthread.h>
#include <string.h>

static int third(const int *from, int nth) {
    int value = from[nth];
#ifdef LIBRARY
    char *nowhere = 0;
    // The library's own function is not the user's concern.
    memset(nowhere, value, 8);
#endif
    return value;
}

static int second(const int *from) {
#ifdef LIBRARY
    return third(from, 3);
#else
    return third(from, 4);
#endif
}

static void *worker(void *arg) {
    int local[4] = {1, 2, 3, 4};
    return (void *)(long)second(local);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
