// What main gets as arguments is given on the command line.
// case: none
// explore: safe
// case: two
// args: first second
// explore: bug assertion:14
#include <assert.h>
#include <pthread.h>

char **words;
int count;

void *worker(void *arg) {
    assert(count < 3 || words[2][0] != 's');
    return 0;
}

int main(int argc, char **argv) {
    count = argc;
    words = argv;
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
