// Threads, mutexes, atomics: an outcome that no schedule changes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded;
static atomic_int counter;
static _Atomic unsigned char flag;
static atomic_long most = 3;

static void *work(void *argument) {
    long mine = (long)argument;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        guarded += (int)mine;
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&counter, 2);
        counter -= 1;
        atomic_fetch_xor_explicit(&flag, 1, memory_order_relaxed);
        long seen = atomic_load(&most);
        while (seen < mine * i && !atomic_compare_exchange_weak(&most, &seen, mine * i))
            ;
    }
    return (void *)(mine * mine);
}

int main(void) {
    pthread_t threads[3];
    long results = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        results += (long)result;
    }
    printf("%d %d %d %ld %ld\n", guarded, counter, flag, most, results);
    return 0;
}
