// A compressor with a hash table of the last places, greedy matches, and output; then back again. With two parts a lock
// protects the count of bytes that both keep.
#include "kernel.h"
#include <string.h>

#ifndef SIZE
#define SIZE 600000
#endif
#define HASH_BITS 12

static unsigned char input[PARTS][SIZE], output[PARTS][SIZE + SIZE / 8 + 64], again[PARTS][SIZE];
static uint32_t heads[PARTS][1 << HASH_BITS];
static uint64_t total;

#if PARTS > 1 && !defined(SEQUENTIAL)
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() (void)0
#define UNLOCK() (void)0
#endif

static void count(uint32_t bytes) {
    LOCK();
    total += bytes;
    UNLOCK();
}

static void make_text(unsigned char *to, uint32_t seed) {
    static const char words[8][8] = {"order", "thread", "lock", "the", "of", "run", "point", "machine"};
    uint32_t state = seed, at = 0;
    while (at + 10 < SIZE) {
        const char *word = words[next_random(&state) & 7];
        for (int i = 0; word[i]; i++)
            to[at++] = (unsigned char)word[i];
        to[at++] = next_random(&state) % 13 ? ' ' : (unsigned char)('A' + next_random(&state) % 26);
    }
    while (at < SIZE)
        to[at++] = '.';
}

static uint32_t hash(const unsigned char *p) {
    uint32_t v = p[0] | p[1] << 8 | p[2] << 16;
    return v * 2654435761u >> (32 - HASH_BITS);
}

static uint32_t deflate_part(const unsigned char *in, unsigned char *out, uint32_t *head) {
    uint32_t at = 0, to = 0;
    while (at + 3 < SIZE) {
        uint32_t slot = hash(in + at), place = head[slot], length = 0;
        head[slot] = at + 1;
        if (place && at + 1 - place < 60000) {
            const unsigned char *match = in + place - 1;
            while (at + length < SIZE && length < 255 && match[length] == in[at + length])
                length++;
        }
        if (length >= 4) {
            uint32_t distance = at + 1 - place;
            out[to++] = 1;
            out[to++] = (unsigned char)length;
            out[to++] = (unsigned char)distance;
            out[to++] = (unsigned char)(distance >> 8);
            at += length;
            if ((at & 7) == 0)
                count(length);
        } else {
            out[to++] = 0;
            out[to++] = in[at++];
        }
        if (to + 8 > SIZE)
            break;
    }
    while (at < SIZE && to + 2 < SIZE + SIZE / 8) {
        out[to++] = 0;
        out[to++] = in[at++];
    }
    return to;
}

static uint32_t inflate_part(const unsigned char *in, uint32_t size, unsigned char *out) {
    uint32_t at = 0, to = 0;
    while (at < size && to < SIZE) {
        if (in[at] == 0) {
            out[to++] = in[at + 1];
            at += 2;
            continue;
        }
        uint32_t length = in[at + 1], distance = in[at + 2] | in[at + 3] << 8;
        for (uint32_t i = 0; i < length && to < SIZE; i++, to++)
            out[to] = out[to - distance];
        at += 4;
    }
    return to;
}

static uint64_t body(int part) {
    make_text(input[part], 88172645u + part);
    uint32_t size = deflate_part(input[part], output[part], heads[part]);
    uint32_t back = inflate_part(output[part], size, again[part]);
    uint32_t same = 0;
    for (uint32_t i = 0; i < back; i++)
        same += input[part][i] == again[part][i];
    return (uint64_t)size << 32 | same;
}
