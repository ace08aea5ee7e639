// Like endless.c, but something goes wrong early on.
#include <assert.h>
#include <ordain.h>

int main(void) {
    unsigned rounds, sum = 0;
    ordain_input(&rounds, sizeof rounds, "rounds");
    assert(rounds != 7);
    for (unsigned i = 0; i < rounds; i++)
        sum += i;
    return sum == 1;
}
