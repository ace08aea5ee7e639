// The compiler was told that a value cannot be; there is no meaning to what happens if it can.
// explore: unknown
// reason: unreachable
#include <ordain.h>

int main(void) {
    int digit;
    ordain_input(&digit, sizeof digit, "digit");
    switch (digit) {
    case 0:
    case 1:
        return 0;
    default:
        __builtin_unreachable();
    }
}
