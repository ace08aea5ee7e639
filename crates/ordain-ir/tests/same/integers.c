// Integers of odd widths, checked and saturating arithmetic, counting of bits, bit-fields.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile long values[] = {0, 1, -1, 2, 7, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN, 0x123456789, -0x7654321, 255, 1L << 33};

#define COUNT (int)(sizeof(values) / sizeof(*values))

typedef _BitInt(33) i33;
typedef unsigned _BitInt(7) u7;
typedef unsigned _BitInt(100) u100;

#define CHECKED(type, op)                                                         \
    do {                                                                          \
        type result;                                                              \
        int overflow = __builtin_##op##_overflow((type)a, (type)b, &result);      \
        printf(#type " " #op " %d %ld\n", overflow, (long)result);                \
    } while (0)
#define CHECKED_ALL(type) \
    do {                  \
        CHECKED(type, add); \
        CHECKED(type, sub); \
        CHECKED(type, mul); \
    } while (0)

static void checked(long a, long b) {
    CHECKED_ALL(signed char);
    CHECKED_ALL(unsigned short);
    CHECKED_ALL(int);
    CHECKED_ALL(unsigned);
    CHECKED_ALL(long);
    CHECKED_ALL(unsigned long);
    CHECKED_ALL(i33);
    int narrow;
    printf("mixed %d\n", __builtin_mul_overflow(a, b, &narrow));
}

static void odd(long a, long b) {
    i33 x = (i33)a, y = (i33)b;
    printf("i33 %ld %ld %ld %d\n", (long)(i33)((x & 0xffff) * 3 - (y >> 3)), (long)(x ^ y), (long)(x >> 2), x < y);
    u7 small = (u7)a;
    small += (u7)b;
    printf("u7 %d\n", (int)small);
    u100 wide = (u100)(unsigned long)a * (u100)(unsigned long)b;
    printf("u100 %lx %lx %d\n", (unsigned long)(wide >> 64), (unsigned long)wide, wide > (u100)a);
    if (b)
        printf("u100/ %lx\n", (unsigned long)(wide / (u100)(unsigned long)b));
    printf("saturated %ld %ld %d %u\n", __builtin_elementwise_add_sat(a, b), __builtin_elementwise_sub_sat(a, b),
           __builtin_elementwise_add_sat((int)a, (int)b), __builtin_elementwise_sub_sat((unsigned)a, (unsigned)b));
}

static void bits(unsigned long x) {
    unsigned n = x & 31;
    printf("ones %d %d\n", __builtin_popcountl(x), __builtin_popcount((unsigned)x));
    if (x)
        printf("zeros %d %d\n", __builtin_clzl(x), __builtin_ctzl(x));
    if ((unsigned)x)
        printf("zeros %d %d\n", __builtin_clz((unsigned)x), __builtin_ctz((unsigned)x));
    printf("swapped %lx %x %x\n", __builtin_bswap64(x), __builtin_bswap32((unsigned)x), __builtin_bswap16((unsigned short)x));
    printf("reversed %lx %x %x\n", __builtin_bitreverse64(x), __builtin_bitreverse32((unsigned)x), __builtin_bitreverse8((unsigned char)x));
    printf("rotated %x %lx\n", __builtin_rotateleft32((unsigned)x, n), __builtin_rotateright64(x, n));
    printf("parity %d %d\n", __builtin_parityl(x), __builtin_ffsl((long)x));
    printf("abs %ld %d\n", (long)x == LONG_MIN ? 0 : __builtin_labs((long)x), (int)x == INT_MIN ? 0 : __builtin_abs((int)x));
}

struct fields {
    unsigned a : 3;
    signed b : 5;
    unsigned long c : 37;
    unsigned d : 1;
};

struct large {
    struct fields f;
    int numbers[20];
    char name[13];
};

static struct large make(long x) {
    struct large result;
    memset(&result, 0, sizeof result);
    result.f.a = (unsigned)x;
    result.f.b = (signed)(x & 15);
    result.f.c = (unsigned long)x;
    result.f.d = x < 0;
    for (int i = 0; i < 20; i++)
        result.numbers[i] = (int)(x >> i);
    result.name[3] = (char)x;
    return result;
}

static long sum(struct large l, struct fields f) {
    long total = l.f.a + l.f.b + (long)l.f.c + f.d + f.a;
    for (int i = 0; i < 20; i++)
        total += l.numbers[i] * (i + 1L);
    l.numbers[0] = 0;
    return total + l.name[3];
}

// Not all bits of it are ever written.
static int partly_written(int x) {
    struct fields f;
    f.a = (unsigned)x;
    f.d = 1;
    return f.a == 3 ? 10 : f.d;
}

int main(void) {
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            checked(values[i], values[j]);
            odd(values[i], values[j]);
        }
        bits((unsigned long)values[i]);
        struct large l = make(values[i]);
        printf("sum %ld %d\n", sum(l, l.f), partly_written((int)values[i]));
    }
    return 0;
}
