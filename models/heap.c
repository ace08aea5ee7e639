// C++'s operators new and delete.

#include <stddef.h>

void *malloc(size_t size);
void free(void *block);

// operator new(unsigned long), operator new[](unsigned long)
void *_Znwm(size_t size) {
    return malloc(size);
}

void *_Znam(size_t size) {
    return malloc(size);
}

// operator delete and operator delete[], each with and without the size
void _ZdlPv(void *block) {
    free(block);
}

void _ZdaPv(void *block) {
    free(block);
}

void _ZdlPvm(void *block, size_t size) {
    (void)size;
    free(block);
}

void _ZdaPvm(void *block, size_t size) {
    (void)size;
    free(block);
}
