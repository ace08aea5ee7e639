// Sections that begin inside each other while a thread waits: nobody else can go on, whatever happens then.
// explore: bug hang:19
// unroll: 3
#include <ordain.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
atomic_int flag;

int main(void) {
    int i;
    ordain_input(&i, sizeof i, "i");
    __VERIFIER_atomic_begin();
    for (;;) {
        if (i == 77)
            __VERIFIER_atomic_begin();
        if (flag)
            break;
    }
    __VERIFIER_atomic_end();
    return 0;
}
