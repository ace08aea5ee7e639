// Integers in registers: a digest of a block in the manner of the SHA family, and a table-driven checksum of it.
#include "kernel.h"

#define WORDS 1024
#ifndef ROUNDS
#define ROUNDS 200
#endif

static uint32_t table[PARTS][256];
static uint32_t block[PARTS][WORDS];

// Almost a rotation: compilers make an intrinsic of a real one, which the interpreter we compare with does not know.
static uint32_t rotate(uint32_t x, int by) {
    return x >> by ^ x << (31 - by);
}

static uint32_t mix(const uint32_t *words, uint32_t h[8]) {
    for (int i = 0; i < WORDS; i++) {
        uint32_t s1 = rotate(h[4], 6) ^ rotate(h[4], 11) ^ rotate(h[4], 25);
        uint32_t choice = (h[4] & h[5]) ^ (~h[4] & h[6]);
        uint32_t t1 = h[7] + s1 + choice + 0x428a2f98u + words[i];
        uint32_t s0 = rotate(h[0], 2) ^ rotate(h[0], 13) ^ rotate(h[0], 22);
        uint32_t majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
        for (int k = 7; k > 0; k--)
            h[k] = h[k - 1];
        h[4] += t1;
        h[0] = t1 + s0 + majority;
    }
    return h[0] ^ h[4];
}

static uint64_t body(int part) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t c = n;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[part][n] = c;
    }
    uint32_t state = 2463534242u + part;
    for (int i = 0; i < WORDS; i++)
        block[part][i] = next_random(&state);
    uint32_t h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, crc = 0;
    for (int round = 0; round < ROUNDS; round++) {
        block[part][round % WORDS] ^= mix(block[part], h);
        const unsigned char *bytes = (const unsigned char *)block[part];
        for (int i = 0; i < WORDS * 4; i++)
            crc = table[part][(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
    }
    return (uint64_t)crc << 32 | h[0];
}
