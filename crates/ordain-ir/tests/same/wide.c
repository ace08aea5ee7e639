// 128-bit integers and long double.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static volatile uint64_t words[] = {0, 1, 2, 63, 64, 65, 127, 0xffffffffffffffff, 0x8000000000000000, 0x123456789abcdef0, 3};

#define COUNT(a) (int)(sizeof(a) / sizeof(*(a)))

static void show(const char *what, u128 x) {
    printf("%s %016lx%016lx\n", what, (unsigned long)(x >> 64), (unsigned long)x);
}

static void showl(const char *what, long double x) {
    uint64_t low;
    uint16_t high;
    if (x != x) {
        printf("%s nan\n", what);
        return;
    }
    memcpy(&low, &x, 8);
    memcpy(&high, (char *)&x + 8, 2);
    printf("%s %04x%016lx\n", what, high, (unsigned long)low);
}

static u128 twice(u128 x) {
    return x + x;
}

static void integers(u128 a, u128 b) {
    i128 s = (i128)a, t = (i128)b;
    show("+", a + b);
    show("-", a - b);
    show("*", a * b);
    show("&^|", (a & b) ^ (a | ~b));
    if (b) {
        show("/", a / b);
        show("%", a % b);
        if (t != -1) {
            show("s/", (u128)(s / t));
            show("s%", (u128)(s % t));
        }
    }
    int by = (int)(b & 127);
    show("<<", a << by);
    show(">>", a >> by);
    show("s>>", (u128)(s >> by));
    show("rotate", a << by | a >> (-by & 127));
    printf("%d%d%d%d%d%d%d%d\n", a < b, a <= b, a == b, a != b, s < t, s <= t, s > t, s >= t);
    show("twice", twice(a));
    show("choice", s < t ? a : b);
    printf("%d %d %d\n", __builtin_popcountll(a >> 64) + __builtin_popcountll(a), (int)(a >> 100), (short)(s >> 120));
    i128 result;
    printf("%d", __builtin_add_overflow(s, t, &result));
    show(" sum", (u128)result);
    printf("%d", __builtin_sub_overflow(s, t, &result));
    show(" difference", (u128)result);
}

static void conversions(u128 a) {
    double d = (double)a, e = (double)(i128)a;
    uint64_t bits;
    memcpy(&bits, &d, 8);
    printf("double %016lx", (unsigned long)bits);
    memcpy(&bits, &e, 8);
    printf(" %016lx\n", (unsigned long)bits);
    show("back", (u128)(d / 2));
    show("signed back", (u128)(i128)(e / 2));
    showl("long double", (long double)a);
    showl("long double", (long double)(i128)a);
}

static volatile long double numbers[] = {0.0L, -0.0L, 1.0L, -2.5L, 0.1L, 1e4000L, 1e-4940L, 123456789.987654321L, -1e18L, 7.0L};

static long double scaled(long double x, int by) {
    return by ? x * 2 : x;
}

static void reals(long double a, long double b) {
    showl("+", a + b);
    showl("-", a - b);
    showl("*", a * b);
    showl("/", a / b);
    showl("neg", -a);
    showl("fabs", fabsl(a));
    showl("sqrt", sqrtl(fabsl(a)));
    showl("floor", floorl(a));
    showl("ceil", ceill(b));
    showl("trunc", truncl(a));
    showl("scaled", scaled(a, b > 0));
    printf("%d%d%d%d%d\n", a < b, a <= b, a == b, a != b, a > b);
    printf("%d%d%d\n", !!isnan(a), !!isinf(a * a), !!isfinite(a));
    printf("%016lx\n", (unsigned long)(uint64_t)(double)a);
    if (fabsl(a) < 1e18L)
        printf("%ld %d %lu\n", (long)a, (int)(a / 1e9L), (unsigned long)fabsl(a));
    showl("from int", (int)words[9] + (long double)words[7]);
    showl("from float", (float)b);
}

int main(void) {
    for (int i = 0; i < COUNT(words); i++) {
        for (int j = 0; j < COUNT(words); j++) {
            u128 a = (u128)words[i] << 64 | words[j], b = (u128)words[j] << 64 | words[(i + j) % COUNT(words)];
            integers(a, b);
            integers(a, words[i]);
            integers(words[j], b);
        }
        conversions((u128)words[i] << 64 | words[(i + 3) % COUNT(words)]);
    }
    for (int i = 0; i < COUNT(numbers); i++)
        for (int j = 0; j < COUNT(numbers); j++)
            reals(numbers[i], numbers[j]);
    return 0;
}
