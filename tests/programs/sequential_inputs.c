// One thread, two inputs: the bug is arithmetic.
// explore: bug assertion:11
#include <assert.h>
#include <ordain.h>

int main(void) {
    unsigned char a, b;
    ordain_input(&a, sizeof a, "a");
    ordain_input(&b, sizeof b, "b");
    if (a > 10 && b > 10)
        assert(a * b != 143);
    return 0;
}
