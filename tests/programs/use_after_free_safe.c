// explore: safe
// native: same
#include <pthread.h>
#include <stdlib.h>

void *reader(void *arg) {
    int *p = arg;
    return (void *)(long)*p;
}

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 3;
    pthread_t t;
    pthread_create(&t, 0, reader, p);
    pthread_join(t, 0);
    free(p);
    return 0;
}
