// A bit-field whose storage is one integer of more than 128 bits, never written, decides.
// explore: bug uninitialised:16
struct __attribute__((packed)) fields {
    signed a : 27;
    unsigned b : 30;
    signed long c : 60;
    unsigned d : 4;
    signed e : 13;
    unsigned f : 1;
};

int main(void) {
    struct fields local;
    int found = 0;
    for (int i = 0; i < 2; i++)
        if (local.c == 2)
            found = 1;
    return found;
}
