// The functions of math.h that store a second result, and those that only look at bits. All others are the machine's own.

#include <stdint.h>

double sin(double), cos(double), trunc(double);
float sinf(float), cosf(float), truncf(float);

static uint64_t bits_of(double x) {
    union {
        double number;
        uint64_t bits;
    } both = {x};
    return both.bits;
}

static double number_of(uint64_t bits) {
    union {
        uint64_t bits;
        double number;
    } both = {bits};
    return both.number;
}

void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}

double frexp(double x, int *exponent) {
    const uint64_t least = 1ull << 52, exponents = 0x7ffull << 52, half = 1022ull << 52;
    int scale = 0;
    *exponent = 0;
    if (x == 0 || (bits_of(x) & exponents) == exponents)
        return x + x;
    if ((bits_of(x) & exponents) < least) {
        x *= 0x1p54;
        scale = 54;
    }
    *exponent = (int)(bits_of(x) >> 52 & 0x7ff) - 1022 - scale;
    return number_of((bits_of(x) & ~exponents) | half);
}

float frexpf(float x, int *exponent) {
    return (float)frexp(x, exponent);
}

double modf(double x, double *whole) {
    *whole = trunc(x);
    uint64_t sign = bits_of(x) & 1ull << 63;
    double rest = x - *whole;
    return number_of((rest != rest && x == x ? 0 : bits_of(rest) & ~(1ull << 63)) | sign);
}

float modff(float x, float *whole) {
    double part;
    float rest = (float)modf(x, &part);
    *whole = (float)part;
    return rest;
}

double fabs(double x) {
    return number_of(bits_of(x) & ~(1ull << 63));
}

float fabsf(float x) {
    return (float)fabs(x);
}

double copysign(double x, double y) {
    return number_of((bits_of(x) & ~(1ull << 63)) | (bits_of(y) & 1ull << 63));
}

float copysignf(float x, float y) {
    return (float)copysign(x, y);
}

double nan(const char *tag) {
    (void)tag;
    return __builtin_nan("");
}

float nanf(const char *tag) {
    (void)tag;
    return __builtin_nanf("");
}
