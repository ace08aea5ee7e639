// explore: safe
// native: same
// Every thread has its own copy, with the initial value it was given.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static _Thread_local int counter = 40;
static __thread char text[8] = "start";
static __thread int *pointer;

static int count(void) {
    return ++counter;
}

static void *work(void *unused) {
    assert(counter == 40 && text[0] == 's' && !pointer);
    count();
    pointer = &counter;
    text[0] = 'S';
    assert(*pointer == 41 && text[0] == 'S');
    return unused;
}

int main(void) {
    pthread_t a, b;
    counter = 1;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    assert(count() == 2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2 && text[0] == 's');
    printf("%d %c\n", counter, text[0]);
    return 0;
}
