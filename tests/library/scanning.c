// scanf and its family.
// stdin: 12 word 3.5\nrest of line\n 0x1f
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int through_list(const char *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int matched = vsscanf(text, format, list);
    va_end(list);
    return matched;
}

static int from_stream(FILE *stream, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int matched = vfscanf(stream, format, list);
    va_end(list);
    return matched;
}

static int from_input(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int matched = vscanf(format, list);
    va_end(list);
    return matched;
}

int main(void) {
    static const char *const texts[] = {"12", "-12", "+12", "0x1F", "017", "abc", "", "  ", "12abc", "-", "0x", "3.5e2", ".5",
                                        "1e", "inf", "nan", "99999999999999999999", "a b c", "12,34", "%5", "[x]"};
    static const char *const formats[] = {"%d", "%i", "%u", "%x", "%o", "%3d", "%*d", " %d", "%d,%d", "%%%d", "%d%d", "%ld%n"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
            long a = -7, b = -7;
            int matched = sscanf(texts[t], formats[f], &a, &b);
            printf("%d %ld %ld|", matched, a, b);
        }
        float small = -1;
        double large = -1;
        char word[32] = "none", one = '?', set[32] = "none";
        int first = sscanf(texts[t], "%f", &small), second = sscanf(texts[t], "%lf", &large);
        printf("%d %d %a %a ", first, second, small, large);
        first = sscanf(texts[t], "%s", word);
        second = sscanf(texts[t], "%c", &one);
        printf("%d %d %s %c ", first, second, word, one);
        first = sscanf(texts[t], "%[a-c1-3]", set);
        printf("%d %s ", first, set);
        first = sscanf(texts[t], "%[^,]", set);
        printf("%d %s ", first, set);
        first = sscanf(texts[t], "%2s%n", word, &second);
        printf("%d %s %d\n", first, word, first > 0 ? second : 0);
    }
    signed char tiny = 0;
    short little = 0;
    long long wide = 0;
    void *pointer = NULL;
    char two[3] = {0};
    printf("%d ", sscanf("300 70000 123456789012345 0x10 xy", "%hhd %hd %lld %p %2c", &tiny, &little, &wide, &pointer, two));
    printf("%d %d %lld %p %s\n", tiny, little, wide, pointer, two);
    int number;
    printf("%d %d\n", through_list("77", "%d", &number), number);
    double value;
    char word[32];
    printf("%d", scanf("%d %s", &number, word));
    printf(" %d %s %d", number, word, from_stream(stdin, "%lf", &value));
    printf(" %g %d", value, fscanf(stdin, " %[^\n]", word));
    printf(" %s %d", word, from_input("%i", &number));
    printf(" %d %d %d\n", number, scanf("%d", &number), feof(stdin) != 0);
    return 0;
}
