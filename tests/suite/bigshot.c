// One thread allocates a text, the other fills it in: it may not be there yet. Nothing is wrong if the second looks first and
// the text is only used if it was filled.
// case: bug
// check: null,assertion
// explore: bug null:@fill null:@use
// case: safe
// cflags: -DLOOK
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char *text;

void *allocate(void *arg) {
    pthread_mutex_lock(&lock);
    text = malloc(8);
    text[0] = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *fill(void *arg) {
    pthread_mutex_lock(&lock);
#ifdef LOOK
    if (text)
#endif
        text[0] = 'B'; // @fill
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, allocate, 0);
    pthread_create(&b, 0, fill, 0);
#ifndef LOOK
    pthread_mutex_lock(&lock);
    assert(text[0] == 'B' || text[0] == 0); // @use
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(text[0] == 'B' || text[0] == 0);
    return 0;
}
