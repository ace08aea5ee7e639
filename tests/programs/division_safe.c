// As division, with a smaller step down.
// explore: safe
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int parts = 2;

void *share(void *arg) {
    return (void *)(long)(100 / atomic_load(&parts));
}

int main(void) {
    int fewer;
    ordain_input(&fewer, sizeof fewer, "fewer");
    pthread_t t;
    pthread_create(&t, 0, share, 0);
    atomic_fetch_sub(&parts, fewer & 1);
    atomic_store(&parts, 4);
    pthread_join(t, 0);
    return 0;
}
