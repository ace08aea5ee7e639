// The default of one switch says nothing about the cases of another on the same value.
// explore: bug assertion:16
#include <assert.h>
#include <ordain.h>

int main(void) {
    unsigned char x;
    ordain_input(&x, 1, "x");
    int first = 0;
    switch (x) {
    case 1: first = 1; break;
    case 2: first = 2; break;
    }
    switch (x) {
    case 3:
        assert(first != 0);
        break;
    case 1: break;
    }
    return 0;
}
