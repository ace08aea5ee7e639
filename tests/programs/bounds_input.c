// One thread would do: the index comes from outside and is one too large at the edge.
// explore: bug bounds:11
#include <ordain.h>

int table[10];

int main(void) {
    unsigned i;
    ordain_input(&i, sizeof i, "i");
    if (i <= 10)
        table[i] = 1;
    return 0;
}
