// Reading, changing and writing back, in several ways. Nothing races in any of them.
//
// The run: one thread (0.1) adds, then the other (0.2).
// - load-store: an atomic load and an atomic store, and nothing that makes one of the two. No marks are needed: what is written
//   depends on what was read.
// - fetch-add: one access that reads and writes.
// - locked: load and store under a lock.
// - getter-setter: the parts are under the lock, each by itself; the region is marked.
// only: atomicity,race
// case: load-store
// cflags: -DLOAD_STORE
// predict: atomicity:@load-@store
// violations: 2
// case: fetch-add
// cflags: -DFETCH_ADD
// predict: none
// violations: 0
// case: locked
// cflags: -DLOAD_STORE -DLOCKED
// predict: none
// violations: 0
// case: getter-setter
// cflags: -DGETTER_SETTER
// regions: marked
// predict: atomicity:@get-@set
// violations: 2
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
atomic_int counter;

#ifdef GETTER_SETTER
int get(void) {
    pthread_mutex_lock(&l);
    int value = counter; // @get
    pthread_mutex_unlock(&l);
    return value;
}

void set(int value) {
    pthread_mutex_lock(&l);
    counter = value; // @set
    pthread_mutex_unlock(&l);
}
#endif

void *add(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&l);
#endif
#ifdef LOAD_STORE
    int before = atomic_load(&counter); // @load
    atomic_store(&counter, before + 1); // @store
#endif
#ifdef FETCH_ADD
    atomic_fetch_add(&counter, 1);
#endif
#ifdef GETTER_SETTER
    ordain_atomic_begin();
    set(get() + 1);
    ordain_atomic_end();
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&l);
#endif
    return arg;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, add, 0);
    pthread_create(&t2, 0, add, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
