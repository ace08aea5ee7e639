// float and double: arithmetic, comparisons, conversions, functions of math.h. Printed as bits, since the last one counts.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile double doubles[] = {0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1e300, -1e-310, 3e9, -3e9, 1e19, 5e-324, 1.0 / 0.0, -1.0 / 0.0, 123456.789, -0.5};
static volatile float floats[] = {0.0f, -0.0f, 1.0f, -2.5f, 3.1415926f, 1e38f, -1e-40f, 16777217.0f, 0.1f, -4e9f};
static volatile long integers[] = {0, 1, -1, 9007199254740993, -9223372036854775807 - 1, 16777217, 123456789012345678};

#define COUNT(a) (int)(sizeof(a) / sizeof(*(a)))

static void show(const char *what, double x) {
    uint64_t bits;
    if (x != x) {
        printf("%s nan\n", what);
        return;
    }
    memcpy(&bits, &x, sizeof bits);
    printf("%s %016lx\n", what, (unsigned long)bits);
}

static void showf(const char *what, float x) {
    uint32_t bits;
    if (x != x) {
        printf("%s nan\n", what);
        return;
    }
    memcpy(&bits, &x, sizeof bits);
    printf("%s %08x\n", what, bits);
}

static void arithmetic(double a, double b, float c, float d) {
    show("+", a + b);
    show("-", a - b);
    show("*", a * b);
    show("/", a / b);
    show("%", fmod(a, b));
    showf("+f", c + d);
    showf("*f", c * d);
    showf("/f", c / d);
    show("mixed", a * c - d);
    show("neg", -a);
    printf("%d%d%d%d%d%d", a < b, a <= b, a == b, a != b, a > b, a >= b);
    printf("%d%d%d%d%d%d\n", isless(a, b), islessequal(a, b), islessgreater(a, b), isunordered(a, b), !(a < b), !(a >= b));
    show("min", fmin(a, b));
    show("max", fmax(a, b));
    showf("minf", fminf(c, d));
    show("copysign", copysign(a, b));
    show("fma", fma(a, b, c));
    show("choice", a < b ? a : b);
}

static void functions(double x, float y) {
    show("fabs", fabs(x));
    show("sqrt", sqrt(fabs(x)));
    show("floor", floor(x));
    show("ceil", ceil(x));
    show("trunc", trunc(x));
    show("round", round(x));
    show("rint", rint(x));
    show("sin", sin(x));
    show("cos", cos(x));
    show("tan", tan(x));
    show("atan", atan(x));
    show("exp", exp(x / 1e10));
    show("log", log(fabs(x)));
    show("pow", pow(fabs(x), 0.3));
    show("cbrt", cbrt(x));
    show("hypot", hypot(x, 3));
    show("tanh", tanh(x));
    show("ldexp", ldexp(x, 3));
    showf("sinf", sinf(y));
    showf("sqrtf", sqrtf(fabsf(y)));
    showf("powf", powf(fabsf(y), 0.3f));
    showf("floorf", floorf(y));
    int exponent;
    double whole;
    show("frexp", frexp(x, &exponent));
    printf("%d\n", isfinite(x) ? exponent : 0);
    show("modf", modf(x, &whole));
    show("whole", whole);
    double sine, cosine;
    __builtin_sincos(x, &sine, &cosine);
    show("sincos", sine + cosine);
    printf("%d%d%d%d%d %d\n", !!isnan(x), !!isinf(x), !!isfinite(x), !!isnormal(x), !!signbit(x), fpclassify(x));
}

static void conversions(double x, float y) {
    showf("to float", (float)x);
    show("to double", y);
    if (fabs(x) < 2e9)
        printf("int %d\n", (int)x);
    if (fabs(x) < 9e18)
        printf("long %ld\n", (long)x);
    if (x >= 0 && x < 1.8e19)
        printf("unsigned long %lu\n", (unsigned long)x);
    if (x >= 0 && x < 4e9)
        printf("unsigned %u\n", (unsigned)x);
    if (fabsf(y) < 100)
        printf("short %d char %d\n", (short)y, (signed char)y);
}

int main(void) {
    for (int i = 0; i < COUNT(doubles); i++) {
        for (int j = 0; j < COUNT(doubles); j++)
            arithmetic(doubles[i], doubles[j], floats[i % COUNT(floats)], floats[j % COUNT(floats)]);
        functions(doubles[i], floats[i % COUNT(floats)]);
        conversions(doubles[i], floats[i % COUNT(floats)]);
    }
    for (int i = 0; i < COUNT(integers); i++) {
        show("from long", integers[i]);
        show("from unsigned long", (unsigned long)integers[i]);
        showf("float from long", integers[i]);
        showf("float from unsigned long", (unsigned long)integers[i]);
        show("from int", (int)integers[i]);
        show("from unsigned char", (unsigned char)integers[i]);
    }
    double sum = 0;
    for (int i = 1; i < 1000; i++)
        sum += 1.0 / i * (i % 2 ? 1 : -1);
    show("sum", sum);
    _Float16 half = (_Float16)floats[4];
    half = half * half + (_Float16)1.5f;
    showf("half", half);
    return (int)(sum * 100);
}
