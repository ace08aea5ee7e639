// Attributes of threads and mutexes: the defaults are all there is, so setting them up does nothing.

#include <pthread.h>

int pthread_attr_init(pthread_attr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_mutexattr_init(pthread_mutexattr_t *attributes) {
    (void)attributes;
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes) {
    (void)attributes;
    return 0;
}
