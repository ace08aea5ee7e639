// Sorting: the order of what compares equal, and which comparisons are made; searching; random numbers.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int key, place;
};

static long comparisons;

static int by_key(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    comparisons = comparisons * 31 + x->place * 7 + y->place;
    return (x->key > y->key) - (x->key < y->key);
}

static int bytes(const void *a, const void *b, void *direction) {
    return *(int *)direction * (*(const char *)a - *(const char *)b);
}

static int number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    for (int count = 0; count < 200; count += 1 + count / 5) {
        struct pair pairs[200];
        for (int i = 0; i < count; i++)
            pairs[i] = (struct pair){i * 7919 % 13, i};
        comparisons = 0;
        qsort(pairs, (size_t)count, sizeof pairs[0], by_key);
        long sum = 0;
        for (int i = 0; i < count; i++)
            sum = sum * 33 + pairs[i].place;
        printf("%d %ld %ld\n", count, sum, comparisons);
    }
    char text[] = "the quick brown fox jumps over the lazy dog";
    int direction = -1;
    qsort_r(text, strlen(text), 1, bytes, &direction);
    puts(text);
    int sorted[] = {1, 3, 5, 7, 7, 7, 9};
    for (int wanted = 0; wanted < 11; wanted++) {
        int *found = bsearch(&wanted, sorted, 7, sizeof sorted[0], number);
        printf("%ld ", found ? (long)(found - sorted) : -1L);
    }
    puts("");
    static const unsigned seeds[] = {0, 1, 42, 0x7fffffff, 0x80000000, 0xffffffff};
    printf("%d %ld\n", rand(), random());
    for (int s = 0; s < 6; s++) {
        srand(seeds[s]);
        unsigned own = seeds[s];
        for (int i = 0; i < 40; i++)
            printf("%d %d ", rand(), rand_r(&own));
        srandom(seeds[s] + 1);
        printf("%ld\n", random());
        srand48((long)seeds[s]);
        unsigned short state[3] = {1, 2, (unsigned short)seeds[s]};
        for (int i = 0; i < 5; i++)
            printf("%a %ld %ld %a %ld %ld ", drand48(), lrand48(), mrand48(), erand48(state), nrand48(state), jrand48(state));
        unsigned short *old = seed48(state);
        printf("%d %d %d %ld\n", old[0], old[1], old[2], lrand48());
    }
    return 0;
}
