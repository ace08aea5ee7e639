// Through function pointers, structures, reallocation, and a pipe.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct box {
    void (*keep)(struct box *, int *);
    int *kept;
};

int *global;
int ends[2];

static void privately(struct box *box, int *value) {
    box->kept = value; // private
}

static void publicly(struct box *box, int *value) {
    box->kept = value;
    global = value; // shared
}

void *worker(void *arg) {
    struct box one = {privately, NULL}, *moved = malloc(sizeof *moved);
    int *value = malloc(sizeof *value), *sent = malloc(sizeof *sent), *grown = malloc(sizeof *grown);
    *moved = (struct box){publicly, NULL};
    moved = realloc(moved, 2 * sizeof *moved);
    *value = 1; // shared
    *sent = 2;  // shared
    *grown = 3; // private
    one.keep(&one, grown);
    moved->keep(moved, value);
    write(ends[1], &sent, sizeof sent);
    return (void *)(long)*one.kept;
}

int main(void) {
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, worker, NULL);
    int *received;
    read(ends[0], &received, sizeof received);
    int sum = *received; // shared
    pthread_join(thread, NULL);
    return sum + *global != 3;
}
