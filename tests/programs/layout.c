// Which of two objects has the lower address is nothing a program can rely on, nor a verdict.
// explore: bounded
#include <assert.h>
int a, b;

int main(void) {
    int *low = &a < &b ? &a : &b;
    assert(low == &a || low == &b);
    return 0;
}
