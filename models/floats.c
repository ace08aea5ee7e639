// Floating-point numbers from texts. What is a number is decided here; how near it can be had, by whoever runs the program.

#include "system.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int isspace(int c);
int isdigit(int c);
int isxdigit(int c);

// Longer texts are put together on the heap.
enum { SHORT_TEXT = 64 };

struct number {
    // Where its first digit is, and where it ends; equal if there is none.
    const char *first, *end;
    int negative;
    enum { DECIMAL, HEXADECIMAL, INFINITE, NOT_A_NUMBER } kind;
};

static const char *skip_digits(const char *p, int (*is_digit)(int), int *count) {
    for (; is_digit((unsigned char)*p); p++)
        ++*count;
    return p;
}

static const char *skip_exponent(const char *p, char letter) {
    if ((*p | 0x20) != letter)
        return p;
    const char *q = p + 1;
    if (*q == '+' || *q == '-')
        q++;
    int digits = 0;
    q = skip_digits(q, isdigit, &digits);
    return digits ? q : p;
}

static const char *skip_number(const char *p, int hexadecimal) {
    int (*is_digit)(int) = hexadecimal ? isxdigit : isdigit;
    int digits = 0;
    const char *q = skip_digits(p, is_digit, &digits);
    if (*q == '.')
        q = skip_digits(q + 1, is_digit, &digits);
    return digits ? skip_exponent(q, hexadecimal ? 'p' : 'e') : p;
}

static struct number scan(const char *text) {
    struct number found = {.kind = DECIMAL};
    const char *p = text;
    while (isspace((unsigned char)*p))
        p++;
    found.negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    found.first = p;
    if (strncasecmp(p, "inf", 3) == 0) {
        found.kind = INFINITE;
        found.end = p + (strncasecmp(p, "infinity", 8) == 0 ? 8 : 3);
    } else if (strncasecmp(p, "nan", 3) == 0) {
        found.kind = NOT_A_NUMBER;
        found.end = p + 3;
        if (p[3] == '(') {
            const char *q = p + 4;
            while (isxdigit((unsigned char)*q) || (*q >= 'g' && *q <= 'z') || (*q >= 'G' && *q <= 'Z') || *q == '_')
                q++;
            found.end = *q == ')' ? q + 1 : found.end;
        }
    } else if (p[0] == '0' && (p[1] | 0x20) == 'x' && skip_number(p + 2, 1) != p + 2) {
        found.kind = HEXADECIMAL;
        found.first = p + 2;
        found.end = skip_number(p + 2, 1);
    } else {
        found.end = skip_number(p, 0);
    }
    return found;
}

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float from_short_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// significand * 2^exponent with so many bits of precision, and exponents down to `least`: rounded once, half to even. The
// bits of the result, in a format whose largest exponent is `most`. `*lost` says whether it is a little more than that, and is
// told whether anything was rounded away.
static uint64_t assemble(uint64_t significand, int *lost, long exponent, int precision, long least, long most) {
    if (significand == 0)
        return 0;
    while (!(significand >> 63)) {
        significand <<= 1;
        exponent--;
    }
    long drop = 64 - precision;
    if (exponent + drop < least)
        drop = least - exponent;
    if (drop > 64)
        drop = 65;
    uint64_t kept = drop >= 64 ? 0 : significand >> drop;
    uint64_t half = drop > 64 ? 0 : (uint64_t)1 << (drop - 1);
    uint64_t rest = drop >= 64 ? significand : significand & (((uint64_t)1 << drop) - 1);
    if (drop <= 64 && (rest > half || (rest == half && (*lost || (kept & 1)))))
        kept++;
    *lost |= rest != 0;
    if (kept >> precision) {
        kept >>= 1;
        drop++;
    }
    uint64_t hidden = (uint64_t)1 << (precision - 1);
    long biased = exponent + drop - least + 1;
    if (!(kept & hidden))
        return kept;
    if (biased >= most)
        return (uint64_t)most << (precision - 1);
    return (uint64_t)biased << (precision - 1) | (kept & (hidden - 1));
}

static int hexadecimal_digit(int c) {
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static uint64_t from_hexadecimal(struct number number, int *lost, int precision, long least, long most) {
    uint64_t significand = 0;
    long exponent = 0;
    int after_point = 0;
    const char *p = number.first;
    for (; p < number.end && (isxdigit((unsigned char)*p) || *p == '.'); p++) {
        if (*p == '.') {
            after_point = 1;
        } else if (significand >> 60 == 0) {
            significand = significand << 4 | (uint64_t)hexadecimal_digit(*p);
            exponent -= after_point ? 4 : 0;
        } else {
            *lost |= *p != '0';
            exponent += after_point ? 0 : 4;
        }
    }
    if (p < number.end)
        exponent += atoi(p + 1);
    return assemble(significand, lost, exponent, precision, least, most);
}

// The decimal number as a text of its own.
static uint64_t from_decimal(struct number number, long (*parse)(const char *)) {
    char small[SHORT_TEXT];
    size_t length = (size_t)(number.end - number.first);
    char *text = length < sizeof small ? small : malloc(length + 1);
    memcpy(text, number.first, length);
    text[length] = 0;
    uint64_t bits = (uint64_t)parse(text);
    if (text != small)
        free(text);
    return bits;
}

static int is_zero(struct number number) {
    for (const char *p = number.first; p < number.end && (*p | 0x20) != 'e' && (*p | 0x20) != 'p'; p++)
        if (*p != '0' && *p != '.')
            return 0;
    return 1;
}

// Too large, or so small that digits are lost. No decimal number of less than hundreds of digits is that small and exact.
static int is_out_of_range(struct number number, int inexact, int tiny, int huge) {
    switch (number.kind) {
    case DECIMAL: return !is_zero(number) && (tiny || huge);
    case HEXADECIMAL: return !is_zero(number) && ((tiny && inexact) || huge);
    default: return 0;
    }
}

double strtod(const char *restrict text, char **restrict end) {
    struct number number = scan(text);
    if (end)
        *end = (char *)(number.end == number.first ? text : number.end);
    if (number.end == number.first)
        return 0;
    uint64_t bits;
    int inexact = 0;
    switch (number.kind) {
    case INFINITE: bits = 0x7ff0000000000000; break;
    case NOT_A_NUMBER: bits = 0x7ff8000000000000; break;
    case HEXADECIMAL: bits = from_hexadecimal(number, &inexact, 53, -1074, 0x7ff); break;
    default: bits = from_decimal(number, ordain_sys_parse_double); break;
    }
    if (is_out_of_range(number, inexact, bits >> 52 == 0, bits >> 52 == 0x7ff))
        errno = ERANGE;
    return from_bits(bits | (uint64_t)number.negative << 63);
}

float strtof(const char *restrict text, char **restrict end) {
    struct number number = scan(text);
    if (end)
        *end = (char *)(number.end == number.first ? text : number.end);
    if (number.end == number.first)
        return 0;
    uint32_t bits;
    int inexact = 0;
    switch (number.kind) {
    case INFINITE: bits = 0x7f800000; break;
    case NOT_A_NUMBER: bits = 0x7fc00000; break;
    case HEXADECIMAL: bits = (uint32_t)from_hexadecimal(number, &inexact, 24, -149, 0xff); break;
    default: bits = (uint32_t)from_decimal(number, ordain_sys_parse_float); break;
    }
    if (is_out_of_range(number, inexact, bits >> 23 == 0, bits >> 23 == 0xff))
        errno = ERANGE;
    return from_short_bits(bits | (uint32_t)number.negative << 31);
}

double atof(const char *text) {
    return strtod(text, NULL);
}
