// Nothing waits for the thread that exits.
// explore: bug assertion:14
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

void *quitter(void *arg) {
    exit(0);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, quitter, 0);
    assert(!"reached");
    return 0;
}
