// Two threads each wait to see one of two writes on the untaken side of a branch: relaxing one of them is not enough.
// explore: bug assertion:42
// check: assertion
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x, y, saw_x, saw_y;

void *writer(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i > 0) {
        x = 1;
    } else {
        x = 2;
        y = 2;
    }
    return 0;
}

void *look_at_x(void *arg) {
    if (x == 2)
        saw_x = 1;
    return 0;
}

void *look_at_y(void *arg) {
    if (y == 2)
        saw_y = 1;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, look_at_x, 0);
    pthread_create(&c, 0, look_at_y, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(!(saw_x && saw_y));
    return 0;
}
