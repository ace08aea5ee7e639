// A run that deadlocks never shows the write that the third thread's error needs.
// explore: bug assertion:29 deadlock:12-21
// check: assertion,deadlock
#include <assert.h>
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x;

void *first(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    x = 2;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

void *second(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}

void *third(void *arg) {
    if (x == 2)
        assert(!"reached");
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, second, 0);
    pthread_create(&t[1], 0, first, 0);
    pthread_create(&t[2], 0, third, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
