#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    int first, next, items[4];
};

int queue_put(struct queue *queue, int item);
int queue_take(struct queue *queue, int *item);
