// Threads look for the largest of their inputs and keep it in a shared variable. The faulty ones look first and lock then.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DLOOK_FIRST
// check: assertion
// explore: bug assertion:@largest
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int input[N], largest;

void *worker(void *arg) {
    int mine;
    ordain_input(&mine, sizeof mine, "mine");
    input[(long)arg] = mine;
#ifdef LOOK_FIRST
    if (mine > largest) {
        pthread_mutex_lock(&lock);
        largest = mine;
        pthread_mutex_unlock(&lock);
    }
#else
    pthread_mutex_lock(&lock);
    if (mine > largest)
        largest = mine;
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++)
        assert(largest >= input[i]); // @largest
    return 0;
}
