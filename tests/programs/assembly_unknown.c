// explore: unknown
// Assembly without a meaning here is named where it is reached.
int main(void) {
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control == 0;
}
