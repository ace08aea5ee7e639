// The join orders the read after all of the writer, whichever side of its branch the writer took.
// explore: bug assertion:21
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int x;

void *writer(void *arg) {
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i == 7)
        x = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
    assert(x != 2);
    return 0;
}
