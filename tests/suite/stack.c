// One thread pushes, the other pops if there is something. The faulty one looks without the lock, twice over.
// case: bug
// check: assertion,bounds
// cflags: -DN=2 -DUNLOCKED
// explore: bug assertion:@popped
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-longer
// cflags: -DN=4
// explore: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int item[N], top;

void *push_all(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        assert(top < N);
        item[top] = i + 1;
        top++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

void *pop_all(void *arg) {
    for (int i = 0; i < N; i++) {
#ifdef UNLOCKED
        if (top > 0) {
            pthread_mutex_lock(&lock);
#else
        pthread_mutex_lock(&lock);
        if (top > 0) {
#endif
            assert(top > 0 && item[top - 1] != 0); // @popped
            top--;
#ifdef UNLOCKED
            pthread_mutex_unlock(&lock);
        }
#else
        }
        pthread_mutex_unlock(&lock);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, push_all, 0);
    pthread_create(&b, 0, pop_all, 0);
#ifdef UNLOCKED
    pthread_create(&c, 0, pop_all, 0);
    pthread_join(c, 0);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
