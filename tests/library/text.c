// Strings and blocks of memory, over all small lengths and alignments.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);

static const char *const words[] = {"", "a", "b", "ab", "abc", "abd", "ABC", "abcabcabd", "\xff\x80", "a,b;;c ", "  x"};
enum { WORDS = sizeof words / sizeof words[0] };

static int sign(int x) {
    return (x > 0) - (x < 0);
}

static long place(const char *found, const char *in) {
    return found ? found - in : -1;
}

static void compare(void) {
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++) {
            const char *a = words[i], *b = words[j];
            printf("%d %d %d %d %d %d ", sign(strcmp(a, b)), sign(strncmp(a, b, 2)), sign(strcasecmp(a, b)),
                   sign(strncasecmp(a, b, 2)), sign(strcoll(a, b)), sign(memcmp(a, b, strlen(a) < strlen(b) ? strlen(a) : strlen(b))));
            printf("%d %zu %zu %ld %ld\n", bcmp(a, b, 1) != 0, strspn(a, b), strcspn(a, b), place(strpbrk(a, b), a),
                   place(strstr(a, b), a));
        }
}

static void search(void) {
    for (int i = 0; i < WORDS; i++) {
        const char *text = words[i];
        size_t size = strlen(text);
        for (const char *c = "abcx;\0"; *c; c++)
            printf("%ld %ld %ld %ld %ld %ld %ld ", place(strchr(text, *c), text), place(strrchr(text, *c), text),
                   place(index(text, *c), text), place(rindex(text, *c), text), place(memchr(text, *c, size), text),
                   place(memrchr(text, *c, size), text), place(strchrnul(text, *c), text));
        printf("%ld %ld %ld %zu\n", place(strchr(text, 0), text), place(rawmemchr(text, 0), text),
               place(memmem(text, size, "bc", 2), text), strnlen(text, 2));
    }
}

static void copy(void) {
    for (int size = 0; size < 40; size += 3)
        for (int to = 0; to < 9; to++)
            for (int from = 0; from < 9; from += 2) {
                char block[96], other[96];
                for (int i = 0; i < 96; i++)
                    block[i] = other[i] = (char)('!' + i % 90);
                memcpy(block + to, other + from, (size_t)size);
                memmove(other + to, other + from, (size_t)size);
                printf("%.60s %.60s ", block, other);
                memset(block + to, 'z', (size_t)size);
                printf("%.60s\n", block);
            }
}

static void build(void) {
    char room[64];
    for (int i = 0; i < WORDS; i++) {
        const char *text = words[i];
        memset(room, '#', sizeof room);
        char *end = stpcpy(room, text);
        printf("%ld %s ", end - room, room);
        end = stpncpy(room, text, 5);
        printf("%ld %.8s ", end - room, room);
        strcpy(room, "<");
        strcat(room, text);
        strncat(room, text, 2);
        printf("%s ", room);
        strncpy(room, text, 6);
        printf("%.6s ", room);
        char *end2 = mempcpy(room, "xyz", 3);
        printf("%ld ", end2 - room);
        char *stop = memccpy(room, "hello", 'l', 5);
        printf("%ld ", stop ? stop - room : -1);
        char *twin = strdup(text), *part = strndup(text, 2);
        printf("%s %s %zu\n", twin, part, strxfrm(room, text, sizeof room));
        free(twin);
        free(part);
    }
    bzero(room, 4);
    explicit_bzero(room + 4, 4);
    for (int i = 0; i < 8; i++)
        printf("%d", room[i]);
    puts("");
}

static void split(void) {
    char text[] = ",,one, two;;three", *state;
    for (char *word = strtok(text, ",; "); word; word = strtok(NULL, ",; "))
        printf("[%s]", word);
    char again[] = "a-b--c";
    for (char *word = strtok_r(again, "-", &state); word; word = strtok_r(NULL, "-", &state))
        printf("[%s]", word);
    char third[] = "x::y:", *rest = third;
    for (char *word; (word = strsep(&rest, ":"));)
        printf("[%s]", word);
    puts("");
}

static void fortified(void) {
    char room[32];
    __strcpy_chk(room, "abc", sizeof room);
    __strcat_chk(room, "def", sizeof room);
    __strncat_chk(room, "ghi", 2, sizeof room);
    puts(room);
    __strncpy_chk(room, "xy", 3, sizeof room);
    __memcpy_chk(room + 3, "12345", 6, sizeof room - 3);
    __memmove_chk(room + 2, room + 3, 6, sizeof room - 2);
    __memset_chk(room, 'q', 2, sizeof room);
    printf("%s %ld\n", room, (long)(__stpcpy_chk(room, "end", sizeof room) - room));
}

static void characters(void) {
    for (int c = -1; c < 256; c++)
        printf("%d:%d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", c, !!isalpha(c), !!isdigit(c), !!isalnum(c), !!isspace(c), !!isupper(c),
               !!islower(c), !!ispunct(c), !!isprint(c), !!isgraph(c), !!iscntrl(c), !!isxdigit(c), !!isblank(c), toupper(c),
               tolower(c));
    printf("%d %d %d\n", !!(isalpha)('x'), (toupper)('x'), (tolower)('X'));
}

int main(void) {
    compare();
    search();
    copy();
    build();
    split();
    fortified();
    characters();
    return 0;
}
