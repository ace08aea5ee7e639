// A round that frees memory nobody else knows is not for nothing: after it, the memory must not be used.
// explore: bug double-free:16 use-after-free:20
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag;

void *worker(void *arg) {
    int *p = malloc(sizeof *p), i, k;
    ordain_input(&i, sizeof i, "i");
    *p = 0;
    while (!flag)
        if (i == 77)
            free(p);
    i = 0;
    ordain_input(&k, sizeof k, "k");
    if (k == 78)
        *p = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    flag = 1;
    pthread_join(t, 0);
    return 0;
}
