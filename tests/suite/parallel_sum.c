// A sum by division: a thread hands half of its work to one that it creates, and adds what that returns. The faulty one does not
// wait for it.
// case: safe
// cflags: -DSIZE=2
// explore: safe
// case: safe-4
// cflags: -DSIZE=4
// explore: safe
// case: bug
// cflags: -DSIZE=2 -DNO_JOIN
// check: assertion
// explore: bug assertion:@sum
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

unsigned input[SIZE];

struct part {
    int from, to;
    unsigned sum;
};

void *add(void *arg) {
    struct part *all = arg;
    if (all->to - all->from == 1) {
        all->sum = input[all->from];
        return 0;
    }
    int middle = (all->from + all->to) / 2;
    static struct part parts[SIZE];
    struct part *left = &parts[middle], right = {middle, all->to, 0};
    *left = (struct part){all->from, middle, 0};
    pthread_t thread;
    pthread_create(&thread, 0, add, left);
    add(&right);
#ifdef NO_JOIN
    pthread_detach(thread);
#else
    pthread_join(thread, 0);
#endif
    all->sum = left->sum + right.sum;
    return 0;
}

int main(void) {
    unsigned expected = 0;
    for (int i = 0; i < SIZE; i++) {
        unsigned char value;
        ordain_input(&value, sizeof value, "element");
        input[i] = value;
        expected += value;
    }
    struct part all = {0, SIZE, 0};
    add(&all);
    assert(all.sum == expected); // @sum
    return 0;
}
