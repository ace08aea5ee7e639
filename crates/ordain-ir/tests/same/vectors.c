// Vectors, by clang's extension and (optimised) by its vectoriser.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int v4i __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));
typedef double v2d __attribute__((vector_size(16)));
typedef unsigned char v16b __attribute__((vector_size(16)));
typedef unsigned short v8s __attribute__((vector_size(16)));
typedef long v8l __attribute__((vector_size(64)));
typedef int v3i __attribute__((ext_vector_type(3)));

static volatile int seed = 12345;

static int next(void) {
    seed = (int)((unsigned)seed * 1103515245u + 12345u);
    return seed >> 8;
}

static void show(const char *what, const void *data, int bytes) {
    printf("%s", what);
    for (int i = 0; i < bytes; i++)
        printf(" %02x", ((const unsigned char *)data)[i]);
    printf("\n");
}

static v4i mix(v4i a, v4i b, int n) {
    v4i c = a + b * 3 - (a ^ b);
    c[n & 3] = 7;
    return c << (b & 15);
}

static void explicit_vectors(void) {
    v4i a = {next(), next(), next(), next()}, b = {next(), next(), next(), next() | 1};
    v4i c = mix(a, b, next());
    show("mix", &c, sizeof c);
    b |= 1;
    c = a / b + a % b;
    show("divided", &c, sizeof c);
    c = a > b;
    show("compared", &c, sizeof c);
    c = ((a > b) & a) | (~(a > b) & b);
    show("chosen", &c, sizeof c);
    c = __builtin_shufflevector(a, b, 7, 0, 2, 5);
    show("shuffled", &c, sizeof c);
    v16b bytes = (v16b)a;
    bytes = bytes * bytes + 1;
    show("bytes", &bytes, sizeof bytes);
    v8s shorts = (v8s)bytes >> 3;
    show("shorts", &shorts, sizeof shorts);
    v4f f = __builtin_convertvector(a, v4f);
    f = f * 0.5f - 1.0f;
    show("floats", &f, sizeof f);
    v4i back = __builtin_convertvector(f, v4i);
    show("back", &back, sizeof back);
    v2d d = {f[0], f[3]};
    d = d / 3.0 + d;
    show("doubles", &d, sizeof d);
    v8l wide = {1, 2, 3, 4, 5, 6, 7, next()};
    wide = wide * wide - 5;
    show("wide", &wide, sizeof wide);
    v3i odd = {next(), next(), next()};
    odd = odd * 3;
    show("odd", &odd, 12);
    printf("%d %d\n", __builtin_reduce_add(a), __builtin_reduce_max(b));
    printf("%d %d\n", __builtin_reduce_xor(a), __builtin_reduce_min(a));
    c = __builtin_elementwise_popcount(a);
    show("popcount", &c, sizeof c);
    f = -__builtin_elementwise_abs(f);
    show("abs", &f, sizeof f);
}

static int ints[257], others[257];
static double reals[257];
static unsigned char text[1024], copy[1024];

static void loops(void) {
    int n = 250 + (next() & 7);
    for (int i = 0; i < n; i++) {
        ints[i] = next();
        others[i] = next() & 31;
        reals[i] = ints[i] / 1000.0;
    }
    int sum = 0, most = 0, found = 0;
    unsigned hash = 0;
    for (int i = 0; i < n; i++)
        sum += ints[i] * others[i];
    for (int i = 0; i < n; i++)
        most = ints[i] > most ? ints[i] : most;
    for (int i = 0; i < n; i++)
        found += others[i] == 3;
    for (int i = 0; i < n; i++)
        hash ^= (unsigned)ints[i] >> others[i];
    for (int i = 0; i < n; i++)
        reals[i] = reals[i] * 2.5 + others[i];
    for (int i = 0; i < 1024; i++)
        text[i] = (unsigned char)(i * 7 + n);
    for (int i = 0; i < 1024; i++)
        copy[i] = text[i] > 100 ? text[i] - 100 : text[1023 - i];
    printf("%d %d %d %u\n", sum, most, found, hash);
    show("reals", reals, 64);
    show("copy", copy, 64);
    unsigned long wide = 0;
    for (int i = 0; i < 1024; i++)
        wide += copy[i] * (unsigned long)text[i];
    printf("%lu\n", wide);
}

struct cell {
    int first, rest[3];
};
static struct cell cells[64];
static int *places[64], *others_places[64];

// Addresses by the vector, from one base and from many.
static void pointers(void) {
    for (int i = 0; i < 64; i++)
        places[i] = &cells[i].rest[1];
    for (int i = 0; i < 64; i++)
        others_places[i] = &ints[others[i]];
    for (int i = 0; i < 64; i++)
        *places[i] += *others_places[i];
    show("cells", cells, sizeof cells);
}

int main(void) {
    for (int i = 0; i < 5; i++) {
        explicit_vectors();
        loops();
        pointers();
    }
    return 0;
}
