// As create_in_loop, with an argument each.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>

int seen[2];

void *worker(void *arg) {
    seen[*(int *)arg]++;
    return 0;
}

int main(void) {
    pthread_t t[2];
    int arg[2];
    for (int i = 0; i < 2; i++) {
        arg[i] = i;
        pthread_create(&t[i], 0, worker, &arg[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(seen[0] == 1 && seen[1] == 1);
    return 0;
}
