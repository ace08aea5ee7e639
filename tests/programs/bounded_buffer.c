// A producer and a consumer around a ring of two; the consumer forgets to wait when the ring is empty.
// case: bug
// explore: bug assertion:37
// case: safe
// cflags: -DWAIT
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define SIZE 2
int ring[SIZE], count, put, get;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

void *producer(void *arg) {
    int value;
    ordain_input(&value, sizeof value, "value");
    pthread_mutex_lock(&l);
    ring[put] = value | 1;
    put = (put + 1) % SIZE;
    count++;
    pthread_mutex_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
#ifdef WAIT
    pthread_join(t, 0);
#endif
    pthread_mutex_lock(&l);
    int value = ring[get];
    get = (get + 1) % SIZE;
    count--;
    pthread_mutex_unlock(&l);
    assert(value & 1);
    return 0;
}
