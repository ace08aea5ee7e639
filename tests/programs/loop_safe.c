// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int total;

void *adder(void *arg) {
    unsigned rounds;
    ordain_input(&rounds, sizeof rounds, "rounds");
    for (unsigned i = 0; i < rounds && i < 4; i++)
        total += 5;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, adder, 0);
    pthread_join(t, 0);
    assert(total % 5 == 0 && total <= 20);
    return 0;
}
