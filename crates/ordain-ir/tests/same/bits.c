// Integers of all widths, shifts, bit fields, intrinsics.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct fields { unsigned a : 3; int b : 5; unsigned long c : 40; unsigned d : 1; };
struct __attribute__((packed)) odd { char c; int i; short s; long l; };
union both { uint64_t whole; uint8_t parts[8]; uint32_t halves[2]; };

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint32_t rotate(uint32_t x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }

int main(void) {
    struct fields f = { 5, -7, 0x12345678ab, 1 };
    struct odd o = { 1, -2, 3, -4 };
    union both u = { .whole = 0x1122334455667788 };
    uint64_t sum = 0;
    for (int i = 0; i < 50; i++) {
        uint64_t x = next();
        int8_t s8 = (int8_t)x;
        int16_t s16 = (int16_t)(x >> 8);
        int32_t s32 = (int32_t)(x >> 16);
        sum += (uint64_t)(s8 * 3) ^ (uint64_t)(s16 / 7) ^ (uint64_t)(s32 % 11);
        sum ^= (uint64_t)(s32 >> 3) + (x >> (i & 63)) + (x << (i & 31));
        sum += __builtin_popcountll(x) + __builtin_clzll(x | 1) + __builtin_ctzll(x | 1ull << 40) + __builtin_popcount((unsigned)s8);
        sum += __builtin_clz((uint32_t)x | 1) + __builtin_ctz((uint32_t)x | 1u << 20) + __builtin_bswap32((uint32_t)x) + __builtin_bswap64(x) + __builtin_bswap16((uint16_t)x);
        sum += rotate((uint32_t)x, i) + abs(s32 / 2) + labs(s32);
        int r32;
        long r64;
        unsigned long ru;
        sum += __builtin_add_overflow(s32, s16 * 65536, &r32) + (uint32_t)r32;
        sum += __builtin_sub_overflow(s32, s16 * 65536, &r32) + (uint32_t)r32;
        sum += __builtin_mul_overflow(s32, s16, &r32) + (uint32_t)r32;
        sum += __builtin_mul_overflow((long)x, (long)s16, &r64) + (uint64_t)r64;
        sum += __builtin_mul_overflow(x, (unsigned long)(uint16_t)s16, &ru) + ru;
        sum += __builtin_add_overflow(x, x, &ru) + __builtin_sub_overflow(x, sum, &ru);
        f.a += 3;
        f.b -= 2;
        f.c = f.c * 5 + i;
        f.d ^= 1;
        o.i += s32;
        o.l ^= (long)x;
        o.s += s16;
        u.halves[i & 1] += (uint32_t)x;
        u.parts[i & 7] ^= (uint8_t)i;
    }
    printf("%llu\n", (unsigned long long)sum);
    printf("%u %d %llu %u\n", f.a, f.b, (unsigned long long)f.c, f.d);
    printf("%d %d %d %ld\n", o.c, o.i, o.s, o.l);
    printf("%llx %d %d\n", (unsigned long long)u.whole, INT_MIN / 3, -7 % 3);
    return (int)(sum & 0x7f);
}
