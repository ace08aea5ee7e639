// explore: safe
// native: same
// Arrays whose length is known when the program runs.
#include <alloca.h>
#include <assert.h>
#include <stdio.h>

static int sum(int n) {
    int numbers[n];
    for (int i = 0; i < n; i++)
        numbers[i] = i;
    int *more = alloca(n * sizeof *more);
    for (int i = 0; i < n; i++)
        more[i] = numbers[i] * 2;
    int total = 0;
    for (int i = 0; i < n; i++)
        total += more[i];
    return total;
}

int main(void) {
    assert(sum(4) == 12);
    printf("%d\n", sum(5));
    return 0;
}
