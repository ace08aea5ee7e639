// A pool takes jobs (inputs) from a list until it is told to stop. The faulty stop is set without the lock: a worker that
// has just looked goes to sleep for ever.
// case: safe
// cflags: -DWORKERS=1 -DJOBS=2
// explore: safe
// case: safe-two-workers
// cflags: -DWORKERS=2 -DJOBS=2
// explore: safe
// case: bug
// cflags: -DWORKERS=1 -DJOBS=1 -DUNLOCKED_STOP
// check: assertion,deadlock
// spurious: off
// explore: bug deadlock:@sleeps
#include <assert.h>
#include <ordain.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
    int value;
    struct job *next;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
struct job *jobs;
int stop, done, sum;

void *worker(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!jobs && !stop)
            pthread_cond_wait(&wake, &lock); // @sleeps
        struct job *job = jobs;
        if (!job) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        jobs = job->next;
        sum += job->value;
        done++;
        pthread_mutex_unlock(&lock);
        free(job);
    }
}

int main(void) {
    pthread_t workers[WORKERS];
    int expected = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], 0, worker, 0);
    for (int i = 0; i < JOBS; i++) {
        struct job *job = malloc(sizeof *job);
        ordain_input(&job->value, sizeof job->value, "job");
        ordain_assume(0 <= job->value && job->value <= 1000);
        expected += job->value;
        pthread_mutex_lock(&lock);
        job->next = jobs;
        jobs = job;
        pthread_cond_signal(&wake);
        pthread_mutex_unlock(&lock);
    }
#ifdef UNLOCKED_STOP
    stop = 1;
    pthread_cond_broadcast(&wake);
#else
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
#endif
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], 0);
    assert(done == JOBS && sum == expected);
    return 0;
}
