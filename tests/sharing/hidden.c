// Addresses that go to the other thread as something else: numbers, halves, differences, copied bytes, arguments of any number.
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uintptr_t number, mixed;
uint32_t halves[2];
ptrdiff_t distance;
char bytes[8];
int *listed;
static int base;
// Not known to the compiler, or the copy would be a load and a store.
volatile size_t length = sizeof(int *);
pthread_barrier_t barrier;

static void take(int count, ...) {
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        listed = va_arg(list, int *);
    va_end(list);
}

void *worker(void *arg) {
    int *whole = malloc(4), *half = malloc(4), *far = malloc(4), *copied = malloc(4), *given = malloc(4);
    int *xored = malloc(4), *mine = malloc(4);
    *whole = 1;  // shared
    *half = 1;   // shared
    *far = 1;    // shared
    *copied = 1; // shared
    *given = 1;  // shared
    *xored = 1;  // shared
    *mine = (uintptr_t)mine % 8 == 0; // private
    number = (uintptr_t)whole;
    halves[0] = (uintptr_t)half;
    halves[1] = (uintptr_t)half >> 32;
    distance = (char *)far - (char *)&base;
    memcpy(bytes, &copied, length);
    take(1, given);
    mixed = (uintptr_t)xored ^ 0x5555;
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);
    int *copied;
    memcpy(&copied, bytes, length);
    int sum = *(int *)number;                                         // shared
    sum += *(int *)((uintptr_t)halves[0] | (uintptr_t)halves[1] << 32); // shared
    sum += *(int *)((char *)&base + distance);                        // shared
    sum += *copied;                                                   // shared
    sum += *listed;                                                   // shared
    sum += *(int *)(mixed ^ 0x5555);                                  // shared
    pthread_join(thread, NULL);
    return sum != 6;
}
