// The queue of Michael and Scott with two locks and a dummy. The faulty dequeue frees the dummy before it has read what
// comes after it.
// case: safe
// cflags: -DN=1
// explore: safe
// case: safe-2
// cflags: -DN=2
// explore: safe
// case: bug
// cflags: -DN=1 -DEARLY_FREE
// check: use-after-free
// explore: bug use-after-free:@value
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
struct node *head, *tail;

void enqueue(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = NULL;
    pthread_mutex_lock(&tail_lock);
    tail->next = node;
    tail = node;
    pthread_mutex_unlock(&tail_lock);
}

int dequeue(int *value) {
    pthread_mutex_lock(&head_lock);
    struct node *dummy = head, *first = dummy->next;
    if (!first) {
        pthread_mutex_unlock(&head_lock);
        return 0;
    }
#ifdef EARLY_FREE
    free(dummy);
    first = dummy->next; // @value
#endif
    *value = first->value;
    head = first;
    pthread_mutex_unlock(&head_lock);
#ifndef EARLY_FREE
    free(dummy);
#endif
    return 1;
}

void *producer(void *arg) {
    for (int i = 0; i < N; i++) {
        int value;
        ordain_input(&value, sizeof value, "value");
        ordain_assume(value > 0);
        enqueue(value);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    head = tail = malloc(sizeof *head);
    head->next = NULL;
    pthread_create(&t, 0, producer, 0);
    int value = 0;
    if (dequeue(&value))
        assert(value > 0);
    pthread_join(t, 0);
    return 0;
}
