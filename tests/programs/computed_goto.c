// explore: safe
// native: same
// The addresses of labels, in tables and as differences.
#include <assert.h>
#include <stdio.h>

static int run(const unsigned char *code) {
    static const void *const labels[] = {&&halt, &&add, &&twice, &&back};
    static const int offsets[] = {&&halt - &&halt, &&add - &&halt};
    int value = 1, rounds = 0;
    assert(offsets[0] == 0 && offsets[1] != 0);
    goto *labels[*code++];
add:
    value += *code++;
    goto *labels[*code++];
twice:
    value *= 2;
    goto *labels[*code++];
back:
    if (++rounds < 3) code -= 2;
    goto *labels[*code++];
halt:
    return value;
}

int main(void) {
    static const unsigned char code[] = {1, 4, 2, 3, 0};
    assert(run(code) == 40);
    printf("%d\n", run(code));
    return 0;
}
