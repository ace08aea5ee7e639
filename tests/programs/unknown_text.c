// What is printed has to be defined, and of a text that others may write to nobody knows that yet.
// explore: unknown
// reason: printing a text that is not a constant has no model in explore
// unproved: unsupported:15
#include <ordain.h>
#include <stdio.h>

char name[4];

int main(void) {
    char letter;
    ordain_input(&letter, sizeof letter, "letter");
    name[0] = letter;
    name[1] = 0;
    puts(name);
    return 0;
}
