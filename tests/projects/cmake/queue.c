#include "queue.h"

int queue_put(struct queue *queue, int item) {
    pthread_mutex_lock(&queue->lock);
    int fits = queue->next - queue->first < 4;
    if (fits)
        queue->items[queue->next++ & 3] = item;
    pthread_mutex_unlock(&queue->lock);
    return fits;
}

int queue_take(struct queue *queue, int *item) {
    pthread_mutex_lock(&queue->lock);
    int any = queue->next != queue->first;
    if (any)
        *item = queue->items[queue->first++ & 3];
    pthread_mutex_unlock(&queue->lock);
    return any;
}
