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

char *strndup(const char *text, size_t limit) {
    size_t length = strnlen(text, limit);
    char *copy = malloc(length + 1);
    if (copy) {
        for (size_t i = 0; i < length; i++)
            copy[i] = text[i];
        copy[length] = 0;
    }
    return copy;
}

char *stpcpy(char *restrict to, const char *restrict from) {
    strcpy(to, from);
    return to + strlen(to);
}

char *stpncpy(char *restrict to, const char *restrict from, size_t size) {
    strncpy(to, from, size);
    return to + strnlen(to, size);
}

char *strchrnul(const char *text, int wanted) {
    while (*text && *text != (char)wanted)
        text++;
    return (char *)text;
}

// In the C locale texts are ordered by their bytes.
int strcoll(const char *a, const char *b) {
    return strcmp(a, b);
}

size_t strxfrm(char *restrict to, const char *restrict from, size_t size) {
    size_t length = strlen(from);
    if (size > 0)
        strncpy(to, from, size);
    return length;
}

char *strsep(char **rest, const char *separators) {
    char *start = *rest;
    if (!start)
        return NULL;
    for (char *p = start; *p; p++)
        if (strchr(separators, *p)) {
            *p = 0;
            *rest = p + 1;
            return start;
        }
    *rest = NULL;
    return start;
}
