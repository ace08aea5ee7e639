// Bytes in an array: the sieve of Eratosthenes, one array per part.
#include "kernel.h"

#ifndef LIMIT
#define LIMIT 4000000
#endif

static unsigned char composite[PARTS][LIMIT];

static uint64_t body(int part) {
    unsigned char *marks = composite[part];
    uint64_t sum = 0;
    for (uint32_t i = 2 + part; i < LIMIT; i++) {
        if (marks[i])
            continue;
        sum += i;
        for (uint64_t j = (uint64_t)i * i; j < LIMIT; j += i)
            marks[j] = 1;
    }
    return sum;
}
