// The argument of each thread is the address of the one loop variable.
// explore: bug assertion:21
// check: assertion
#include <assert.h>
#include <pthread.h>

int seen[3];

void *worker(void *arg) {
    seen[*(int *)arg]++;
    return 0;
}

int main(void) {
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(t[j], 0);
    assert(seen[0] == 1 && seen[1] == 1);
    return 0;
}
