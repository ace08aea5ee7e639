// Two semaphores used as locks, taken in opposite orders; and with room for both in one of them.
//
// The run: one thread (0.1) takes and gives back both, then the other (0.2).
// only: deadlock,hang
// case: crossed
// cflags: -DROOM=1
// predict: deadlock:@first-@second
// case: room-for-both
// cflags: -DROOM=2
// predict: none
#include <pthread.h>
#include <semaphore.h>

sem_t a, b;

void *first(void *arg) {
    sem_wait(&a);
    sem_wait(&b); // @first
    sem_post(&b);
    sem_post(&a);
    return arg;
}

void *second(void *arg) {
    sem_wait(&b);
    sem_wait(&a); // @second
    sem_post(&a);
    sem_post(&b);
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&a, 0, 1);
    sem_init(&b, 0, ROOM);
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
