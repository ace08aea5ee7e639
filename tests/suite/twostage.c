// What is written in two stages, under a lock each, is seen after the first by one who takes the locks in turn. The safe
// twin keeps the first lock until the second stage is done.
// case: bug
// explore: bug assertion:@stages
// case: more
// cflags: -DWRITERS=2 -DREADERS=1
// explore: bug assertion:@stages
// case: safe
// cflags: -DNESTED
// explore: safe
#include <assert.h>
#include <pthread.h>

#ifndef WRITERS
#define WRITERS 1
#define READERS 1
#endif

pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
int first, second;

void *write_stages(void *arg) {
    pthread_mutex_lock(&first_lock);
    first = 1;
#ifndef NESTED
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
    second = 2;
    pthread_mutex_unlock(&second_lock);
#ifdef NESTED
    pthread_mutex_unlock(&first_lock);
#endif
    return 0;
}

void *read_stages(void *arg) {
    pthread_mutex_lock(&first_lock);
    int seen = first;
    pthread_mutex_unlock(&first_lock);
    if (seen) {
        pthread_mutex_lock(&second_lock);
        assert(second == seen + 1); // @stages
        pthread_mutex_unlock(&second_lock);
    }
    return 0;
}

int main(void) {
    pthread_t threads[WRITERS + READERS];
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_create(&threads[i], 0, i < WRITERS ? write_stages : read_stages, 0);
    for (int i = 0; i < WRITERS + READERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
