// The index never gets to the entry that the reader looks at.
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

int a[8];

void *writer(void *arg) {
    unsigned i;
    ordain_input(&i, sizeof i, "i");
    a[i & 6] = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
    assert(a[3] == 0);
    return 0;
}
