/* What a program can say to Ordain. */
#ifndef ORDAIN_H
#define ORDAIN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `size` bytes at `data` become an input: they may have any value. `name` is for people. */
void ordain_input(void *data, size_t size, const char *name);

/* Executions in which `condition` is 0 here do not count. */
void ordain_assume(int condition);

#ifdef __cplusplus
}
#endif

#endif
