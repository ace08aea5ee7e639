// N philosophers, N forks. If each takes the left one first all may starve; if the last takes the right one first, none.
// case: bug
// cflags: -DN=2
// explore: bug deadlock:@second
// case: bug-three
// cflags: -DN=3
// explore: bug deadlock:@second
// case: bug-four
// cflags: -DN=4
// explore: bug deadlock:@second
// case: safe
// cflags: -DN=3 -DORDERED
// explore: safe
// case: safe-four
// cflags: -DN=4 -DORDERED
// explore: safe
#include <pthread.h>

pthread_mutex_t fork_of[N];
int meals[N];

void *philosopher(void *arg) {
    int me = (int)(long)arg, first = me, second = (me + 1) % N;
#ifdef ORDERED
    if (first > second) {
        first = second;
        second = me;
    }
#endif
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[second]); // @second
    meals[first]++;
    pthread_mutex_unlock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[first]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
