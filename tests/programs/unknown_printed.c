// How long a number is in print decides what happens.
// explore: unknown
// reason: has no model in explore
#include <ordain.h>
#include <stdio.h>

int main(void) {
    int number;
    char text[16];
    ordain_input(&number, sizeof number, "number");
    return snprintf(text, sizeof text, "%d", number) > 10;
}
