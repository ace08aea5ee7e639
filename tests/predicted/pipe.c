// Something is handed over by a pipe that was made before there were threads. That the bytes come after they were written is no order that C
// knows of, so it is a race.
//
// The run: main to its wait, then the thread.
// predict: race:@look-@job
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int job, ends[2];

static void *work(void *arg) {
    char byte;
    (void)arg;
    if (read(ends[0], &byte, 1) == 1)
        printf("%d\n", job);  // @look
    return 0;
}

int main(void) {
    pthread_t thread;
    if (pipe(ends))
        return 1;
    pthread_create(&thread, 0, work, 0);
    job = 42;  // @job
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, 0);
    return 0;
}
