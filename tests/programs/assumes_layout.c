// Wrong if an object happens to lie elsewhere: the number that a pointer is comes from memory, where nobody sees what it was.
// explore: safe
// assumes: where objects lie in memory
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int object;
uintptr_t number;

void *store(void *arg) {
    number = (uintptr_t)&object;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, store, 0);
    pthread_join(t, 0);
    assert(number % 4096 != 4080);
    return 0;
}
