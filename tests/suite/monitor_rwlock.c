// Readers and writers by a monitor. The faulty writer leaves without waking the readers if nobody else wants to write.
// spurious: off
// case: safe
// cflags: -DREADERS=1 -DWRITERS=2
// explore: safe
// case: safe-two-readers
// cflags: -DREADERS=2 -DWRITERS=1
// explore: safe
// case: bug
// cflags: -DREADERS=1 -DWRITERS=1 -DFORGET_READERS
// explore: bug deadlock:@reader
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t may_read = PTHREAD_COND_INITIALIZER, may_write = PTHREAD_COND_INITIALIZER;
int reading, writing, waiting_writers;
int a, b;

void *reader(void *arg) {
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&may_read, &lock); // @reader
    reading++;
    pthread_mutex_unlock(&lock);

    assert(a == b);

    pthread_mutex_lock(&lock);
    if (--reading == 0)
        pthread_cond_signal(&may_write);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    waiting_writers++;
    while (reading || writing)
        pthread_cond_wait(&may_write, &lock);
    waiting_writers--;
    writing = 1;
    pthread_mutex_unlock(&lock);

    a++;
    b++;

    pthread_mutex_lock(&lock);
    writing = 0;
    if (waiting_writers)
        pthread_cond_signal(&may_write);
#ifndef FORGET_READERS
    pthread_cond_broadcast(&may_read);
#endif
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[READERS + WRITERS];
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_create(&threads[i], 0, i < READERS ? reader : writer, 0);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], 0);
    assert(a == WRITERS);
    return 0;
}
