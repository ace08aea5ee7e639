// A configuration is read once, whoever comes first. The faulty one marks it as read before it is.
// case: safe
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DBY_HAND
// check: assertion
// explore: bug assertion:@read
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
atomic_int begun;
int limit;

void read_configuration(void) {
    int value;
    ordain_input(&value, sizeof value, "limit");
    limit = value < 10 ? 10 : value > 100 ? 100 : value;
}

void *worker(void *arg) {
#ifdef BY_HAND
    if (!atomic_exchange(&begun, 1))
        read_configuration();
#else
    pthread_once(&once, read_configuration);
#endif
    assert(10 <= limit && limit <= 100); // @read
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
