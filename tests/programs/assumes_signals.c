// Wrong if a signal comes between the two lines: nobody sends one here, but somebody outside could.
// explore: safe
// assumes: no asynchronous signals
#include <assert.h>
#include <signal.h>

volatile sig_atomic_t steps;

void handler(int number) {
    steps = 0;
}

int main(void) {
    signal(SIGUSR1, handler);
    steps = 1;
    assert(steps == 1);
    return 0;
}
