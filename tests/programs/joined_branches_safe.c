// As joined_branches, with a combination that no input gives.
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x, y;

void *first(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i > 5)
        x = 1;
    else
        x = 2;
    return 0;
}

void *second(void *arg) {
    int j;
    ordain_input(&j, sizeof j, "j");
    if (j > 5)
        y = 1;
    else
        y = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x + y >= 2 && x + y <= 4);
    return 0;
}
