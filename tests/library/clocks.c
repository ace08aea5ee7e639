// Clocks: what they show depends on where a program runs, that they go forward does not.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void) {
    double first = seconds(CLOCK_MONOTONIC);
    struct timespec pause = {0, 2000000}, wrong = {0, -1}, resolution, got;
    printf("%d ", nanosleep(&pause, NULL));
    printf("%d %d ", usleep(2000), sleep(0));
    errno = 0;
    printf("%d %d ", nanosleep(&wrong, NULL), errno);
    printf("%d ", clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL));
    printf("%d\n", seconds(CLOCK_MONOTONIC) - first >= 0.006);
    clock_gettime(CLOCK_REALTIME, &got);
    got.tv_nsec = 0;
    got.tv_sec++;
    printf("%d ", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &got, NULL));
    printf("%d\n", seconds(CLOCK_REALTIME) >= (double)got.tv_sec);
    struct timeval now;
    time_t kept;
    printf("%d %d ", gettimeofday(&now, NULL), now.tv_usec < 1000000);
    // This clock may be some milliseconds late.
    printf("%d ", time(&kept) >= now.tv_sec - 1 && kept > 1600000000);
    printf("%d %d ", timespec_get(&got, TIME_UTC) == TIME_UTC, got.tv_sec >= kept);
    printf("%d ", clock_getres(CLOCK_MONOTONIC, &resolution));
    printf("%d %d\n", clock_gettime(77, &got), clock() >= 0);
    struct tms used;
    struct rusage usage;
    printf("%d %d\n", times(&used) >= 0, getrusage(RUSAGE_SELF, &usage));
    return 0;
}
