// A structure that is passed by value, in a call that is the last thing its caller does.
#include <stdio.h>
#include <stdlib.h>

struct memory {
    void *(*allocate)(void *, size_t);
    void (*release)(void *, void *);
    void *context;
};

static void *allocate(void *context, size_t size) {
    ++*(int *)context; // private
    return malloc(size);
}

static void release(void *context, void *place) {
    --*(int *)context; // private
    free(place);
}

__attribute__((noinline)) static int *make(int value, struct memory memory) {
    int *place = memory.allocate(memory.context, sizeof *place);
    if (place)
        *place = value; // private
    return place;
}

__attribute__((noinline)) static int *make_default(int value, int *count) {
    return make(value, (struct memory){allocate, release, count});
}

int main(void) {
    int count = 0;
    int *place = make_default(4, &count);
    if (count != 1 || *place != 4)
        return 1;
    release(&count, place);
    return count;
}
