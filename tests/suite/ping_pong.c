// Two threads take turns, N times, with one condition variable. The faulty one waits only once, whatever woke it.
// case: safe
// cflags: -DN=1
// explore: safe
// case: safe-2
// cflags: -DN=2
// explore: safe
// case: bug
// cflags: -DN=1 -DWAIT_ONCE
// explore: bug assertion:@turn
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int turn;

void *player(void *arg) {
    long me = (long)arg;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
#ifdef WAIT_ONCE
        if (turn != me)
#else
        while (turn != me)
#endif
            pthread_cond_wait(&changed, &lock);
        assert(turn == me); // @turn
        turn = 1 - me;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, player, (void *)0);
    pthread_create(&b, 0, player, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(turn == 0);
    return 0;
}
