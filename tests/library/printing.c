// printf and its family: every conversion with every flag, over values at the edges of their types.
#define _GNU_SOURCE
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const shapes[] = {"",   "-",   "+",    " ",    "0",   "#",    "8",    "-8",   "08",  "+8",  "#8",   "#08",
                                     ".0", ".1",  ".3",   ".10",  "8.3", "-8.3", "08.3", "+.3",  " .2", "#.0", "#.3",  "-+8.2",
                                     "+0", "20", "-20.5", "020", "# 12", "+-012.4"};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void integers(void) {
    static const long long values[] = {0, 1, -1, 7, 42, -42, 255, 65535, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN};
    static const char *const lengths[] = {"hh", "h", "", "l", "ll", "j", "z", "t"};
    for (int s = 0; s < SHAPES; s++)
        for (const char *letter = "diuoxX"; *letter; letter++)
            for (int l = 0; l < 8; l++) {
                char format[32];
                snprintf(format, sizeof format, "[%%%s%s%c]", shapes[s], lengths[l], *letter);
                for (size_t v = 0; v < sizeof values / sizeof values[0]; v += 1 + (size_t)(l & 1)) {
                    if (l == 2)
                        printf(format, (int)values[v]);
                    else
                        printf(format, values[v]);
                }
                if (l == 7)
                    printf(" %s\n", format);
            }
}

static void floats(void) {
    static const double values[] = {0.0,     -0.0,      1.0,     -1.5,   0.1,         123456.789, 1e10,    1e100,    1e-5,
                                    1e-7,    0.5,       2.5,     9.995,  0.0001,      99999.95,   999999.4, DBL_MAX, DBL_MIN,
                                    5e-324, INFINITY, -INFINITY, 1.0 / 3, 4503599627370497.5, 0.15625};
    for (int s = 0; s < SHAPES; s++)
        for (const char *letter = "eEfFgGaA"; *letter; letter++) {
            char format[32];
            snprintf(format, sizeof format, "[%%%s%c]", shapes[s], *letter);
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
                printf(format, values[v]);
            printf(format, (double)NAN);
            printf(" %s\n", format);
        }
    printf("%.30f %.50g %.20e %.0f %.0f %.0f\n", 0.1, 0.1, 1e-300, 0.5, 1.5, 2.5);
}

static void texts(void) {
    static const char *const formats[] = {"[%s]", "[%10s]", "[%-10s]", "[%.2s]", "[%10.3s]", "[%-10.3s]", "[%.0s]", "[%1s]"};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        printf(formats[f], "");
        printf(formats[f], "text");
        printf(formats[f], "a longer text");
        printf(formats[f], (char *)NULL);
        puts(formats[f]);
    }
    char unterminated[3] = {'a', 'b', 'c'};
    printf("[%.3s] [%.*s] [%*s] [%-*s|\n", unterminated, 2, unterminated, 6, "x", -6, "y");
    printf("[%c] [%5c] [%-5c] [%%] [%p] [%20p] [%-20p] [%p]\n", 'x', 'y', 'z', (void *)0x1234, (void *)0xabcdef, (void *)1,
           (void *)NULL);
    printf("%2$s %1$s %2$s\n", "one", "two");
    printf("%1$d %2$*1$d %3$.*1$f\n", 4, 42, 3.14159);
}

static int through_list(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(to, size, format, list);
    va_end(list);
    return length;
}

static int to_stream(FILE *stream, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vfprintf(stream, format, list);
    va_end(list);
    return length;
}

static int to_output(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vprintf(format, list);
    va_end(list);
    return length;
}

static int to_descriptor(int fd, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vdprintf(fd, format, list);
    va_end(list);
    return length;
}

static int to_text(char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsprintf(to, format, list);
    va_end(list);
    return length;
}

static int to_new(char **to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vasprintf(to, format, list);
    va_end(list);
    return length;
}

static void targets(void) {
    char buffer[64];
    for (size_t size = 0; size < 12; size++) {
        memset(buffer, '#', sizeof buffer);
        int length = snprintf(buffer, size, "%d-%s", 12345, "abc");
        printf("%d %.12s\n", length, size ? buffer : "nothing");
    }
    printf("%d %s\n", sprintf(buffer, "%05.1f", 2.25), buffer);
    int written = -1;
    long long wide = -1;
    signed char narrow = -1;
    printf("abc%ndef%lln%hhn\n", &written, &wide, &narrow);
    printf("%d %lld %d\n", written, wide, narrow);
    printf("%d\n", through_list(buffer, sizeof buffer, "%d %s %f %d %d %d %d %d %f %f %f %f %f %f %f %f %f", 1, "two", 3.0, 4,
                                5, 6, 7, 8, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5));
    puts(buffer);
    to_stream(stdout, "%s %d %g\n", "stream", 1, 0.5);
    to_stream(stderr, "%s %d %g\n", "errors", 1, 0.5);
    to_output("%s %d\n", "output", 2);
    to_descriptor(1, "%s %d\n", "descriptor", 3);
    dprintf(1, "%s %d\n", "descriptor", 4);
    fprintf(stdout, "%s %d\n", "stream", 5);
    to_text(buffer, "%x", 255);
    puts(buffer);
    char *made;
    printf("%d ", to_new(&made, "%s-%d", "made", 6));
    puts(made);
    free(made);
    printf("%d ", asprintf(&made, "%030d", 7));
    puts(made);
    free(made);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    integers();
    floats();
    texts();
    targets();
    return 0;
}
