// A splay tree under a lock: every look brings what it found to the root, so that looking changes the tree as well. Threads
// look for inputs; nothing gets lost or out of order. No bug.
// check: assertion,null,deadlock
// case: splay
// cflags: -DKEYS=2 -DONE_INPUT
// explore: safe
// case: inputs
// cflags: -DKEYS=2
// explore: safe
// case: one-key
// cflags: -DKEYS=1
// explore: safe
// case: more-keys
// cflags: -DKEYS=3
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif

struct node {
    int key;
    struct node *left, *right;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;

static struct node *rotate_right(struct node *n) {
    struct node *up = n->left;
    n->left = up->right;
    up->right = n;
    return up;
}

static struct node *rotate_left(struct node *n) {
    struct node *up = n->right;
    n->right = up->left;
    up->left = n;
    return up;
}

// Top-down, after Sleator: what is smaller than the key is hung to the right end of one tree, what is larger to the left
// end of another, and all is put together under what was found.
static struct node *splay(struct node *t, int key) {
    struct node header = {0, NULL, NULL}, *smaller = &header, *larger = &header;
    if (!t)
        return NULL;
    for (;;) {
        if (key < t->key) {
            if (t->left && key < t->left->key)
                t = rotate_right(t);
            if (!t->left)
                break;
            larger->left = t;
            larger = t;
            t = t->left;
        } else if (key > t->key) {
            if (t->right && key > t->right->key)
                t = rotate_left(t);
            if (!t->right)
                break;
            smaller->right = t;
            smaller = t;
            t = t->right;
        } else {
            break;
        }
    }
    smaller->right = t->left;
    larger->left = t->right;
    t->left = header.right;
    t->right = header.left;
    return t;
}

static void insert(int key) {
    struct node *node = malloc(sizeof *node);
    *node = (struct node){key, NULL, NULL};
    struct node *top = splay(root, key);
    if (top && key < top->key) {
        node->left = top->left;
        node->right = top;
        top->left = NULL;
    } else if (top) {
        node->right = top->right;
        node->left = top;
        top->right = NULL;
    }
    root = node;
}

static int contains(int key) {
    root = splay(root, key);
    return root && root->key == key;
}

// The number of nodes.
static int check(struct node *n, int low, int high) {
    if (!n)
        return 0;
    assert(low < n->key && n->key < high);
    return 1 + check(n->left, low, n->key) + check(n->right, n->key, high);
}

static void *looker(void *arg) {
    unsigned char key = 10;
#ifdef ONE_INPUT
    if (!arg)
#endif
        ordain_input(&key, sizeof key, "key");
    pthread_mutex_lock(&lock);
    int found = contains(key);
    pthread_mutex_unlock(&lock);
    assert(found == (key % 10 == 0 && 0 < key && key <= 10 * KEYS));
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < KEYS; i++)
        insert(10 * (i + 1));
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, looker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(check(root, -1, 256) == KEYS);
    return 0;
}
