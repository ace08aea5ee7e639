// Allocation of a block for an inode, and its removal, under two locks. The block is marked busy for as long as the inode has
// it; the faulty removal marks it free before it says that the inode has none.
// case: safe
// explore: safe
// case: bug
// cflags: -DFREE_FIRST
// explore: bug assertion:@busy
#include <assert.h>
#include <pthread.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER, busy_lock = PTHREAD_MUTEX_INITIALIZER;
int block, busy, inode;

void *allocator(void *arg) {
    pthread_mutex_lock(&inode_lock);
    if (inode == 0) {
        pthread_mutex_lock(&busy_lock);
        busy = 1;
        pthread_mutex_unlock(&busy_lock);
        inode = 1;
    }
    block = 1;
    pthread_mutex_unlock(&inode_lock);
    return 0;
}

void *remover(void *arg) {
#ifdef FREE_FIRST
    pthread_mutex_lock(&busy_lock);
    busy = 0;
    pthread_mutex_unlock(&busy_lock);
    pthread_mutex_lock(&inode_lock);
    inode = 0;
    pthread_mutex_unlock(&inode_lock);
#else
    pthread_mutex_lock(&inode_lock);
    inode = 0;
    pthread_mutex_lock(&busy_lock);
    busy = 0;
    pthread_mutex_unlock(&busy_lock);
    pthread_mutex_unlock(&inode_lock);
#endif
    return 0;
}

void *checker(void *arg) {
    pthread_mutex_lock(&inode_lock);
    pthread_mutex_lock(&busy_lock);
    assert(inode == busy); // @busy
    pthread_mutex_unlock(&busy_lock);
    pthread_mutex_unlock(&inode_lock);
    return 0;
}

int main(void) {
    pthread_t a, r, c;
    pthread_create(&a, 0, allocator, 0);
    pthread_create(&r, 0, remover, 0);
    pthread_create(&c, 0, checker, 0);
    pthread_join(a, 0);
    pthread_join(r, 0);
    pthread_join(c, 0);
    return 0;
}
