// With only assertions checked, an abort merely ends the run.
// explore: safe
// check: assertion
#include <ordain.h>
#include <stdlib.h>

int main(void) {
    int i;
    ordain_input(&i, sizeof i, "i");
    if (i < 0)
        abort();
    return 0;
}
