// Every round of an await allocates memory: where objects lie depends on the number of rounds, what happens does not.
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag;
int *_Atomic p;

void *worker(void *arg) {
    int *mine;
    for (;;) {
        mine = malloc(sizeof *mine);
        if (flag)
            break;
        free(mine);
    }
    p = mine;
    free(mine);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    flag = 1;
    pthread_join(t, 0);
    assert(p != 0);
    return 0;
}
