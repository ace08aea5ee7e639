// A thread's own path takes very long, without anything to decide: the machine is busy, and so is whoever follows it.
unsigned result;

int main(void) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 900000000u; i++)
        sum = sum * 31 + i;
    result = sum;
    return 0;
}
