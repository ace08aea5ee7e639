// What threads do besides taking turns, when the cost of recording is measured: WORK steps of a shift register. None, unless
// asked for.
#ifndef WORK
#define WORK 0
#endif

static inline unsigned work(unsigned state) {
    for (int i = 0; i < WORK; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
    }
    return state;
}
