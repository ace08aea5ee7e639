// A generator of numbers with a shared state. Each number is to be the state's; with one lock for reading and another for
// writing back, two threads can draw the same.
// case: safe
// cflags: -DN=2
// explore: safe
// case: safe-three
// cflags: -DN=3
// explore: safe
// case: bug
// cflags: -DN=2 -DTWO_STEPS
// explore: bug assertion:@different
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
unsigned seed, drawn[N];

unsigned next(unsigned state) {
    return state * 5 + 3;
}

void *draw(void *arg) {
    pthread_mutex_lock(&lock);
    unsigned state = seed;
#ifdef TWO_STEPS
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    seed = next(state);
    pthread_mutex_unlock(&lock);
    drawn[(long)arg] = state;
    return 0;
}

int main(void) {
    ordain_input(&seed, sizeof seed, "seed");
    // An odd multiplier and step: the period is as long as can be, and no number is followed by itself.
    unsigned first = seed;
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, draw, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(drawn[0] != drawn[1]); // @different
    assert(drawn[0] == first || drawn[1] == first || N > 2);
    return 0;
}
