// A thread that never comes to its trylock has not found anything. Where main keeps away from the mutex the thread gets it or
// does not come to it in time; where main locks it, it may also find it taken.
// explore: safe
// paths: 5
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    if (pthread_mutex_trylock(&lock) == 0)
        pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    int i;
    ordain_input(&i, sizeof i, "i");
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (i == 3) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
