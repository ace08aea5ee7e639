// A format that is made while the program runs.
// explore: unknown
// reason: printing by a format that is not a constant
// unproved: unsupported:9
#include <stdio.h>

int main(void) {
    char format[] = "hello\n";
    printf(format);
    return 0;
}
