// ctrace, a library that traces threads: a thread registers itself with a level, and an event is written if its own level
// is low enough. The library sets itself up when the first thread registers.
//
// Two bugs: two first threads both set it up, and the second time wipes out what the first has registered: its next event
// finds no entry (a null pointer). And the number of registered threads is kept without the lock, so that one gets lost.
// check: assertion,null
// case: bug
// explore: bug null:@level assertion:@registered
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 2
#endif
#define SLOTS 4

struct entry {
    int used, id, level, events;
};

static struct entry table[SLOTS];
static int ready, registered;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER, start_lock = PTHREAD_MUTEX_INITIALIZER;

static void set_up(void) {
    pthread_mutex_lock(&table_lock);
    for (int i = 0; i < SLOTS; i++)
        table[i].used = 0;
    pthread_mutex_unlock(&table_lock);
}

static void set_up_once(void) {
#ifdef FIXED
    pthread_mutex_lock(&start_lock);
#endif
    if (!ready) {
        set_up();
        ready = 1;
    }
#ifdef FIXED
    pthread_mutex_unlock(&start_lock);
#endif
}

// With the lock of the table.
static struct entry *find(int id) {
    for (int i = 0; i < SLOTS; i++) {
        struct entry *e = &table[(id + i) % SLOTS];
        if (e->used && e->id == id)
            return e;
    }
    return NULL;
}

static void add_thread(int id, int level) {
    set_up_once();
    pthread_mutex_lock(&table_lock);
    struct entry *e = &table[id % SLOTS];
    e->used = 1;
    e->id = id;
    e->level = level;
    e->events = 0;
#ifdef FIXED
    registered++;
#endif
    pthread_mutex_unlock(&table_lock);
#ifndef FIXED
    registered++;
#endif
}

static void trace(int id, int level) {
    pthread_mutex_lock(&table_lock);
    struct entry *e = find(id);
    if (level <= e->level) // @level
        e->events++;
    pthread_mutex_unlock(&table_lock);
}

static void *traced(void *arg) {
    int id = (int)(long)arg;
    unsigned char level;
    ordain_input(&level, sizeof level, "level");
    add_thread(id, level);
    trace(id, 3);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, traced, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(registered == THREADS); // @registered
    return 0;
}
