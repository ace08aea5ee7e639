// What comes after the use of something undefined is not looked at: there is no value that it could have.
// check: uninitialised,assertion
// explore: bug uninitialised:25
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *number;

void *writer(void *arg) {
    pthread_mutex_lock(&m);
    *number = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    number = malloc(sizeof *number);
    if (!number)
        return 0;
    pthread_t w;
    pthread_create(&w, 0, writer, 0);
    pthread_mutex_lock(&m);
    if (*number != 1)
        assert(0);
    pthread_mutex_unlock(&m);
    pthread_join(w, 0);
    return 0;
}
