// Nobody cancels the other thread: it does not end.
// explore: bug deadlock:9-18
#include <pthread.h>

int cancelled_by_mistake;

void *forever(void *arg) {
    for (;;)
        pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, forever, 0);
    if (cancelled_by_mistake)
        pthread_cancel(thread);
    pthread_join(thread, 0);
    return 0;
}
