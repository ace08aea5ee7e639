// No race, but it takes some thought: the second thread touches what the first wrote only if it has seen the flag.
#include <pthread.h>
#include <stdatomic.h>

int data[2];
atomic_uint flag;

void *second(void *arg) {
    unsigned seen = flag & 1;
    data[1 - seen] = 2;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, second, 0);
    data[0] = 1;
    flag = 1;
    pthread_join(t, 0);
    return 0;
}
