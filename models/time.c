// Clocks and sleeping. Time is virtual: it passes by sleeping, and a little by looking at a clock. All clocks tell the same
// time, except those of the process, which began when it did.

#define _GNU_SOURCE
#include "primitives.h"
#include "system.h"
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { NANOSECONDS = 1000000000 };

// When virtual time begins.
static const long first_second = 1700000000;

static int is_clock(clockid_t clock) {
    return clock >= CLOCK_REALTIME && clock <= CLOCK_TAI && clock != 10;
}

static long now(clockid_t clock) {
    long nanoseconds = ordain_sys_clock();
    int own = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
    return own ? nanoseconds - first_second * NANOSECONDS : nanoseconds;
}

int clock_gettime(clockid_t clock, struct timespec *to) {
    if (!is_clock(clock)) {
        errno = EINVAL;
        return -1;
    }
    long nanoseconds = now(clock);
    to->tv_sec = nanoseconds / NANOSECONDS;
    to->tv_nsec = nanoseconds % NANOSECONDS;
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *to) {
    if (!is_clock(clock)) {
        errno = EINVAL;
        return -1;
    }
    if (to) {
        to->tv_sec = 0;
        to->tv_nsec = 1;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    (void)zone;
    long nanoseconds = now(CLOCK_REALTIME);
    to->tv_sec = nanoseconds / NANOSECONDS;
    to->tv_usec = nanoseconds % NANOSECONDS / 1000;
    return 0;
}

time_t time(time_t *to) {
    time_t seconds = now(CLOCK_REALTIME) / NANOSECONDS;
    if (to)
        *to = seconds;
    return seconds;
}

int timespec_get(struct timespec *to, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0;
}

clock_t clock(void) {
    return now(CLOCK_PROCESS_CPUTIME_ID) / 1000;
}

clock_t times(struct tms *to) {
    long hundredths = now(CLOCK_PROCESS_CPUTIME_ID) / 10000000;
    if (to)
        *to = (struct tms){.tms_utime = hundredths};
    return hundredths;
}

int getrusage(__rusage_who_t who, struct rusage *to) {
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD) {
        errno = EINVAL;
        return -1;
    }
    long nanoseconds = now(CLOCK_PROCESS_CPUTIME_ID);
    *to = (struct rusage){.ru_utime = {nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS / 1000}};
    return 0;
}

double difftime(time_t later, time_t earlier) {
    return (double)(later - earlier);
}

unsigned sleep(unsigned seconds) {
    ordain_cancellation_point();
    ordain_sys_sleep((uint64_t)seconds * NANOSECONDS);
    return 0;
}

int usleep(useconds_t microseconds) {
    ordain_cancellation_point();
    ordain_sys_sleep((uint64_t)microseconds * 1000);
    return 0;
}

static int is_duration(const struct timespec *length) {
    return length->tv_sec >= 0 && length->tv_nsec >= 0 && length->tv_nsec < NANOSECONDS;
}

int nanosleep(const struct timespec *length, struct timespec *left) {
    ordain_cancellation_point();
    (void)left;
    if (!is_duration(length)) {
        errno = EINVAL;
        return -1;
    }
    ordain_sys_sleep((uint64_t)length->tv_sec * NANOSECONDS + (uint64_t)length->tv_nsec);
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    ordain_cancellation_point();
    if (!is_duration(until) || !is_clock(clock))
        return EINVAL;
    if (!(flags & TIMER_ABSTIME))
        return nanosleep(until, left);
    long missing = until->tv_sec * NANOSECONDS + until->tv_nsec - now(clock);
    if (missing > 0)
        ordain_sys_sleep((uint64_t)missing);
    return 0;
}
