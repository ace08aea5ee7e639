// The end of an atomic section that has not begun.
// explore: unknown
// reason: __VERIFIER_atomic_end without a begin
extern void __VERIFIER_atomic_end(void);

int main(void) {
    __VERIFIER_atomic_end();
    return 0;
}
