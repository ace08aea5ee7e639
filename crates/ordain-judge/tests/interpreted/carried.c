// Loops over memory that do something else beside: count, add up, remember the round before, end for two reasons.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 300 };

static unsigned char from[SIZE], to[SIZE];

// At -O0 all of these would be in memory; they are registers once locals are promoted.
static unsigned long count_down(unsigned char *target, unsigned long size, int byte) {
    unsigned long left = size;
    for (unsigned long i = 0; i < size; i++) {
        target[i] = (unsigned char)byte;
        left--;
    }
    return left;
}

static unsigned long add_up(unsigned char *target, const unsigned char *source, unsigned long size) {
    unsigned long sum = 7, before = 0, last = 0;
    for (unsigned long i = 0; i < size; i++) {
        unsigned char byte = source[i];
        target[i] = byte;
        sum = sum * 31 + byte;
        before = last;
        last = byte;
    }
    return sum + before * 1000 + last;
}

static unsigned long two_limits(unsigned char *target, const unsigned char *source, unsigned long size, unsigned long room) {
    unsigned long i = 0;
    while (i < size) {
        if (!(i < room))
            break;
        target[i] = source[i];
        i++;
    }
    return i;
}

static unsigned long asked_twice(unsigned char *target, unsigned long size, unsigned long other) {
    unsigned long i = 0;
    int within = 0;
    for (; i < size; i++) {
        within = i < other;
        target[i] = 3;
    }
    return i * 2 + (unsigned long)within;
}

static void *work(void *argument) {
    (void)argument;
    for (unsigned i = 0; i < SIZE; i++)
        from[i] = (unsigned char)(i * 13);
    unsigned long sum = 0;
    for (unsigned long size = 0; size < 250; size += 1 + size) {
        sum = sum * 17 + count_down(to, size, 5);
        sum = sum * 17 + add_up(to, from, size);
        sum = sum * 17 + two_limits(to, from, size, 40);
        sum = sum * 17 + two_limits(to, from, 40, size);
        sum = sum * 17 + asked_twice(to, size, 20);
        sum = sum * 17 + to[60] + to[20];
    }
    printf("%lu\n", sum);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    work(0);
    return 0;
}
