// The parts of the mathematical library that are defined to the bit.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

static volatile double values[] = {0.0, -0.0, 1.0, -1.5, 0.1, 3.75, 1e300, -1e-310, INFINITY, -INFINITY, 123456789.125};

int main(void) {
    for (int i = 0; i < (int)(sizeof values / sizeof values[0]); i++) {
        double x = values[i], whole, fraction;
        float f = (float)x, whole_float, fraction_float;
        int exponent = 0, exponent_float = 0;
        printf("%a %a %a %a ", fabs(x), fabsf(f), copysign(2.0, x), copysignf(2.0f, f));
        fraction = modf(x, &whole);
        fraction_float = modff(f, &whole_float);
        printf("%a %a %a %a ", whole, fraction, whole_float, fraction_float);
        printf("%a %a ", frexp(x, &exponent), frexpf(f, &exponent_float));
        if (isfinite(x))
            printf("%d %d ", exponent, isfinite(f) ? exponent_float : 0);
        printf("\n");
    }
    double sine, cosine;
    float sine_float, cosine_float;
    sincos(values[0], &sine, &cosine);
    sincosf((float)values[0], &sine_float, &cosine_float);
    printf("%a %a %a %a %d\n", sine, cosine, sine_float, cosine_float, isnan(nanf("")));
    return 0;
}
