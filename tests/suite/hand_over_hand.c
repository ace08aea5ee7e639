// A sorted list with a lock per node, taken hand over hand. The faulty insertion lets go of the node before the place it has
// found and takes it again: another may have inserted there.
// case: safe
// explore: safe
// case: bug
// cflags: -DLET_GO
// check: assertion
// explore: bug assertion:@order
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
};

struct node last = {100, NULL, PTHREAD_MUTEX_INITIALIZER};
struct node first = {0, &last, PTHREAD_MUTEX_INITIALIZER};
struct node fresh[2] = {{0, NULL, PTHREAD_MUTEX_INITIALIZER}, {0, NULL, PTHREAD_MUTEX_INITIALIZER}};

void insert(struct node *node, int key) {
    struct node *before = &first;
    pthread_mutex_lock(&before->lock);
    struct node *after = before->next;
    pthread_mutex_lock(&after->lock);
    while (after->key < key) {
        pthread_mutex_unlock(&before->lock);
        before = after;
        after = before->next;
        pthread_mutex_lock(&after->lock);
    }
#ifdef LET_GO
    pthread_mutex_unlock(&after->lock);
    pthread_mutex_unlock(&before->lock);
    pthread_mutex_lock(&before->lock);
    after = before->next;
    pthread_mutex_lock(&after->lock);
#endif
    node->key = key;
    node->next = after;
    before->next = node;
    pthread_mutex_unlock(&after->lock);
    pthread_mutex_unlock(&before->lock);
}

void *inserter(void *arg) {
    long me = (long)arg;
    insert(&fresh[me], 10 + 10 * (int)me);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, inserter, (void *)0);
    pthread_create(&b, 0, inserter, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(first.next == &fresh[0] && fresh[0].next == &fresh[1] && fresh[1].next == &last); // @order
    return 0;
}
