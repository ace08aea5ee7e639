// explore: safe
// native: same
// Writing to the standard streams is no reason to give up.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *run(void *unused) {
    pthread_mutex_lock(&lock);
    shared++;
    fputs("counted\n", stdout);
    fputc('!', stderr);
    fprintf(stderr, "%.1f %d\n", 0.5, shared);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    assert(shared == 2);
    return 0;
}
