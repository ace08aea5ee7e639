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

#ifdef __cplusplus
}
#endif

#endif
