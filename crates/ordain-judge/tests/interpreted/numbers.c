// Numbers of all formats, the odd ones included: computed, compared, converted, stored and loaded.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT 12

static volatile double doubles[COUNT] = {0.0, -0.0, 1.0, -1.5, 3e9, -7e18, 2e19, 1e-310, 1e308, 0.1, 123456.75, -2.5};
static volatile float floats[COUNT] = {0.0f, -0.0f, 1.0f, -1.5f, 3e9f, -7e18f, 2e19f, 1e-40f, 1e38f, 0.1f, 77.25f, -2.5f};
static volatile int64_t integers[COUNT] = {0, 1, -1, 127, -128, 255, 65535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1000003};
static uint64_t sum = 14695981039346656037u;

static void add(const void *bytes, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, bytes, size);
    sum = (sum ^ bits) * 1099511628211u;
}

static void add_double(double x) {
    add(&x, sizeof x);
}

static void add_float(float x) {
    add(&x, sizeof x);
}

static void add_integer(int64_t x) {
    add(&x, sizeof x);
}

static void compare(double a, double b) {
    add_integer((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5);
    add_integer(__builtin_isunordered(a, b) | __builtin_isless(a, b) << 1 | !(a < b) << 2 | (a > b ? 7 : 9) << 3);
}

static void convert(double x, float y, int64_t n) {
    add_double((double)n);
    add_double((double)(uint64_t)n);
    add_double((double)(int32_t)n);
    add_double((double)(uint32_t)n);
    add_double((double)(int8_t)n);
    add_float((float)n);
    add_float((float)(uint64_t)n);
    add_float((float)x);
    add_double(y);
    if (x > -1e9 && x < 1e9) {
        add_integer((int32_t)x);
        add_integer((int64_t)x);
        add_integer((int16_t)(int32_t)y);
    }
    if (x >= 0 && x < 1e19)
        add_integer((int64_t)(uint64_t)x);
}

static void integers_of_all_widths(int64_t a, int64_t b) {
    add_integer((int8_t)a + (int8_t)b);
    add_integer((int16_t)((uint16_t)a * (uint16_t)b));
    add_integer((int32_t)((uint32_t)a << ((uint32_t)b & 31)) + ((int32_t)a >> ((uint32_t)b & 31)));
    add_integer((int64_t)((uint64_t)a << ((uint64_t)b & 63)) ^ (a >> ((uint64_t)b & 63)));
    add_integer((int64_t)((uint64_t)a >> ((uint64_t)b & 63)) | ((uint32_t)a >> ((uint32_t)b & 31)));
    add_integer((a < b) | ((uint64_t)a < (uint64_t)b) << 1 | ((int32_t)a <= (int32_t)b) << 2 | ((int16_t)a < (int16_t)b) << 3);
    add_integer((int64_t)((uint64_t)a * (uint64_t)b - (uint64_t)a));
    if (b > 1)
        add_integer(a / b + a % b + (int64_t)((uint64_t)a / (uint64_t)b) + (int32_t)a % ((int32_t)b & 0xff | 3));
}

static const char *name(int64_t n) {
    switch (n) {
    case 0: return "none";
    case 1: return "one";
    case -1: return "minus one";
    case 127: return "small";
    case 255: return "byte";
    case INT64_MIN: return "least";
    default: return "other";
    }
}

int main(void) {
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            double a = doubles[i], b = doubles[k];
            float c = floats[i], d = floats[k];
            add_double(a + b);
            add_double(a - b);
            add_double(a * b);
            add_double(-a);
            add_float(c + d);
            add_float(c - d);
            add_float(c * d);
            if (b != 0)
                add_double(a / b);
            if (d != 0)
                add_float(c / d);
            compare(a, b);
            compare(a * 1e308 * 1e308 - b * 1e308 * 1e308, c);
            convert(a, d, integers[k]);
            integers_of_all_widths(integers[i], integers[k]);
            add_integer(name(integers[k])[0]);
        }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
