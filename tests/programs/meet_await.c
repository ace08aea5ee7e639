// A thread waits in a loop that it comes to by two ways. What it has looked at it keeps in a variable that is written anew in
// every round: that it holds something after the first one makes no difference.
// explore: safe
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x, c;
int d;
void *a(void *p) {
    if (atomic_load(&c))
        atomic_store(&x, 0);
    for (;;) {
        volatile int t;
        t = atomic_load(&x);
        if (t)
            break;
    }
    d++;
    return 0;
}
void *b(void *p) {
    atomic_store(&x, 1);
    return 0;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, a, 0);
    pthread_create(&u, 0, b, 0);
    pthread_join(u, 0);
    pthread_join(t, 0);
    assert(d == 1);
    return 0;
}
