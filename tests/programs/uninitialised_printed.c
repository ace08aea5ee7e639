// A value that is printed has to be there; under PSO the pointer can be seen before what it points to.
// case: sc
// check: uninitialised
// explore: safe
// case: tso
// memory: tso
// check: uninitialised
// explore: safe
// case: pso
// memory: pso
// check: uninitialised
// explore: bug uninitialised:30
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int *shared;

void *publish(void *arg) {
    int *cell = malloc(sizeof *cell);
    *cell = 1;
    shared = cell;
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    int *seen = shared;
    if (seen) printf("%d\n", *seen);
    pthread_join(thread, 0);
    return 0;
}
