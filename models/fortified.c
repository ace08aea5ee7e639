// What the C library's headers put in the place of copying functions when they know how large the target is.

#include <stddef.h>

void abort(void);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t size);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t limit);
char *stpcpy(char *restrict to, const char *restrict from);

static void check(size_t needed, size_t room) {
    if (needed > room)
        abort();
}

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t size, size_t room) {
    check(size, room);
    return memcpy(to, from, size);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t room) {
    check(size, room);
    return memmove(to, from, size);
}

void *__memset_chk(void *to, int byte, size_t size, size_t room) {
    check(size, room);
    return memset(to, byte, size);
}

char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room) {
    check(strlen(from) + 1, room);
    return strcpy(to, from);
}

char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room) {
    check(strlen(from) + 1, room);
    return stpcpy(to, from);
}

char *__strncpy_chk(char *restrict to, const char *restrict from, size_t size, size_t room) {
    check(size, room);
    return strncpy(to, from, size);
}

char *__strcat_chk(char *restrict to, const char *restrict from, size_t room) {
    check(strlen(to) + strlen(from) + 1, room);
    return strcat(to, from);
}

char *__strncat_chk(char *restrict to, const char *restrict from, size_t limit, size_t room) {
    check(strlen(to) + strnlen(from, limit) + 1, room);
    return strncat(to, from, limit);
}
