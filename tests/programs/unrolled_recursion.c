// Calls inside each other, as many as the input says.
// case: enough
// unroll: 4
// explore: safe
// case: cut
// unroll: 3
// explore: bounded
// reason: the recursion of sum was cut at depth 3 (--unroll), at 
// unproved: bound:13
#include <ordain.h>

int sum(int n) {
    return n <= 0 ? 0 : n + sum(n - 1);
}

int main(void) {
    int n;
    ordain_input(&n, sizeof n, "n");
    return n <= 4 && sum(n) < 0;
}
