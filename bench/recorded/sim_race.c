// A simple race: one thread sets the limit that the others go by. Nothing makes it come first.
//
// One that starts before the limit is set sees none left (the assertion fails). No thread has to be interrupted for that: the
// one that sets it only has to begin late. CLAP needed no preemptive switch, with 5 threads and 23 shared accesses.
// check: assertion
// recorded: assertion:@limit
// preemptions: 0
// case: bug
// explore: bug assertion:@limit
// case: repaired
// cflags: -DREPAIRED
// explore: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

#include "work.h"

#ifndef USERS
#define USERS 3
#endif
// How long anything takes to begin, in microseconds.
#ifndef START
#define START 50
#endif

static int limit, used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *set_limit(void *arg) {
    usleep(START);
    pthread_mutex_lock(&lock);
    limit = USERS;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *use(void *arg) {
    usleep(START);
    pthread_mutex_lock(&lock);
    used++;
    assert(used <= limit); // @limit
    pthread_mutex_unlock(&lock);
    return (void *)(long)work(1 + (unsigned)(long)arg);
}

int main(void) {
    pthread_t setter, users[USERS];
    pthread_create(&setter, 0, set_limit, 0);
#ifdef REPAIRED
    pthread_join(setter, 0);
#endif
    for (int i = 0; i < USERS; i++)
        pthread_create(&users[i], 0, use, 0);
#ifndef REPAIRED
    pthread_join(setter, 0);
#endif
    for (int i = 0; i < USERS; i++)
        pthread_join(users[i], 0);
    return 0;
}
