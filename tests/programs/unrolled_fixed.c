// Only what depends on something outside counts: neither a loop nor recursion of a fixed size is ever cut.
// unroll: 1
// explore: safe
#include <pthread.h>

int shared[12];

int last(int n) {
    return n == 0 ? shared[0] : last(n - 1);
}

void *worker(void *arg) {
    for (int i = 0; i < 12; i++)
        shared[i] = i;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return last(8);
}
