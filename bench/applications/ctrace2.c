// ctrace again: tracing can be switched on and off while threads run. Switching on opens a log (memory here), switching off
// closes it and gives it back. Events are numbered.
//
// Two bugs: an event looks whether tracing is on, and writes to the log after it has been closed (use after free); and two
// events draw the same number, because drawing it is not part of what the lock protects.
// check: assertion,null,use-after-free,double-free
// case: bug
// explore: bug use-after-free:@write assertion:@numbers
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#define UNITS 2

struct log {
    int events;
    int units[UNITS];
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct log *current;
static int next_number;
static int enabled[UNITS] = {1, 0};

static struct log *trace_on(void) {
    struct log *log = malloc(sizeof *log);
    log->events = 0;
    for (int i = 0; i < UNITS; i++)
        log->units[i] = 0;
    pthread_mutex_lock(&log_lock);
    current = log;
    pthread_mutex_unlock(&log_lock);
    return log;
}

static void trace_off(void) {
    pthread_mutex_lock(&log_lock);
    free(current);
    current = NULL;
    pthread_mutex_unlock(&log_lock);
}

// The number of the event, 0 if it was not traced.
static int trace(int unit) {
    if (!enabled[unit])
        return 0;
    pthread_mutex_lock(&log_lock);
    struct log *log = current;
#ifdef FIXED
    int number = 0;
    if (log) {
        number = ++next_number;
        log->units[unit]++;
        log->events++;
    }
    pthread_mutex_unlock(&log_lock);
    return number;
#else
    pthread_mutex_unlock(&log_lock);
    if (!log)
        return 0;
    int number = ++next_number;
    pthread_mutex_lock(&log_lock);
    log->units[unit]++; // @write
    log->events++;
    pthread_mutex_unlock(&log_lock);
    return number;
#endif
}

static int numbers[THREADS];

static void *traced(void *arg) {
    long me = (long)arg;
    unsigned char unit;
    ordain_input(&unit, sizeof unit, "unit");
    ordain_assume(unit < UNITS);
    numbers[me] = trace(unit);
    return 0;
}

static void *controller(void *arg) {
    unsigned char off;
    ordain_input(&off, sizeof off, "off");
    if (off)
        trace_off();
    return 0;
}

int main(void) {
    pthread_t c, threads[THREADS];
    trace_on();
    pthread_create(&c, 0, controller, 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, traced, (void *)i);
    pthread_join(c, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    for (int i = 1; i < THREADS; i++)
        assert(numbers[i] == 0 || numbers[i] != numbers[i - 1]); // @numbers
    return 0;
}
