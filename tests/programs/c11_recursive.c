// A mutex of C11 can be recursive.
// explore: safe
// native: same
#include <assert.h>
#include <threads.h>

mtx_t l;
int count;

int worker(void *arg) {
    mtx_lock(&l);
    assert(mtx_trylock(&l) == thrd_success);
    count++;
    mtx_unlock(&l);
    mtx_unlock(&l);
    return 0;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&l, mtx_plain | mtx_recursive);
    thrd_create(&a, worker, 0);
    thrd_create(&b, worker, 0);
    thrd_join(a, 0);
    thrd_join(b, 0);
    assert(count == 2);
    return 0;
}
