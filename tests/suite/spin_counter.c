// A counter under a spin lock of pthreads; some inputs make a thread leave without unlocking.
// case: safe
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DEARLY_RETURN
// check: assertion,deadlock
// explore: bug deadlock:@spins
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_spinlock_t lock;
unsigned sum;

int add(unsigned char by) {
    pthread_spin_lock(&lock); // @spins
#ifdef EARLY_RETURN
    if (by == 255)
        return 0;
#endif
    sum += by;
    pthread_spin_unlock(&lock);
    return 1;
}

void *worker(void *arg) {
    unsigned char by;
    ordain_input(&by, sizeof by, "by");
    add(by);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(sum <= 255 * N);
    return 0;
}
