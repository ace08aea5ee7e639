// A call through a pointer to a function that is nowhere defined.
// explore: unknown
// reason: frobnicate
#include <ordain.h>

extern int frobnicate(int);
int (*function)(int) = frobnicate;

int main(void) {
    int number;
    ordain_input(&number, sizeof number, "number");
    return function(number);
}
