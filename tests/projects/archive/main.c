#include <stdio.h>

int used(int x);

int main(void) {
    printf("%d\n", used(20));
    return 0;
}
