// Searching in strings.

#include <stddef.h>
#include <string.h>

size_t strspn(const char *text, const char *among) {
    size_t i = 0;
    while (text[i] && strchr(among, text[i]))
        i++;
    return i;
}

size_t strcspn(const char *text, const char *among) {
    size_t i = 0;
    while (text[i] && !strchr(among, text[i]))
        i++;
    return i;
}

char *strpbrk(const char *text, const char *among) {
    text += strcspn(text, among);
    return *text ? (char *)text : NULL;
}

char *strstr(const char *text, const char *part) {
    size_t length = strlen(part);
    for (;; text++) {
        if (strncmp(text, part, length) == 0)
            return (char *)text;
        if (!*text)
            return NULL;
    }
}

char *strtok_r(char *restrict text, const char *restrict between, char **restrict next) {
    if (!text)
        text = *next;
    text += strspn(text, between);
    char *end = text + strcspn(text, between);
    *next = *end ? end + 1 : end;
    if (end == text)
        return NULL;
    *end = '\0';
    return text;
}

char *strtok(char *restrict text, const char *restrict between) {
    static char *next;
    return strtok_r(text, between, &next);
}

char *index(const char *text, int character) {
    return strchr(text, character);
}

char *rindex(const char *text, int character) {
    return strrchr(text, character);
}

int bcmp(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size);
}

static int lower(unsigned char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

int strncasecmp(const char *a, const char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        int difference = lower((unsigned char)a[i]) - lower((unsigned char)b[i]);
        if (difference || !a[i])
            return difference;
    }
    return 0;
}

int strcasecmp(const char *a, const char *b) {
    return strncasecmp(a, b, (size_t)-1);
}
