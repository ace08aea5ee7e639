// A function without a model, on a path that some input takes: nothing is known of what comes after.
// explore: unknown
#include <ordain.h>
int frobnicate(int);

int main(void) {
    int i;
    ordain_input(&i, sizeof i, "i");
    return i == 7 ? frobnicate(i) : 0;
}
