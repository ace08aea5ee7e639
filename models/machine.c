// The processor, as programs ask about it in assembly.

#include <stdint.h>

long ordain_sys_clock(void);

// One cycle per nanosecond of virtual time.
uint64_t __ordain_cycles(void) {
    return (uint64_t)ordain_sys_clock();
}

// What every x86-64 processor has, and nothing else.
uint32_t __ordain_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t which) {
    enum { FPU = 1, TSC = 1 << 4, CX8 = 1 << 8, CMOV = 1 << 15, MMX = 1 << 23, FXSR = 1 << 24, SSE = 1 << 25, SSE2 = 1 << 26 };
    (void)subleaf;
    if (leaf == 0) {
        // The highest leaf, and a vendor in three parts.
        if (which == 0)
            return 1;
        return which == 1 ? 0x6164724f : which == 3 ? 0x614d6e69 : 0x6e696863;
    }
    if (leaf == 1 && which == 3)
        return FPU | TSC | CX8 | CMOV | MMX | FXSR | SSE | SSE2;
    return leaf == 0x80000000 && which == 0 ? 0x80000000 : 0;
}
