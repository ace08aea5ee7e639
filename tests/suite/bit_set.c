// Threads set bits of one word, which bit is an input. Plain or-assignment loses bits.
// case: safe
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DPLAIN
// explore: bug assertion:@kept
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint bits;

void *setter(void *arg) {
    unsigned char which;
    ordain_input(&which, sizeof which, "which");
    unsigned mask = 1u << (which & 31);
#ifdef PLAIN
    bits = bits | mask;
#else
    atomic_fetch_or(&bits, mask);
#endif
    assert(bits & mask); // @kept
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, setter, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
