// As many rounds as the input says: without a bound the search would go on for ever, with one it says so.
// explore: bounded
// unroll: 4
// reason: a loop was cut after 4 rounds (--unroll), at 
// unproved: bound:15
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint total;

void *adder(void *arg) {
    unsigned rounds;
    ordain_input(&rounds, sizeof rounds, "rounds");
    for (unsigned i = 0; i < rounds; i++)
        total++;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, adder, 0);
    pthread_join(t, 0);
    return 0;
}
