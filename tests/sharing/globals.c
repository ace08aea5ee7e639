// Globals that only the main thread touches, that both do, that both do through a constant that points before them, and copies of
// thread-local ones.
#include <pthread.h>

int mine, ours, table[64], another[64];
_Thread_local int own, lent;
int *volatile borrowed;
pthread_barrier_t barrier;

static int sum(const int *from, int count) {
    int total = 0;
    for (int i = 1; i <= count; i++)
        total += from[i]; // shared
    return total;
}

void *worker(void *arg) {
    own = 1;        // private
    own++;          // private
    ours = own;     // shared
    lent = 3;       // shared
    borrowed = &lent; // shared
    pthread_barrier_wait(&barrier);
    int total = sum(table - 1, 64);
    pthread_barrier_wait(&barrier);
    return (void *)(long)(total != 64);
}

int main(void) {
    for (int i = 0; i < 64; i++) {
        table[i] = 1;   // shared
        another[i] = 1; // private
    }
    mine = 1; // private
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);
    int seen = *borrowed; // shared
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return mine + ours + seen + another[3] != 7;
}
