// The sleeping barber: customers leave if no chair is free, otherwise they are served. The faulty customer sits down without
// the lock, and two sit on one chair.
// case: safe
// cflags: -DCUSTOMERS=2 -DCHAIRS=1
// explore: safe
// case: safe-three
// cflags: -DCUSTOMERS=3 -DCHAIRS=2
// explore: safe
// case: bug
// cflags: -DCUSTOMERS=2 -DCHAIRS=1 -DUNLOCKED
// check: assertion
// explore: bug assertion:@chairs
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
sem_t waiting, served;
int seated, turned_away;

#ifdef UNLOCKED
#define ENTER (void)0
#define LEAVE (void)0
#else
#define ENTER pthread_mutex_lock(&lock)
#define LEAVE pthread_mutex_unlock(&lock)
#endif

void *customer(void *arg) {
    ENTER;
    if (seated >= CHAIRS) {
        turned_away++;
        LEAVE;
        return 0;
    }
    seated++;
    assert(seated <= CHAIRS); // @chairs
    LEAVE;
    sem_post(&waiting);
    sem_wait(&served);
    return 0;
}

void *barber(void *arg) {
    for (;;) {
        sem_wait(&waiting);
        pthread_mutex_lock(&lock);
        if (seated == 0) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        seated--;
        pthread_mutex_unlock(&lock);
        sem_post(&served);
    }
}

int main(void) {
    pthread_t b, customers[CUSTOMERS];
    sem_init(&waiting, 0, 0);
    sem_init(&served, 0, 0);
    pthread_create(&b, 0, barber, 0);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_create(&customers[i], 0, customer, 0);
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_join(customers[i], 0);
    // Nobody is seated any more: closing time.
    sem_post(&waiting);
    pthread_join(b, 0);
    assert(seated == 0 && turned_away < CUSTOMERS);
    return 0;
}
