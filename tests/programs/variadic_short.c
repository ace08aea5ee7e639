// explore: bug null:11
// An argument is taken that nobody passed.
#include <stdarg.h>
#include <ordain.h>
int input;

static int second(int first, ...) {
    va_list list;
    va_start(list, first);
    int result = first;
    if (first == 7) result = va_arg(list, int);
    va_end(list);
    return result;
}

int main(void) {
    ordain_input(&input, sizeof input, "input");
    return second(input) == 8;
}
