// A thread tells main by a signal that it is done. Main has blocked the signal, so it finds it whenever it looks.
// explore: safe
// native: same
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t told;
static int result;

static void on_signal(int signal) {
    told = signal;
}

static void *work(void *unused) {
    result = 42;
    kill(getpid(), SIGUSR1);
    return 0;
}

int main(void) {
    sigset_t mask, before;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, &before);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, 0);
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    while (!told)
        sigsuspend(&before);
    assert(told == SIGUSR1);
    pthread_join(worker, 0);
    assert(result == 42);
    return 0;
}
