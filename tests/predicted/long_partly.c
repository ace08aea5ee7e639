// Memory that is only partly initialised where a window begins, with an index that another thread has written: the thread goes on after it.
//
// The run: one thread after the other goes round many times. The first notes its number before a section, the second looks at
// it after one. Half of the table nobody has written.
// only: race
// predict: race:@note-@look
#include <pthread.h>
#include <stdlib.h>

#define ROUNDS 1000

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int place, last;
int *table;

void *put(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        last = i; // @note
        pthread_mutex_lock(&lock);
        place = i % 8;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

void *count(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        int at = place;
        pthread_mutex_unlock(&lock);
        table[at]++;
        if (last < 0) // @look
            return 0;
    }
    return arg;
}

int main(void) {
    pthread_t threads[2];
    table = malloc(16 * sizeof *table);
    for (int i = 0; i < 8; i++)
        table[i] = 0;
    pthread_create(&threads[0], 0, put, 0);
    pthread_create(&threads[1], 0, count, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    free(table);
    return 0;
}
