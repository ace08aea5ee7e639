// explore: safe
// native: same
// Inline assembly that has a meaning: barriers, atomic idioms, byte swaps, what processor this is.
#include <assert.h>
#include <cpuid.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static int counter;
static long bits[2];

static int fetch_add(int *to, int by) {
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(by), "+m"(*to) : : "memory", "cc");
    return by;
}

static int swap_if(int *at, int old, int new) {
    int seen;
    __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(seen), "+m"(*at) : "r"(new), "0"(old) : "memory");
    return seen;
}

static int swapped(long *at, long old, long new) {
    unsigned char done;
    __asm__ volatile("lock cmpxchgq %3, %1\n\tsete %0" : "=q"(done), "+m"(*at), "+a"(old) : "r"(new) : "memory", "cc");
    return done;
}

static int exchange(int *at, int value) {
    __asm__ volatile("xchgl %0, %1" : "=r"(value), "+m"(*at) : "0"(value) : "memory");
    return value;
}

static int down_to_zero(int *at) {
    unsigned char zero;
    __asm__ volatile("lock; decl %0; sete %1" : "+m"(*at), "=qm"(zero) : : "memory");
    return zero;
}

static int set_bit(long *map, long n) {
    char old;
    __asm__ volatile("lock; btsq %2, %1; setc %0" : "=r"(old), "+m"(*map) : "r"(n) : "memory");
    return old;
}

static int aligned_loop(int n) {
    int sum = 0;
    __asm__(".p2align 6");
    __asm__("nop");
    __asm__(".p2align 4,,15");
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

static uint32_t swap_bytes(uint32_t x) {
    __asm__("bswap %0" : "=r"(x) : "0"(x));
    return x;
}

static uint32_t rotate(uint32_t x) {
    __asm__("roll $8, %0" : "+r"(x));
    __asm__("rorl %1, %0" : "+r"(x) : "I"(4));
    return x;
}

static void *work(void *unused) {
    for (int i = 0; i < 2; i++)
        fetch_add(&counter, 1);
    __asm__ volatile("lock; addl %1, %0" : "+m"(counter) : "ir"(10) : "memory");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    __asm__ volatile("lock; incl %0" : "+m"(counter));
    __asm__ volatile("mfence" ::: "memory");
    pthread_join(thread, NULL);
    assert(counter == 13 && fetch_add(&counter, 2) == 13);
    assert(swap_if(&counter, 15, 1) == 15 && swap_if(&counter, 15, 2) == 1);
    assert(exchange(&counter, 2) == 1);
    assert(!down_to_zero(&counter) && down_to_zero(&counter));
    assert(swapped(&bits[0], 0, 1) && !swapped(&bits[0], 0, 2));
    assert(!set_bit(bits, 66) && set_bit(bits, 66) && bits[1] == 4);
    assert(swap_bytes(0x01020304) == 0x04030201 && rotate(0x12345678) == 0x23456781);
    int x = 5;
    __asm__ volatile("" : "+r"(x) : : "memory");
    assert(aligned_loop(x) == 10);
    __asm__ volatile("pause");
    __asm__ volatile("lock; addl $0, 0(%%rsp)" ::: "memory");
    unsigned a, b, c, d;
    __cpuid(1, a, b, c, d);
    assert(d & bit_SSE2);
    printf("%d %x %x\n", x, swap_bytes(1), rotate(1));
    return 0;
}
