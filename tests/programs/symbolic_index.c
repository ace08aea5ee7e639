// No branch depends on the input, only an address does.
// explore: bug assertion:19
// check: assertion
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int a[8];

void *writer(void *arg) {
    unsigned i;
    ordain_input(&i, sizeof i, "i");
    a[i % 8] = 1;
    return 0;
}

void *reader(void *arg) {
    if (a[3] == 1)
        assert(!"reached");
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0);
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
