// Two threads each branch on an input; main joins both and fails for one combination of the two only.
// explore: bug assertion:34
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x, y;

void *first(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    x = i == 3 ? 10 : 20;
    if (i == 4)
        x = 30;
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
    assert(!(x == 30 && y == 1));
    return 0;
}
