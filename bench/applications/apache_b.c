// Apache's memory cache: a cached object counts who uses it. Whoever lets go last frees what it holds, once it has been
// marked for removal.
//
// The bug: counting down and looking at the count are two steps. Two requests that let go at the same time may both find
// the count at zero, and both free.
// check: assertion,null,use-after-free,double-free
// case: bug
// explore: bug double-free:@free
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define OBJECTS 2
#ifndef REQUESTS
#define REQUESTS 2
#endif

struct cache_object {
    int key;
    atomic_int users, cleanup;
    char *_Atomic memory;
};

static struct cache_object cache[OBJECTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_contents(struct cache_object *object) {
    char *memory = object->memory;
    if (memory) {
        free(memory); // @free
        object->memory = NULL;
    }
}

static void let_go(struct cache_object *object) {
#ifdef FIXED
    // Not even an atomic count would do alone: somebody could come, mark it and go before we look at the mark.
    pthread_mutex_lock(&lock);
    if (--object->users == 0 && object->cleanup)
        free_contents(object);
    pthread_mutex_unlock(&lock);
#else
    atomic_fetch_sub(&object->users, 1);
    if (object->cleanup && object->users == 0)
        free_contents(object);
#endif
}

// Under the lock, so that nobody finds an object that is about to go.
static struct cache_object *open_entity(int key) {
    struct cache_object *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < OBJECTS; i++)
        if (cache[i].key == key && !cache[i].cleanup)
            found = &cache[i];
    if (found)
        atomic_fetch_add(&found->users, 1);
    pthread_mutex_unlock(&lock);
    return found;
}

static void remove_entity(struct cache_object *object) {
    pthread_mutex_lock(&lock);
    object->cleanup = 1;
    pthread_mutex_unlock(&lock);
}

static void *request(void *arg) {
    unsigned char key, expired;
    ordain_input(&key, sizeof key, "key");
    ordain_input(&expired, sizeof expired, "expired");
    struct cache_object *object = open_entity(key);
    if (!object)
        return 0;
    if (expired)
        remove_entity(object);
    let_go(object);
    return 0;
}

int main(void) {
    pthread_t threads[REQUESTS];
    for (int i = 0; i < OBJECTS; i++) {
        cache[i].key = 10 + i;
        cache[i].memory = malloc(4);
    }
    for (int i = 0; i < REQUESTS; i++)
        pthread_create(&threads[i], 0, request, 0);
    for (int i = 0; i < REQUESTS; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < OBJECTS; i++)
        assert(cache[i].users == 0);
    return 0;
}
