// Three stages hand an input on, each tells the next by a semaphore. The faulty second stage tells before it has written.
// case: safe
// explore: safe
// case: bug
// cflags: -DEARLY
// check: assertion
// explore: bug assertion:@end
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <semaphore.h>

sem_t first_done, second_done;
unsigned input, middle, output;

void *first(void *arg) {
    ordain_input(&input, sizeof input, "input");
    sem_post(&first_done);
    return 0;
}

void *second(void *arg) {
    sem_wait(&first_done);
#ifdef EARLY
    sem_post(&second_done);
    middle = input + 1;
#else
    middle = input + 1;
    sem_post(&second_done);
#endif
    return 0;
}

void *third(void *arg) {
    sem_wait(&second_done);
    output = middle * 2;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    sem_init(&first_done, 0, 0);
    sem_init(&second_done, 0, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(output == 2 * input + 2); // @end
    return 0;
}
