// Two threads subtract the smaller number from the larger until they are equal: Euclid's algorithm, for small inputs. The
// faulty ones look without the lock.
// case: safe
// cflags: -DMOST=3
// explore: safe
// case: safe-5
// cflags: -DMOST=5
// explore: safe
// case: bug
// cflags: -DMOST=3 -DLOOK_UNLOCKED
// check: assertion
// explore: bug assertion:@positive
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int a, b;

// Takes a step of its own kind if there is one to take, MOST times at most.
void *subtract(void *arg) {
    int *mine = arg ? &b : &a, *other = arg ? &a : &b;
    for (int i = 0; i < MOST; i++) {
#ifdef LOOK_UNLOCKED
        if (*mine > *other) {
            pthread_mutex_lock(&lock);
            *mine -= *other;
            pthread_mutex_unlock(&lock);
        }
#else
        pthread_mutex_lock(&lock);
        if (*mine > *other)
            *mine -= *other;
        pthread_mutex_unlock(&lock);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t s, t, u;
    ordain_input(&a, sizeof a, "a");
    ordain_input(&b, sizeof b, "b");
    ordain_assume(0 < a && a <= MOST && 0 < b && b <= MOST);
    pthread_create(&s, 0, subtract, (void *)0);
    pthread_create(&t, 0, subtract, (void *)1);
#ifdef LOOK_UNLOCKED
    pthread_create(&u, 0, subtract, (void *)1);
    pthread_join(u, 0);
#endif
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a > 0 && b > 0); // @positive
    return 0;
}
