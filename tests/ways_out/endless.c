// The loop goes on for as long as an input says: there is always a longer path, and no search comes to its end.
#include <ordain.h>
#include <pthread.h>

unsigned sum;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *add(void *arg) {
    unsigned rounds;
    ordain_input(&rounds, sizeof rounds, "rounds");
    for (unsigned i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, add, 0);
    add(0);
    pthread_join(other, 0);
    return 0;
}
