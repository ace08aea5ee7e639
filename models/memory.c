// Blocks of memory. Word by word where both blocks allow it, as a C library would do at best: each access of these
// loops is one that another thread can come between.

#include <stddef.h>
#include <stdint.h>

static int words_match(const void *a, const void *b) {
    return ((uintptr_t)a & 7) == 0 && ((uintptr_t)b & 7) == 0;
}

void *__ordain_memcpy(void *restrict to, const void *restrict from, size_t size) {
    size_t i = 0;
    if (words_match(to, from))
        for (; i + 8 <= size; i += 8)
            *(uint64_t *)((char *)to + i) = *(const uint64_t *)((const char *)from + i);
    for (; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *__ordain_memmove(void *to, const void *from, size_t size) {
    if ((uintptr_t)to - (uintptr_t)from >= size)
        return __ordain_memcpy(to, from, size);
    size_t i = size;
    if (words_match((char *)to + size, (const char *)from + size))
        for (; i >= 8; i -= 8)
            *(uint64_t *)((char *)to + i - 8) = *(const uint64_t *)((const char *)from + i - 8);
    for (; i > 0; i--)
        ((char *)to)[i - 1] = ((const char *)from)[i - 1];
    return to;
}

void *__ordain_memset(void *to, int byte, size_t size) {
    size_t i = 0;
    if (words_match(to, to))
        for (; i + 8 <= size; i += 8)
            *(uint64_t *)((char *)to + i) = (uint64_t)(unsigned char)byte * 0x0101010101010101u;
    for (; i < size; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    return __ordain_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size) {
    return __ordain_memmove(to, from, size);
}

void *memset(void *to, int byte, size_t size) {
    return __ordain_memset(to, byte, size);
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++) {
        unsigned char p = x[i], q = y[i];
        if (p != q)
            return p < q ? -1 : 1;
    }
    return 0;
}

void *memchr(const void *block, int byte, size_t size) {
    const unsigned char *p = block;
    for (size_t i = 0; i < size; i++)
        if (p[i] == (unsigned char)byte)
            return (void *)(p + i);
    return NULL;
}

void bzero(void *to, size_t size) {
    __ordain_memset(to, 0, size);
}

void *memrchr(const void *block, int byte, size_t size) {
    const unsigned char *p = block;
    while (size-- > 0)
        if (p[size] == (unsigned char)byte)
            return (void *)(p + size);
    return NULL;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
    return (char *)__ordain_memcpy(to, from, size) + size;
}

void *memccpy(void *restrict to, const void *restrict from, int last, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char c = ((const unsigned char *)from)[i];
        ((unsigned char *)to)[i] = c;
        if (c == (unsigned char)last)
            return (char *)to + i + 1;
    }
    return NULL;
}

void *memmem(const void *block, size_t size, const void *wanted, size_t length) {
    const char *p = block;
    for (size_t i = 0; length <= size && i <= size - length; i++)
        if (memcmp(p + i, wanted, length) == 0)
            return (void *)(p + i);
    return NULL;
}

void explicit_bzero(void *to, size_t size) {
    __ordain_memset(to, 0, size);
}

void *rawmemchr(const void *block, int byte) {
    const unsigned char *p = block;
    while (*p != (unsigned char)byte)
        p++;
    return (void *)p;
}
