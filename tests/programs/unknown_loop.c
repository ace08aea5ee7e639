// A loop without end in which nothing happens that anybody could notice, nor change.
// explore: unknown
// reason: a loop without end
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int stuck = __VERIFIER_nondet_int();
    while (stuck == 1)
        ;
    return 0;
}
