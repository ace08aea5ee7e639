// A search of some length that comes to its end, with more than one thing to find.
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int level, unguarded;

void add(int amount) {
    pthread_mutex_lock(&lock);
    level += amount;
    pthread_mutex_unlock(&lock);
}

void *pour(void *arg) {
    unsigned char amount;
    ordain_input(&amount, sizeof amount, "amount");
    switch (amount) {
    case 3:
        add(3);
        break;
    case 5:
        add(5);
        add(-1);
        break;
    case 8:
        add(8);
        break;
    case 9:
        unguarded++;
        break;
    }
    pthread_mutex_lock(&lock);
    if (level == 11) {
        pthread_mutex_unlock(&lock);
        assert(amount != 8);
        return arg;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, pour, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(level != 14);
    return 0;
}
