// Functions that lock call others that lock the same: right with a recursive mutex, a deadlock of one thread with itself
// with a plain one.
// case: safe
// explore: safe
// case: bug
// cflags: -DPLAIN
// explore: bug deadlock:@again
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock;
int balance = 10, log_entries;

void change(int by) {
    pthread_mutex_lock(&lock); // @again
    balance += by;
    log_entries++;
    pthread_mutex_unlock(&lock);
}

void *mover(void *arg) {
    pthread_mutex_lock(&lock);
    if (balance > 0) {
        change(-5);
        change(5);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifndef PLAIN
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&lock, &kind);
    pthread_create(&a, 0, mover, 0);
    pthread_create(&b, 0, mover, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance == 10 && log_entries == 4);
    return 0;
}
