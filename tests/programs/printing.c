// Output does not disturb the verdict.
// explore: safe
#include <pthread.h>
#include <stdio.h>

void *worker(void *arg) {
    printf("worker %d\n", (int)(long)arg);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, (void *)1);
    puts("main");
    pthread_join(a, 0);
    return 0;
}
