// A thread that exits ends the process, so main never gets to its assertion after the join.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *quitter(void *arg) {
    exit(0);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, quitter, 0);
    pthread_join(t, 0);
    assert(!"not reached");
    return 0;
}
