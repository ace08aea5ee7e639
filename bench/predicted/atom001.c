// Apache's log, small: a writer appends a line, and somebody else starts a new file in the meantime.
//
// The run: the writer (0.1) appends its line, then the log is rotated (0.2). Every access is under the lock, so nothing races.
// The bug: where the line goes is read in one critical section and written back in a later one. A rotation in between sets
// the mark back to 0, and the writer puts it forward again, over a file that has nothing in it.
//
// Exactly one order of three accesses is unserialisable: at (read), rotate (write), append (write). The writer reads 8; a rotation in
// between reads 8 as well and writes 0; what is left is 16. With the region in one piece either the writer reads 0, or the
// rotation reads 16. `lines` is read and written in one section of the region, so the lock keeps the rotation from coming between.
// The text belongs to the writer alone.
// Repaired, the writer says under the lock, before and after the region, that it is writing, and a rotation waits until it does not.
// That is a matter of data: whoever looks at locks alone still sees the same three accesses.
// Fusion has 3 threads, 1 region, 1 violation, and 0 in the repaired program, where a comparison without data still has 1.
// regions: marked
// only: atomicity
// case: atom001
// predict: atomicity:@at-@rotate-@append
// violations: 1
// blind: 1
// case: atom001a
// cflags: -DREPAIRED
// predict: none
// violations: 0
// blind: 1
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

enum { LINE = 8, LINES = 4 };

// There is one line in it already.
static struct {
    pthread_mutex_t lock;
    int used, lines;
} journal = {PTHREAD_MUTEX_INITIALIZER, LINE, 1};

static char text[LINE * LINES];

#ifdef REPAIRED
static int writing;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;

static void set_writing(int now) {
    pthread_mutex_lock(&journal.lock);
    writing = now;
    if (!now)
        pthread_cond_signal(&idle);
    pthread_mutex_unlock(&journal.lock);
}
#endif

static void format(char *line) {
    for (int i = 0; i < LINE; i++)
        line[i] = i + 1 < LINE ? (char)('a' + i) : '\n';
}

static void *append(void *arg) {
    char line[LINE];
#ifdef REPAIRED
    set_writing(1);
#endif
    ordain_atomic_begin();
    pthread_mutex_lock(&journal.lock);
    int at = journal.used; // @at
    pthread_mutex_unlock(&journal.lock);
    format(line);
    for (int i = 0; i < LINE; i++)
        text[at + i] = line[i];
    pthread_mutex_lock(&journal.lock);
    journal.used = at + LINE; // @append
    journal.lines++;
    pthread_mutex_unlock(&journal.lock);
    ordain_atomic_end();
#ifdef REPAIRED
    set_writing(0);
#endif
    return arg;
}

static void *rotate(void *arg) {
    int *rotated = arg;
    pthread_mutex_lock(&journal.lock);
#ifdef REPAIRED
    while (writing)
        pthread_cond_wait(&idle, &journal.lock);
#endif
    int used = journal.used;
    if (used > 0) {
        *rotated = used;
        journal.used = 0; // @rotate
        journal.lines = 0;
    }
    pthread_mutex_unlock(&journal.lock);
    return arg;
}

int main(void) {
    pthread_t writer, rotator;
    int rotated = 0;
    pthread_create(&writer, 0, append, 0);
    pthread_create(&rotator, 0, rotate, &rotated);
    pthread_join(writer, 0);
    pthread_join(rotator, 0);
    assert(rotated + journal.used == 2 * LINE);
    assert(journal.lines * LINE == journal.used);
    return 0;
}
