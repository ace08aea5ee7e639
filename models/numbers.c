// Numbers: what LLVM has intrinsics for, and the small functions of stdlib.h and ctype.h. None of the bit operations
// touches memory, so a native binary and the machine see the same (none) points in them.

#include <stdint.h>

uint64_t __ordain_count_ones(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return x * 0x0101010101010101u >> 56;
}

uint64_t __ordain_leading_zeros(uint64_t x) {
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return __ordain_count_ones(~x);
}

uint64_t __ordain_trailing_zeros(uint64_t x) {
    return __ordain_count_ones(~x & (x - 1));
}

uint64_t __ordain_swap_bytes(uint64_t x) {
    x = (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
    x = (x & 0x0000ffff0000ffffu) << 16 | (x >> 16 & 0x0000ffff0000ffffu);
    return x << 32 | x >> 32;
}

uint64_t __ordain_reverse_bits(uint64_t x) {
    x = (x & 0x5555555555555555u) << 1 | (x >> 1 & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) << 2 | (x >> 2 & 0x3333333333333333u);
    x = (x & 0x0f0f0f0f0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0fu);
    return __ordain_swap_bytes(x);
}

int abs(int x) {
    return x < 0 ? -x : x;
}

long labs(long x) {
    return x < 0 ? -x : x;
}

long long llabs(long long x) {
    return x < 0 ? -x : x;
}

int isspace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int isdigit(int c) {
    return c >= '0' && c <= '9';
}
