// Signals that a program sends to itself: masks, handlers, what is pending.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int caught, nested;

static void count(int signal) {
    caught = caught * 10 + (signal == SIGUSR1 ? 1 : 2);
}

static void raise_again(int signal) {
    if (nested++ == 0)
        raise(signal);
    caught = caught * 10 + nested;
}

static void with_info(int signal, siginfo_t *info, void *context) {
    (void)context;
    caught = info->si_signo == signal ? 7 : 8;
}

static void sets(void) {
    sigset_t set;
    sigfillset(&set);
    sigdelset(&set, SIGUSR1);
    printf("%d %d ", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    printf("%d %d ", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
    errno = 0;
    printf("%d %d %d %d\n", sigaddset(&set, 0), sigismember(&set, 99), sigdelset(&set, -1), errno);
}

static void masks(void) {
    sigset_t set, old, waiting;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    signal(SIGUSR1, count);
    signal(SIGUSR2, count);
    raise(SIGUSR2);
    printf("%d ", caught);
    printf("%d ", sigprocmask(SIG_BLOCK, &set, &old));
    kill(getpid(), SIGUSR1);
    sigpending(&waiting);
    printf("%d %d %d ", caught, sigismember(&waiting, SIGUSR1), sigismember(&waiting, SIGUSR2));
    printf("%d %d %d\n", sigsuspend(&old), errno, caught);
    raise(SIGUSR1);
    printf("%d ", caught);
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("%d %d %d\n", caught, sigprocmask(77, &set, NULL), errno);
}

int main(void) {
    sets();
    masks();
    struct sigaction action = {.sa_handler = raise_again}, old;
    caught = 0;
    printf("%d ", sigaction(SIGUSR1, &action, &old));
    printf("%d ", old.sa_handler == count);
    raise(SIGUSR1);
    printf("%d ", caught);
    action.sa_flags = SA_NODEFER;
    sigaction(SIGUSR1, &action, NULL);
    caught = nested = 0;
    raise(SIGUSR1);
    printf("%d ", caught);
    action.sa_sigaction = with_info;
    action.sa_flags = SA_SIGINFO | (int)SA_RESETHAND;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &old);
    printf("%d %d\n", caught, old.sa_handler == SIG_DFL);
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    printf("%d %d %d %d\n", caught, alarm(0), raise(99), kill(getpid(), 0));
    return 0;
}
