// A search of some length that comes to its end, with more than one thing to find.
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int level, spills;
int unguarded;

void *pour(void *arg) {
    unsigned char amount;
    ordain_input(&amount, sizeof amount, "amount");
    pthread_mutex_lock(&lock);
    if (amount == 3)
        level += 3;
    else if (amount == 5)
        level += 5;
    if (level > 7)
        spills++;
    pthread_mutex_unlock(&lock);
    if (amount == 9)
        unguarded++;
    return arg;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, pour, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(level != 13);
    assert(spills < 2 || level != 11);
    return 0;
}
