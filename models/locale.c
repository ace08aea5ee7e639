// The C locale, which is the only one: a character is a byte, and only ASCII has a meaning.

#include <errno.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

char *setlocale(int category, const char *name) {
    (void)category;
    if (!name || *name == '\0' || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0)
        return "C";
    return NULL;
}

size_t __ctype_get_mb_cur_max(void) {
    return 1;
}

int mbsinit(const mbstate_t *state) {
    (void)state;
    return 1;
}

size_t mbrtowc(wchar_t *restrict to, const char *restrict from, size_t size, mbstate_t *restrict state) {
    (void)state;
    if (!from)
        return 0;
    if (size == 0)
        return (size_t)-2;
    unsigned char byte = (unsigned char)*from;
    if (byte > 127) {
        errno = EILSEQ;
        return (size_t)-1;
    }
    if (to)
        *to = byte;
    return byte != 0;
}

int wcwidth(wchar_t character) {
    if (character == 0)
        return 0;
    return character >= ' ' && character < 127 ? 1 : -1;
}
