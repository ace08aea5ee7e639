// What a thread is given, and what it returns.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int *input;
    int count;
};

void *worker(void *arg) {
    struct job *job = arg;
    int *result = malloc(sizeof *result);
    *result = 0;                       // shared
    for (int i = 0; i < job->count; i++) // shared
        *result += job->input[i];      // shared
    return result;
}

int main(void) {
    int *input = malloc(4 * sizeof *input), *mine = malloc(4 * sizeof *mine);
    for (int i = 0; i < 4; i++) {
        input[i] = i; // shared
        mine[i] = i;  // private
    }
    struct job job = {input, 4};
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &job);
    void *result;
    pthread_join(thread, &result);
    return *(int *)result != mine[1] + mine[2] + mine[3];
}
