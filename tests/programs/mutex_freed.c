// A mutex lives in memory that another thread frees.
// explore: bug use-after-free:10
// check: use-after-free
#include <pthread.h>
#include <stdlib.h>

struct guarded { pthread_mutex_t lock; } *g;

void *worker(void *arg) {
    pthread_mutex_lock(&g->lock);
    return 0;
}

int main(void) {
    pthread_t t;
    g = calloc(1, sizeof *g);
    pthread_create(&t, 0, worker, 0);
    free(g);
    pthread_join(t, 0);
    return 0;
}
