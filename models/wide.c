// Division of 128-bit integers, which come and go as two halves. Nothing here touches memory that others could see.

#include <stdint.h>

struct __ordain_wide {
    uint64_t low, high;
};

static int leading_zeros(struct __ordain_wide x) {
    uint64_t word = x.high ? x.high : x.low;
    int zeros = x.high ? 0 : 64;
    for (int step = 32; step; step /= 2)
        if (!(word >> (64 - step))) {
            zeros += step;
            word <<= step;
        }
    return zeros;
}

static struct __ordain_wide shifted(struct __ordain_wide x, int by) {
    struct __ordain_wide result = x;
    if (by >= 64) {
        result.high = x.low << (by - 64);
        result.low = 0;
    } else if (by) {
        result.high = x.high << by | x.low >> (64 - by);
        result.low = x.low << by;
    }
    return result;
}

static struct __ordain_wide minus(struct __ordain_wide a, struct __ordain_wide b) {
    struct __ordain_wide result = {a.low - b.low, a.high - b.high - (a.low < b.low)};
    return result;
}

static int at_least(struct __ordain_wide a, struct __ordain_wide b) {
    return a.high != b.high ? a.high > b.high : a.low >= b.low;
}

// Long division in binary, from the place where the divisor's first digit meets the dividend's.
static struct __ordain_wide divide(struct __ordain_wide a, struct __ordain_wide b, int remainder) {
    struct __ordain_wide quotient = {0, 0};
    // Dividing by zero has to trap here, too.
    if (!b.high && (!a.high || !b.low)) {
        quotient.low = remainder ? a.low % b.low : a.low / b.low;
        return quotient;
    }
    if (at_least(a, b))
        for (int place = leading_zeros(b) - leading_zeros(a); place >= 0; place--) {
            struct __ordain_wide part = shifted(b, place);
            if (at_least(a, part)) {
                a = minus(a, part);
                struct __ordain_wide one = {1, 0};
                one = shifted(one, place);
                quotient.low |= one.low;
                quotient.high |= one.high;
            }
        }
    return remainder ? a : quotient;
}

static struct __ordain_wide negated(struct __ordain_wide x) {
    struct __ordain_wide zero = {0, 0};
    return minus(zero, x);
}

static struct __ordain_wide divide_signed(struct __ordain_wide a, struct __ordain_wide b, int remainder) {
    int minus_a = a.high >> 63, minus_b = b.high >> 63;
    struct __ordain_wide result = divide(minus_a ? negated(a) : a, minus_b ? negated(b) : b, remainder);
    // A remainder has the dividend's sign.
    return (remainder ? minus_a : minus_a ^ minus_b) ? negated(result) : result;
}

struct __ordain_wide __ordain_wide_udiv(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1) {
    return divide((struct __ordain_wide){a0, a1}, (struct __ordain_wide){b0, b1}, 0);
}

struct __ordain_wide __ordain_wide_urem(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1) {
    return divide((struct __ordain_wide){a0, a1}, (struct __ordain_wide){b0, b1}, 1);
}

struct __ordain_wide __ordain_wide_sdiv(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1) {
    return divide_signed((struct __ordain_wide){a0, a1}, (struct __ordain_wide){b0, b1}, 0);
}

struct __ordain_wide __ordain_wide_srem(uint64_t a0, uint64_t a1, uint64_t b0, uint64_t b1) {
    return divide_signed((struct __ordain_wide){a0, a1}, (struct __ordain_wide){b0, b1}, 1);
}
