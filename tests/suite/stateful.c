// Two variables, a lock each: the threads may come in one order to the first and in the other to the second. That matters
// if one of them multiplies, and not if both add.
// case: bug
// cflags: -DFACTOR=3
// explore: bug assertion:@state
// case: safe
// explore: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
int first = 10, second = 10;

void *grow(void *arg) {
    pthread_mutex_lock(&first_lock);
    first += 5;
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    second -= 6;
    pthread_mutex_unlock(&second_lock);
    return 0;
}

void *change(void *arg) {
    pthread_mutex_lock(&first_lock);
#ifdef FACTOR
    first *= FACTOR;
#else
    first += 3;
#endif
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
#ifdef FACTOR
    second *= FACTOR;
#else
    second -= 2;
#endif
    pthread_mutex_unlock(&second_lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, grow, 0);
    pthread_create(&b, 0, change, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef FACTOR
    // The lock of one variable says nothing about the order in the other.
    assert(first != (10 + 5) * FACTOR || second != 10 * FACTOR - 6); // @state
#else
    assert(first == 18 && second == 2);
#endif
    return 0;
}
