// Strings. Every character is read once, so that what another thread writes meanwhile is seen at most once.

#include <stddef.h>

void *malloc(size_t size);

size_t strlen(const char *text) {
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

size_t strnlen(const char *text, size_t limit) {
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n;
}

int strncmp(const char *a, const char *b, size_t limit) {
    for (size_t i = 0; i < limit; i++) {
        unsigned char p = (unsigned char)a[i], q = (unsigned char)b[i];
        if (p != q)
            return p < q ? -1 : 1;
        if (!p)
            return 0;
    }
    return 0;
}

int strcmp(const char *a, const char *b) {
    return strncmp(a, b, (size_t)-1);
}

char *strcpy(char *restrict to, const char *restrict from) {
    size_t i = 0;
    char c;
    do {
        c = from[i];
        to[i++] = c;
    } while (c);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t size) {
    size_t i = 0;
    for (; i < size; i++) {
        char c = from[i];
        to[i] = c;
        if (!c)
            break;
    }
    for (; i < size; i++)
        to[i] = 0;
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t limit) {
    char *end = to + strlen(to);
    for (size_t i = 0; i < limit; i++) {
        char c = from[i];
        *end = c;
        if (!c)
            return to;
        end++;
    }
    *end = 0;
    return to;
}

char *strchr(const char *text, int wanted) {
    for (;; text++) {
        char c = *text;
        if (c == (char)wanted)
            return (char *)text;
        if (!c)
            return NULL;
    }
}

char *strrchr(const char *text, int wanted) {
    char *last = NULL;
    for (;; text++) {
        char c = *text;
        if (c == (char)wanted)
            last = (char *)text;
        if (!c)
            return last;
    }
}

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        for (size_t i = 0; i < size; i++)
            copy[i] = text[i];
    return copy;
}
