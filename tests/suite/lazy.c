// Three threads add up under one lock; the third looks at the sum, whenever its turn comes.
// case: bug
// cflags: -DLIMIT=3
// explore: bug assertion:@sum
// case: safe
// cflags: -DLIMIT=4
// explore: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data;

void *add_one(void *arg) {
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *add_two(void *arg) {
    pthread_mutex_lock(&lock);
    data += 2;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *look(void *arg) {
    pthread_mutex_lock(&lock);
    assert(data < LIMIT); // @sum
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, add_one, 0);
    pthread_create(&b, 0, add_two, 0);
    pthread_create(&c, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
