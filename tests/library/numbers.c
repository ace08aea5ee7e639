// Numbers from texts and back, with what they leave of the text and in errno.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const integers[] = {"0", "1", "-1", "+7", "  42xyz", "0x1F", "0x", "0xg", "017", "089", "-0x10", "zz",
    "", " ", "+", "-", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "99999999999999999999999", "-18446744073709551615", "\t\n\v\f\r 5"};

static const char *const floats[] = {"0", "1", "-1.5", "+.5", ".", "1.", "1e", "1e5", "1e+5x", "1e-400", "1e400", "-1e400",
    "0x1p3", "0x1.8p-1", "0x.8", "0xp1", "0x1p-1074", "0x1p-1075", "0x1.0000000000000801p0", "0x1p1024", "inf", "-INFINITY",
    "infin", "nan", "nan(123)", "NAN(", "  3.14159265358979323846264338327950288 rest", "4.9406564584124654e-324",
    "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623159e308", "", "e5",
    "0.1", "123456789012345678901234567890", "9007199254740993", "16777217", "1.1754943508222875e-38", "7e-46", "3.4028236e38",
    "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"};

int main(void) {
    static const int bases[] = {0, 2, 8, 10, 16, 36, 1, 37};
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        const char *text = integers[i];
        for (size_t b = 0; b < 8; b++) {
            char *end = NULL;
            errno = 0;
            long value = strtol(text, &end, bases[b]);
            printf("%ld %d %ld ", value, errno, (long)(end ? end - text : -1));
            errno = 0;
            unsigned long natural = strtoul(text, &end, bases[b]);
            printf("%lu %d %ld ", natural, errno, (long)(end ? end - text : -1));
        }
        printf("%lld %llu %jd %ju %d %ld %lld\n", strtoll(text, NULL, 10), strtoull(text, NULL, 10), strtoimax(text, NULL, 0),
               strtoumax(text, NULL, 0), atoi(text), atol(text), atoll(text));
        printf("%lld %llu\n", (long long)strtoq(text, NULL, 10), (unsigned long long)strtouq(text, NULL, 10));
    }
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        char *end;
        errno = 0;
        double value = strtod(floats[i], &end);
        printf("%a %d %ld ", value, errno, (long)(end - floats[i]));
        errno = 0;
        float small = strtof(floats[i], &end);
        printf("%a %d %ld %a\n", small, errno, (long)(end - floats[i]), atof(floats[i]));
    }
    div_t d = div(-7, 2);
    ldiv_t l = ldiv(7, -2);
    lldiv_t ll = lldiv(-9, -4);
    printf("%d %d %ld %ld %lld %lld\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem);
    printf("%d %ld %lld\n", abs(-5), labs(-6), llabs(7));
    printf("%x %x %x %x\n", htonl(0x12345678), ntohl(0x12345678), (htons)(0x1234), (ntohs)(0x1234));
    return 0;
}
