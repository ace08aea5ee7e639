// A semaphore of one keeps the others out; one of two does not.
// check: assertion
// case: one
// cflags: -DROOM=1
// explore: safe
// case: two
// cflags: -DROOM=2
// explore: bug assertion:30
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t room;
int counter;

void *worker(void *arg) {
    sem_wait(&room);
    counter++;
    sem_post(&room);
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&room, 0, ROOM);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
