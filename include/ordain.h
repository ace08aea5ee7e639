/* What a program can say to Ordain. */
#ifndef ORDAIN_H
#define ORDAIN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `size` bytes at `data` become an input: they may have any value. `name` is for people.
   Ordain gives this function its meaning; the body is for builds without it, in which inputs are zero. */
__attribute__((weak)) void ordain_input(void *data, size_t size, const char *name) {
    (void)name;
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)data)[i] = 0;
}

/* Executions in which `condition` is 0 here do not count. */
__attribute__((weak)) void ordain_assume(int condition) {
    (void)condition;
}

/* What lies between these two is meant to be atomic. That makes it neither atomic nor anything else: it is what
   `ordain predict --regions marked` looks at. */
__attribute__((weak)) void ordain_atomic_begin(void) {}
__attribute__((weak)) void ordain_atomic_end(void) {}

#ifdef __cplusplus
}
#endif

#endif
