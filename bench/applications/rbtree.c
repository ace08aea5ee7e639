// A red-black tree under a lock: threads insert keys and look them up. At the end it is in order, no red node has a
// red child, and every way down passes as many black ones. No bug.
// check: assertion,null,deadlock
// case: rbtree
// cflags: -DFIXED_KEYS
// explore: safe
// case: one-input
// cflags: -DONE_INPUT
// explore: safe
// case: inputs
// explore: safe
// case: empty
// cflags: -DBEFORE=0
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
// Nodes that are there before the threads start.
#ifndef BEFORE
#define BEFORE 2
#endif

enum colour { BLACK, RED };

struct node {
    int key;
    enum colour colour;
    struct node *parent, *left, *right;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;

static void replace_child(struct node *parent, struct node *old, struct node *by) {
    by->parent = parent;
    if (!parent)
        root = by;
    else if (parent->left == old)
        parent->left = by;
    else
        parent->right = by;
}

static void rotate_left(struct node *x) {
    struct node *y = x->right;
    x->right = y->left;
    if (y->left)
        y->left->parent = x;
    replace_child(x->parent, x, y);
    y->left = x;
    x->parent = y;
}

static void rotate_right(struct node *x) {
    struct node *y = x->left;
    x->left = y->right;
    if (y->right)
        y->right->parent = x;
    replace_child(x->parent, x, y);
    y->right = x;
    x->parent = y;
}

static void repair(struct node *n) {
    while (n->parent && n->parent->colour == RED) {
        struct node *parent = n->parent, *grandparent = parent->parent;
        int on_left = grandparent->left == parent;
        struct node *uncle = on_left ? grandparent->right : grandparent->left;
        if (uncle && uncle->colour == RED) {
            parent->colour = BLACK;
            uncle->colour = BLACK;
            grandparent->colour = RED;
            n = grandparent;
            continue;
        }
        if (on_left ? parent->right == n : parent->left == n) {
            if (on_left)
                rotate_left(parent);
            else
                rotate_right(parent);
            parent = n;
        }
        parent->colour = BLACK;
        grandparent->colour = RED;
        if (on_left)
            rotate_right(grandparent);
        else
            rotate_left(grandparent);
        break;
    }
    root->colour = BLACK;
}

// A key that is there already stays as it is.
static void insert(int key) {
    struct node *parent = NULL, *at = root;
    while (at) {
        if (key == at->key)
            return;
        parent = at;
        at = key < at->key ? at->left : at->right;
    }
    struct node *node = malloc(sizeof *node);
    *node = (struct node){key, RED, parent, NULL, NULL};
    if (!parent)
        root = node;
    else if (key < parent->key)
        parent->left = node;
    else
        parent->right = node;
    repair(node);
}

static int contains(int key) {
    struct node *at = root;
    while (at && at->key != key)
        at = key < at->key ? at->left : at->right;
    return at != NULL;
}

// The number of black nodes on every way down.
static int check(struct node *n, int low, int high) {
    if (!n)
        return 1;
    assert(low < n->key && n->key < high);
    assert(n->colour == BLACK || !n->parent || n->parent->colour == BLACK);
    int left = check(n->left, low, n->key), right = check(n->right, n->key, high);
    assert(left == right);
    return left + (n->colour == BLACK);
}

// Which keys are inputs: all, the first, or none.
static unsigned char choose_key(int thread) {
    unsigned char key = 150 - 100 * thread;
#if defined ONE_INPUT
    if (thread == 0)
        ordain_input(&key, sizeof key, "key");
#elif !defined FIXED_KEYS
    ordain_input(&key, sizeof key, "key");
#endif
    return key;
}

static void *inserter(void *arg) {
    unsigned char key = choose_key((int)(long)arg);
    pthread_mutex_lock(&lock);
    insert(key);
    assert(contains(key));
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < BEFORE; i++)
        insert(100 * (i + 1));
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, inserter, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    check(root, -1, 256);
    return 0;
}
