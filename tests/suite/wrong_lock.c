// Some threads protect a variable with one lock, one with another.
// case: bug
// cflags: -DN=2 -DOTHER=other
// check: assertion
// explore: bug assertion:@lost
// case: race
// cflags: -DN=1 -DOTHER=other
// check: race
// explore: bug race:@one-@two
// case: safe
// cflags: -DN=3 -DOTHER=lock
// explore: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int count;

void *right(void *arg) {
    pthread_mutex_lock(&lock);
    count++; // @one
    pthread_mutex_unlock(&lock);
    return 0;
}

void *wrong(void *arg) {
    pthread_mutex_lock(&OTHER);
    count++; // @two
    pthread_mutex_unlock(&OTHER);
    return 0;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i <= N; i++)
        pthread_create(&threads[i], 0, i < N ? right : wrong, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], 0);
    assert(count == N + 1); // @lost
    return 0;
}
