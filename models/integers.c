// Integers from texts. No header of the C library: there, some of these names stand for others.

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

int isspace(int c);

static int digit(int c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

// The magnitude that a text begins with; the largest one, and `errno`, if it does not fit.
static uint64_t magnitude(const char *text, char **end, int base, int *negative, int *too_large) {
    const char *p = text;
    *negative = *too_large = 0;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    while (isspace((unsigned char)*p))
        p++;
    *negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16) {
        base = 16;
        p += 2;
    } else if (base == 0) {
        base = p[0] == '0' ? 8 : 10;
    }
    uint64_t value = 0;
    const char *first = p;
    for (int next; (next = digit((unsigned char)*p)) < base; p++) {
        uint64_t larger;
        if (__builtin_mul_overflow(value, (uint64_t)base, &larger) ||
            __builtin_add_overflow(larger, (uint64_t)next, &larger))
            *too_large = 1;
        else
            value = larger;
    }
    if (end)
        *end = (char *)(p == first ? text : p);
    return value;
}

static uint64_t to_unsigned(const char *text, char **end, int base) {
    int negative, too_large;
    uint64_t value = magnitude(text, end, base, &negative, &too_large);
    if (too_large) {
        errno = ERANGE;
        return UINT64_MAX;
    }
    return negative ? -value : value;
}

static int64_t to_signed(const char *text, char **end, int base) {
    int negative, too_large;
    uint64_t value = magnitude(text, end, base, &negative, &too_large);
    if (too_large || value > (uint64_t)INT64_MAX + (uint64_t)negative) {
        errno = ERANGE;
        return negative ? INT64_MIN : INT64_MAX;
    }
    return (int64_t)(negative ? -value : value);
}

// All names of the two, for all the names of the 64-bit types, and of newer and older versions of C.
#define SIGNED(name)                                                                                                      \
    long name(const char *text, char **end, int base) {                                                                   \
        return to_signed(text, end, base);                                                                                \
    }
#define UNSIGNED(name)                                                                                                    \
    unsigned long name(const char *text, char **end, int base) {                                                          \
        return to_unsigned(text, end, base);                                                                              \
    }

SIGNED(strtol)
SIGNED(strtoll)
SIGNED(strtoimax)
SIGNED(strtoq)
SIGNED(__isoc23_strtol)
SIGNED(__isoc23_strtoll)
SIGNED(__isoc23_strtoimax)
UNSIGNED(strtoul)
UNSIGNED(strtoull)
UNSIGNED(strtoumax)
UNSIGNED(strtouq)
UNSIGNED(__isoc23_strtoul)
UNSIGNED(__isoc23_strtoull)
UNSIGNED(__isoc23_strtoumax)

long atol(const char *text) {
    return to_signed(text, NULL, 10);
}

long long atoll(const char *text) {
    return atol(text);
}

int atoi(const char *text) {
    return (int)atol(text);
}

struct quotient {
    int whole, rest;
};

struct long_quotient {
    long whole, rest;
};

struct quotient div(int dividend, int divisor) {
    return (struct quotient){dividend / divisor, dividend % divisor};
}

struct long_quotient ldiv(long dividend, long divisor) {
    return (struct long_quotient){dividend / divisor, dividend % divisor};
}

struct long_quotient lldiv(long dividend, long divisor) {
    return ldiv(dividend, divisor);
}

uint32_t htonl(uint32_t number) {
    return __builtin_bswap32(number);
}

uint32_t ntohl(uint32_t number) {
    return __builtin_bswap32(number);
}

uint16_t htons(uint16_t number) {
    return __builtin_bswap16(number);
}

uint16_t ntohs(uint16_t number) {
    return __builtin_bswap16(number);
}
