// A buffer of characters: the sender waits while it is full, the receiver while it is empty, by awaits on a count. The faulty
// count is kept in two steps: one too many and the receiver reads what is not there, one too few and it waits for ever.
// case: safe
// cflags: -DN=2 -DSIZE=1
// explore: safe
// case: safe-4
// cflags: -DN=4 -DSIZE=2
// explore: safe
// case: bug
// cflags: -DN=3 -DSIZE=2 -DTWO_STEPS
// check: assertion,hang
// explore: bug assertion:@received hang:@empty
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

char buffer[SIZE];
atomic_int count;

#ifdef TWO_STEPS
#define ADD(n) count = count + (n)
#else
#define ADD(n) atomic_fetch_add(&count, n)
#endif

void *sender(void *arg) {
    for (int i = 0; i < N; i++) {
        while (count == SIZE) {
        }
        buffer[i % SIZE] = 'a' + i;
        ADD(1);
    }
    return 0;
}

void *receiver(void *arg) {
    for (int i = 0; i < N; i++) {
        while (count == 0) { // @empty
        }
        assert(buffer[i % SIZE] == 'a' + i); // @received
        ADD(-1);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
