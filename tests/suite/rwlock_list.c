// A list that readers search while a writer unlinks and frees an element. The faulty writer frees after the lock is gone
// what it found before it had it, and so may another.
// case: safe
// explore: safe
// case: bug
// cflags: -DSTALE
// check: use-after-free,double-free
// explore: bug use-after-free:@unlink double-free:@free
#include <ordain.h>
#include <pthread.h>
#include <stdlib.h>

struct element {
    int key;
    struct element *next;
};

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
struct element *list;

void add(int key) {
    struct element *e = malloc(sizeof *e);
    e->key = key;
    e->next = list;
    list = e;
}

int contains(int key) {
    pthread_rwlock_rdlock(&lock);
    struct element *e = list;
    while (e && e->key != key)
        e = e->next;
    int found = e != 0;
    pthread_rwlock_unlock(&lock);
    return found;
}

void remove_first(void) {
#ifdef STALE
    pthread_rwlock_rdlock(&lock);
    struct element *e = list;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    if (e)
        list = e->next; // @unlink
#else
    pthread_rwlock_wrlock(&lock);
    struct element *e = list;
    if (e)
        list = e->next;
#endif
    pthread_rwlock_unlock(&lock);
    free(e); // @free
}

void *searcher(void *arg) {
    contains((int)(long)arg);
    return 0;
}

void *remover(void *arg) {
    remove_first();
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    add(1);
    add(2);
    pthread_create(&b, 0, remover, 0);
    pthread_create(&c, 0, remover, 0);
    pthread_create(&a, 0, searcher, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
