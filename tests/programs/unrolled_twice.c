// Rounds are counted from each time that a loop is entered.
// case: enough
// unroll: 2
// explore: safe
// case: cut
// unroll: 1
// explore: bounded
// reason: a loop was cut after 1 rounds (--unroll), at 
// unproved: bound:14
#include <ordain.h>

unsigned count(unsigned most) {
    unsigned i = 0;
    while (i < most && i < 2)
        i++;
    return i;
}

int main(void) {
    unsigned most;
    ordain_input(&most, sizeof most, "most");
    return count(most) > count(most + 1) + 2;
}
