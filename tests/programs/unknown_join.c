// Joining a thread for a second time is undefined: no verdict, rather than a guess.
// explore: unknown
// reason: pthread_join of 
#include <pthread.h>

void *nothing(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    pthread_join(t, 0);
    return 0;
}
