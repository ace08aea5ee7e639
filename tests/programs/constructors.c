// explore: safe
// native: same
// What runs before main and after it, in the order of priorities.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static int stage, left;

__attribute__((constructor(102))) static void second(void) {
    assert(stage == 1);
    stage = 2;
}

__attribute__((constructor(101))) static void first(void) {
    assert(stage == 0);
    stage = 1;
}

__attribute__((constructor)) static void last(void) {
    assert(stage == 2);
    stage = 3;
}

__attribute__((destructor(101))) static void very_last(void) {
    assert(left == 4);
    puts("very last");
}

__attribute__((destructor)) static void after(void) {
    assert(left == 3);
    left = 4;
    puts("destructor");
}

static void handler(void) {
    assert(left == 2);
    left = 3;
    puts("registered first");
}

static void late(void) {
    assert(left == 1);
    left = 2;
    puts("registered by a handler");
}

static void other(void) {
    assert(left == 0);
    left = 1;
    puts("registered last");
    atexit(late);
}

int main(int argc, char **argv) {
    assert(stage == 3);
    atexit(handler);
    atexit(other);
    if (argc > 1)
        exit(0);
    return argv == NULL;
}
