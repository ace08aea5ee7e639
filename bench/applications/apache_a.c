// Apache's buffered log: requests append their lines to one buffer, which is written to the file when a line does not fit
// any more. Nothing protects the fill level.
//
// Two bugs: between the test whether a line fits and the copy another request fills the buffer, and the line is written
// past its end; and of two requests that add to the fill level at the same time one is forgotten, so that lines are
// overwritten.
// check: assertion,bounds
// case: bug
// explore: bug bounds:@copy assertion:@complete
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#define BUFFER 4
#ifndef REQUESTS
#define REQUESTS 2
#endif

struct buffered_log {
    unsigned filled, in_file;
    char buffer[BUFFER];
};

struct piece {
    const char *text;
    unsigned length;
};

static struct buffered_log transfer_log;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void write_to_file(struct buffered_log *log, unsigned length) {
    log->in_file += length;
}

static void flush_log(struct buffered_log *log) {
    if (log->filled > 0) {
        write_to_file(log, log->filled);
        log->filled = 0;
    }
}

static void log_pieces(struct buffered_log *log, const struct piece *pieces, int count, unsigned length) {
    if (length + log->filled > BUFFER)
        flush_log(log);
    if (length > BUFFER) {
        write_to_file(log, length);
        return;
    }
    char *to = &log->buffer[log->filled];
    for (int i = 0; i < count; i++)
        for (unsigned j = 0; j < pieces[i].length; j++)
            *to++ = pieces[i].text[j]; // @copy
    log->filled += length;
}

static const char host[] = "local", path[] = "/index";
static unsigned lengths[REQUESTS];

static void *request(void *arg) {
    unsigned *length = arg;
    unsigned char of_path;
    ordain_input(&of_path, sizeof of_path, "length of the path");
    ordain_assume(of_path <= 2);
    struct piece pieces[] = {{host, 1}, {path, of_path}};
    *length = pieces[0].length + pieces[1].length;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    log_pieces(&transfer_log, pieces, 2, *length);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

int main(void) {
    pthread_t threads[REQUESTS];
    unsigned all = 0;
    for (int i = 0; i < REQUESTS; i++)
        pthread_create(&threads[i], 0, request, &lengths[i]);
    for (int i = 0; i < REQUESTS; i++) {
        pthread_join(threads[i], 0);
        all += lengths[i];
    }
    assert(transfer_log.in_file + transfer_log.filled == all); // @complete
    return 0;
}
