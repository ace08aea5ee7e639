// A tree of each thread's own, and what becomes of one of its nodes.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

struct node *published;

static struct node *push(struct node *rest, int value) {
    struct node *node = malloc(sizeof *node);
    node->next = rest;   // private
    node->value = value; // private
    return node;
}

void *worker(void *arg) {
    struct node *list = NULL, *other = malloc(sizeof *other);
    for (int i = 0; i < 3; i++)
        list = push(list, i);
    int sum = 0;
    for (; list; list = list->next) // private
        sum += list->value;         // private
    other->value = sum; // shared
    published = other;  // shared
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return published->value != 3; // shared
}
