// The end of a process that has something to run there: handlers in the reverse order of their registration, then
// destructors. Programs without either leave by the plain `exit`.

#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_HANDLERS = 1024 };

// One of the three kinds of functions, and what it gets.
struct handler {
    void (*plain)(void);
    void (*with_argument)(void *);
    void (*with_status)(int, void *);
    void *argument;
};

static struct handler handlers[MOST_HANDLERS];
// How many slots are taken, and how many of them are filled.
static atomic_int taken, filled;

// Of destructors; defined with the program's own.
void __ordain_run_destructors(void);

static int add(struct handler handler) {
    int slot = atomic_fetch_add(&taken, 1);
    if (slot >= MOST_HANDLERS) {
        atomic_fetch_sub(&taken, 1);
        return -1;
    }
    handlers[slot] = handler;
    // In order, so that whoever leaves sees all that were filled.
    while (atomic_load(&filled) != slot)
        ;
    atomic_store(&filled, slot + 1);
    return 0;
}

int atexit(void (*function)(void)) {
    return add((struct handler){.plain = function});
}

int on_exit(void (*function)(int, void *), void *argument) {
    return add((struct handler){.with_status = function, .argument = argument});
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object) {
    (void)object;
    return add((struct handler){.with_argument = function, .argument = argument});
}

// A handler may register others, which run next, and may leave itself, which goes on with the rest.
void __ordain_exit(int status) {
    for (int count; (count = atomic_load(&filled)) > 0;) {
        struct handler next = handlers[count - 1];
        atomic_store(&taken, count - 1);
        atomic_store(&filled, count - 1);
        if (next.plain)
            next.plain();
        else if (next.with_argument)
            next.with_argument(next.argument);
        else
            next.with_status(status, next.argument);
    }
    __ordain_run_destructors();
    exit(status);
}
