// explore: safe
// native: same
// Second names, names that may be missing, and library functions as values.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int counter = 3;
extern int other_counter __attribute__((alias("counter")));
int tentative;

int add(int a, int b) {
    return a + b;
}
int plus(int a, int b) __attribute__((alias("add")));

__attribute__((weak)) int missing(void);
extern int nothing __attribute__((weak));

static int apply(int (*compare)(const char *, const char *), const char *a, const char *b) {
    return compare(a, b);
}

int main(void) {
    int (*function)(int, int) = plus;
    other_counter++;
    assert(counter == 4 && plus(1, 2) == 3 && function == add);
    assert(!missing && !&nothing && tentative == 0);
    assert(apply(strcmp, "a", "a") == 0 && apply(strcmp, "a", "b") < 0);
    void (*release)(void *) = free;
    void *(*get)(size_t) = malloc;
    int *p = get(sizeof *p);
    *p = counter;
    printf("%d\n", *p);
    release(p);
    return 0;
}
