// explore: unknown
// native: same
// setjmp and longjmp, over several frames and with a value; the machine runs them.
#include <assert.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf buffer;

static void down(int depth) {
    int local[4] = {depth, 0, 0, 0};
    if (depth == 0)
        longjmp(buffer, 5);
    down(local[0] - 1);
}

int main(void) {
    volatile int tries = 0;
    int value = setjmp(buffer);
    tries++;
    if (value == 0)
        down(3);
    if (value == 5)
        longjmp(buffer, 0);
    assert(value == 1 && tries == 3);
    printf("%d after %d\n", value, tries);
    return 0;
}
