// Whether the assertion holds depends on floating-point arithmetic with an input.
#include <assert.h>
#include <ordain.h>

int main(void) {
    int celsius;
    ordain_input(&celsius, sizeof celsius, "celsius");
    if (celsius > 0 && celsius < 100)
        assert(celsius * 1.8 + 32 < 212);
    return 0;
}
