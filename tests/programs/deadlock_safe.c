// As deadlock, with one order.
// explore: safe
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *second(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return 0;
}

int main(void) {
    int wanted;
    ordain_input(&wanted, sizeof wanted, "wanted");
    pthread_t t;
    pthread_create(&t, 0, second, 0);
    if (wanted == 9) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    pthread_join(t, 0);
    return 0;
}
