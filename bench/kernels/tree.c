// Pointers and malloc: a search tree that grows and is torn down, then a list that is sorted by merging.
#include "kernel.h"

#ifndef NODES
#define NODES 60000
#endif

struct node {
    struct node *left, *right;
    uint32_t key, count;
};

struct cell {
    struct cell *next;
    uint32_t value;
};

static struct node *insert(struct node *at, uint32_t key) {
    if (!at) {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->left = fresh->right = NULL;
        fresh->key = key;
        fresh->count = 1;
        return fresh;
    }
    if (key < at->key)
        at->left = insert(at->left, key);
    else if (key > at->key)
        at->right = insert(at->right, key);
    else
        at->count++;
    return at;
}

static struct cell *flatten(struct node *at, struct cell *rest) {
    if (!at)
        return rest;
    struct cell *cell = malloc(sizeof *cell);
    cell->value = at->key * 2654435761u;
    cell->next = flatten(at->left, rest);
    struct cell *list = flatten(at->right, cell);
    free(at);
    return list;
}

static struct cell *merge(struct cell *a, struct cell *b) {
    struct cell head = {NULL, 0}, *last = &head;
    while (a && b) {
        struct cell **less = a->value < b->value ? &a : &b;
        last->next = *less;
        last = *less;
        *less = (*less)->next;
    }
    last->next = a ? a : b;
    return head.next;
}

static struct cell *sort(struct cell *list) {
    if (!list || !list->next)
        return list;
    struct cell *slow = list, *fast = list->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct cell *second = slow->next;
    slow->next = NULL;
    return merge(sort(list), sort(second));
}

static uint64_t body(int part) {
    uint32_t state = 123456789u + part;
    struct node *root = NULL;
    for (int i = 0; i < NODES; i++)
        root = insert(root, next_random(&state) % (NODES * 4));
    struct cell *list = sort(flatten(root, NULL));
    uint64_t sum = 0, at = 1;
    while (list) {
        struct cell *next = list->next;
        sum += list->value * at++;
        free(list);
        list = next;
    }
    return sum;
}
