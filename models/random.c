// Random numbers, with the sequences that the C library is known for.

#define _GNU_SOURCE
#include "system.h"
#include <stdlib.h>
#include <sys/random.h>

// random: each number is the sum of those 3 and 31 before it; the lowest bit is dropped. One lock for all threads.
enum { DEGREE = 31, SEPARATION = 3, DISCARDED = 310 };

static uint32_t state[DEGREE];
static int next_place, seeded;
static int lock;

static void acquire(void) {
    int open = 0;
    while (!__atomic_compare_exchange_n(&lock, &open, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        open = 0;
}

static void release(void) {
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static uint32_t advance(void) {
    int front = (next_place + SEPARATION) % DEGREE;
    uint32_t sum = state[front] += state[next_place];
    next_place = (next_place + 1) % DEGREE;
    return sum >> 1;
}

static void seed(unsigned value) {
    // Park and Miller's generator fills the table.
    int64_t word = value ? value : 1;
    word = (int32_t)word;
    for (int i = 0; i < DEGREE; i++) {
        state[i] = (uint32_t)word;
        word = word * 16807 % 2147483647;
        if (word < 0)
            word += 2147483647;
    }
    next_place = 0;
    seeded = 1;
    for (int i = 0; i < DISCARDED; i++)
        advance();
}

void srandom(unsigned value) {
    acquire();
    seed(value);
    release();
}

long random(void) {
    acquire();
    if (!seeded)
        seed(1);
    uint32_t number = advance();
    release();
    return number;
}

void srand(unsigned value) {
    srandom(value);
}

int rand(void) {
    return (int)random();
}

int rand_r(unsigned *seed) {
    unsigned next = *seed, result = 0;
    static const struct {
        unsigned bits, modulus;
    } steps[] = {{0, 2048}, {10, 1024}, {10, 1024}};
    for (int i = 0; i < 3; i++) {
        next = next * 1103515245 + 12345;
        result = (result << steps[i].bits) ^ (next / 65536 % steps[i].modulus);
    }
    *seed = next;
    return (int)result;
}

// drand48 and the like: 48 bits of a linear congruence.
static const uint64_t multiplier = 0x5deece66d, increment = 0xb, mask = 0xffffffffffff;
static unsigned short bits48[3] = {0, 0, 0};

static uint64_t step48(unsigned short place[3]) {
    uint64_t word = place[0] | (uint64_t)place[1] << 16 | (uint64_t)place[2] << 32;
    word = (word * multiplier + increment) & mask;
    place[0] = (unsigned short)word;
    place[1] = (unsigned short)(word >> 16);
    place[2] = (unsigned short)(word >> 32);
    return word;
}

double erand48(unsigned short place[3]) {
    // All 48 bits fit the fraction of a double.
    return (double)step48(place) / 281474976710656.0;
}

long nrand48(unsigned short place[3]) {
    return (long)(step48(place) >> 17);
}

long jrand48(unsigned short place[3]) {
    return (int32_t)(step48(place) >> 16);
}

double drand48(void) {
    return erand48(bits48);
}

long lrand48(void) {
    return nrand48(bits48);
}

long mrand48(void) {
    return jrand48(bits48);
}

void srand48(long value) {
    bits48[0] = 0x330e;
    bits48[1] = (unsigned short)value;
    bits48[2] = (unsigned short)(value >> 16);
}

unsigned short *seed48(unsigned short value[3]) {
    static unsigned short old[3];
    for (int i = 0; i < 3; i++) {
        old[i] = bits48[i];
        bits48[i] = value[i];
    }
    return old;
}

ssize_t getrandom(void *to, size_t size, unsigned flags) {
    (void)flags;
    return ordain_answer(ordain_sys_random(to, size));
}

int getentropy(void *to, size_t size) {
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    return ordain_answer(ordain_sys_random(to, size)) < 0 ? -1 : 0;
}
