// Only a certain input leads to the second access.
// explore: bug race:12-19
#include <ordain.h>
#include <pthread.h>

int shared;

void *writer(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i == 77)
        shared = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int seen = shared;
    pthread_join(t, 0);
    return seen;
}
