// Two resources, each with a count of users: the first user takes the lock, the last gives it back. Threads that take them in
// different orders block each other.
// case: bug
// explore: bug deadlock:@take
// case: safe
// cflags: -DSAME_ORDER
// explore: safe
#include <pthread.h>

struct resource {
    pthread_mutex_t guard, lock;
    int users;
};

struct resource a = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0};
struct resource b = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0};

void use(struct resource *r) {
    pthread_mutex_lock(&r->guard);
    r->users++;
    pthread_mutex_lock(&r->lock); // @take
}

void leave(struct resource *r) {
    r->users--;
    pthread_mutex_unlock(&r->lock);
    pthread_mutex_unlock(&r->guard);
}

void *worker(void *arg) {
    struct resource *first = arg ? &b : &a, *second = arg ? &a : &b;
#ifdef SAME_ORDER
    first = &a;
    second = &b;
#endif
    pthread_mutex_lock(&first->lock);
    use(second);
    leave(second);
    pthread_mutex_unlock(&first->lock);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, (void *)0);
    pthread_create(&t, 0, worker, (void *)1);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
