// Neighbours in a struct do not race; the same field does.
// explore: bug race:12-20
#include <pthread.h>

struct {
    char a, b;
    short c;
} s;

void *other(void *arg) {
    s.b = 1;
    s.c = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    s.a = 1;
    s.c = 2;
    pthread_join(t, 0);
    return 0;
}
