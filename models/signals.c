// Signals that a program sends to itself. None come from outside, so they happen only where the program asks for them:
// a signal is delivered by the call that sends it, that unblocks it, or that waits for it.
//
// There is one mask of blocked signals, set by one thread (threads inherit it); a program whose threads differ in what
// they block is not understood, and told so.

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// Without a model, on purpose: calling one says so, by its name.
void signal_masks_that_differ_between_threads(void);
void alarms(void);

#define SIGNALS 65
#define BIT(signal) (1ul << ((signal) - 1))

// What `handler` means; kept apart, since whoever compares pointers seems to care where things lie in memory.
enum kind { DEFAULT, IGNORE, CALL };

struct action {
    atomic_int kind;
    _Atomic(void (*)(int)) handler;
    _Atomic unsigned long mask;
    atomic_int flags;
};

static struct action actions[SIGNALS];
static _Atomic unsigned long blocked, pending;
static _Atomic pthread_t mask_owner;

static int is_signal(int signal) {
    return signal > 0 && signal < SIGNALS;
}

static int refuse(int error) {
    errno = error;
    return -1;
}

static unsigned long *bits(const sigset_t *set) {
    return (unsigned long *)set;
}

int sigemptyset(sigset_t *set) {
    for (size_t i = 0; i < sizeof *set / sizeof(unsigned long); i++)
        bits(set)[i] = 0;
    return 0;
}

int sigfillset(sigset_t *set) {
    for (size_t i = 0; i < sizeof *set / sizeof(unsigned long); i++)
        bits(set)[i] = ~0ul;
    return 0;
}

int sigaddset(sigset_t *set, int signal) {
    if (!is_signal(signal))
        return refuse(EINVAL);
    *bits(set) |= BIT(signal);
    return 0;
}

int sigdelset(sigset_t *set, int signal) {
    if (!is_signal(signal))
        return refuse(EINVAL);
    *bits(set) &= ~BIT(signal);
    return 0;
}

int sigismember(const sigset_t *set, int signal) {
    if (!is_signal(signal))
        return refuse(EINVAL);
    return (*bits(set) & BIT(signal)) != 0;
}

static void act_by_default(int signal) {
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
        return;
    case SIGABRT:
        abort();
    default:
        _exit(128 + signal);
    }
}

static void deliver(int signal) {
    struct action *action = &actions[signal];
    int kind = action->kind;
    if (kind == DEFAULT)
        act_by_default(signal);
    if (kind != CALL)
        return;
    void (*handler)(int) = action->handler;
    int flags = action->flags;
    if (flags & (int)SA_RESETHAND)
        action->kind = DEFAULT;
    unsigned long before = blocked;
    blocked |= action->mask | (flags & SA_NODEFER ? 0 : BIT(signal));
    if (flags & SA_SIGINFO) {
        siginfo_t info = {.si_signo = signal};
        ((void (*)(int, siginfo_t *, void *))(void (*)(void))handler)(signal, &info, NULL);
    } else {
        handler(signal);
    }
    blocked = before;
}

// Delivers what is pending and not among `held`.
static void deliver_pending(unsigned long held) {
    unsigned long ready = pending & ~held;
    if (!ready)
        return;
    for (int signal = 1; signal < SIGNALS; signal++)
        // Looked at again: the handler of another may have let it through.
        if (ready >> (signal - 1) & 1 && pending >> (signal - 1) & 1) {
            pending &= ~BIT(signal);
            deliver(signal);
        }
}

static void deliver_now(int signal) {
    deliver(signal);
    // What came while the handler held it back.
    deliver_pending(blocked);
}

int raise(int signal) {
    if (!is_signal(signal))
        return refuse(EINVAL);
    if (blocked & BIT(signal))
        pending |= BIT(signal);
    else
        deliver_now(signal);
    return 0;
}

int kill(pid_t process, int signal) {
    if (process != 0 && process != getpid())
        return refuse(EPERM);
    if (signal == 0)
        return 0;
    return raise(signal);
}

int sigaction(int signal, const struct sigaction *restrict new, struct sigaction *restrict old) {
    if (!is_signal(signal) || (new && (signal == SIGKILL || signal == SIGSTOP)))
        return refuse(EINVAL);
    struct action *action = &actions[signal];
    if (old) {
        int kind = action->kind;
        old->sa_handler = kind == CALL ? action->handler : kind == IGNORE ? SIG_IGN : SIG_DFL;
        sigemptyset(&old->sa_mask);
        *bits(&old->sa_mask) = action->mask;
        old->sa_flags = action->flags;
    }
    if (new) {
        action->kind = new->sa_handler == SIG_IGN ? IGNORE : new->sa_handler == SIG_DFL ? DEFAULT : CALL;
        action->handler = new->sa_handler;
        action->mask = *bits(&new->sa_mask);
        action->flags = new->sa_flags;
        if (new->sa_handler == SIG_IGN)
            pending &= ~BIT(signal);
    }
    return 0;
}

static void (*set_handler(int signal, void (*handler)(int), int flags))(int) {
    struct sigaction new = {.sa_handler = handler, .sa_flags = flags}, old;
    if (sigaction(signal, &new, &old) != 0)
        return SIG_ERR;
    return old.sa_handler;
}

void (*signal(int signal, void (*handler)(int)))(int) {
    return set_handler(signal, handler, SA_RESTART);
}

// What signal means to programs that ask for strict C or POSIX.
void (*__sysv_signal(int signal, void (*handler)(int)))(int) {
    return set_handler(signal, handler, (int)(SA_RESETHAND | SA_NODEFER));
}

int pthread_sigmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
    unsigned long before = blocked;
    if (old) {
        sigemptyset(old);
        *bits(old) = before;
    }
    if (!new)
        return 0;
    unsigned long after = *bits(new) & ~(BIT(SIGKILL) | BIT(SIGSTOP));
    if (how == SIG_BLOCK)
        after |= before;
    else if (how == SIG_UNBLOCK)
        after = before & ~*bits(new);
    else if (how != SIG_SETMASK)
        return EINVAL;
    if (after == before)
        return 0;
    pthread_t nobody = 0;
    if (!atomic_compare_exchange_strong(&mask_owner, &nobody, pthread_self()) && nobody != pthread_self())
        signal_masks_that_differ_between_threads();
    blocked = after;
    deliver_pending(after);
    return 0;
}

int sigprocmask(int how, const sigset_t *restrict new, sigset_t *restrict old) {
    int error = pthread_sigmask(how, new, old);
    return error ? refuse(error) : 0;
}

int sigpending(sigset_t *set) {
    sigemptyset(set);
    *bits(set) = pending & blocked;
    return 0;
}

int sigsuspend(const sigset_t *set) {
    unsigned long held = *bits(set);
    while (!(pending & ~held))
        ;
    unsigned long before = blocked;
    blocked = held;
    deliver_pending(held);
    blocked = before;
    return refuse(EINTR);
}

unsigned alarm(unsigned seconds) {
    if (seconds)
        alarms();
    return 0;
}
