// Copying what is undefined is fine; to decide by the copy is not. Half of a value is enough.
// check: uninitialised
// explore: bug uninitialised:45 uninitialised:47
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *number, copy = 0;
short *halves;
int both = 0;

void *writer(void *arg) {
    pthread_mutex_lock(&m);
    *number = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    halves[0] = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *copier(void *arg) {
    pthread_mutex_lock(&m);
    copy = *number;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    both = *(int *)halves;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    number = malloc(sizeof *number);
    halves = malloc(2 * sizeof *halves);
    if (!number || !halves)
        return 0;
    halves[1] = 1;
    pthread_t w, c;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&c, 0, copier, 0);
    pthread_join(w, 0);
    pthread_join(c, 0);
    int found = 0;
    // The second is looked at only if the first was defined.
    if (copy == 1)
        found++;
    if (both == 0x10001)
        found++;
    return found > 2;
}
