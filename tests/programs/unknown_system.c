// What a file has in it is up to the world outside.
// explore: unknown
// reason: the system call
#include <stdio.h>

int main(void) {
    FILE *file = fopen("numbers", "r");
    return file != 0;
}
