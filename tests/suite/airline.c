// Agents sell the last seats. The faulty ones look whether there are any left and sell in two steps.
// case: bug
// cflags: -DAGENTS=3 -DSEATS=2 -DTWO_STEPS
// explore: bug assertion:@oversold
// case: safe
// cflags: -DAGENTS=3 -DSEATS=2
// explore: safe
// case: safe-more
// cflags: -DAGENTS=4 -DSEATS=2
// explore: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sold;

void *agent(void *arg) {
    pthread_mutex_lock(&lock);
    int free_seat = sold < SEATS;
#ifdef TWO_STEPS
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (free_seat)
        sold++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t agents[AGENTS];
    for (int i = 0; i < AGENTS; i++)
        pthread_create(&agents[i], 0, agent, 0);
    for (int i = 0; i < AGENTS; i++)
        pthread_join(agents[i], 0);
    assert(sold <= SEATS); // @oversold
    return 0;
}
