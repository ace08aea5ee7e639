// An input of an odd size.
// explore: unknown
// reason: an input that is not 1, 2, 4 or 8 bytes long
// unproved: unsupported:9
#include <ordain.h>

int main(void) {
    char bytes[3];
    ordain_input(bytes, sizeof bytes, "bytes");
    return bytes[0] == 'a';
}
