// A run that is too long to be looked at as a whole: windows are laid around what one pass over it finds possible.
//
// The run: one thread after the other goes round many times. Both count under a lock, after a look without it.
// only: race
// predict: race:@look-@count
#include <pthread.h>

#define ROUNDS 1000

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void *count(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        if (counter < 3 * ROUNDS) { // @look
            pthread_mutex_lock(&lock);
            counter++; // @count
            pthread_mutex_unlock(&lock);
        }
    }
    return arg;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
