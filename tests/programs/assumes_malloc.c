// Wrong if malloc fails: nobody looks at what it returned.
// explore: safe
// native: same
// assumes: malloc and pthread_create succeed
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg) {
    int *n = malloc(sizeof *n);
    *n = 1;
    free(n);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
