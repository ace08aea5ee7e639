// The same with the signal not blocked: it can come between the look and the wait, and then nothing comes any more.
// explore: bug deadlock:26
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile _Atomic int told;

static void on_signal(int signal) {
    told = signal;
}

static void *work(void *unused) {
    kill(getpid(), SIGUSR1);
    return 0;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, 0);
    pthread_t worker;
    pthread_create(&worker, 0, work, 0);
    sigset_t none;
    sigemptyset(&none);
    if (!told)
        sigsuspend(&none);
    pthread_join(worker, 0);
    return 0;
}
