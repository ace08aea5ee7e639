#include "queue.h"
#include <sched.h>
#include <stdio.h>

static struct queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *produce(void *unused) {
    for (int i = 1; i <= 6; i++)
        while (!queue_put(&queue, i))
            sched_yield();
    return unused;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    int sum = 0, item;
    for (int i = 0; i < 6; i++) {
        while (!queue_take(&queue, &item))
            sched_yield();
        sum = sum * 10 + item;
    }
    pthread_join(producer, NULL);
    printf("%d\n", sum);
    return 0;
}
