// A driver for Bluetooth, after Qadeer and Wu: requests count themselves in; stopping the driver waits for the event that
// the last of them sets.
//
// The bug: a request looks whether the driver is being stopped and counts itself in after that. In between the driver can
// be stopped altogether, and the request works with what is not there any more.
// check: assertion,deadlock,hang
// case: bug
// explore: bug assertion:@stopped
// case: fixed
// cflags: -DFIXED
// explore: safe
#include <assert.h>
#include <ordain.h>
#include <pthread.h>

#ifndef REQUESTS
#define REQUESTS 1
#endif

enum status { SUCCESS, REFUSED, INVALID };
enum operation { READ, WRITE, CONTROL, OPERATIONS };

struct device {
    pthread_mutex_t lock;
    pthread_cond_t stopping_event;
    int pending;
    int stopping;
    int event_set;
    int stopped;
    int transferred;
};

// The driver itself counts as pending until it is stopped.
static struct device device = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 0, 0, 0, 0};

static void io_decrement(struct device *d) {
    pthread_mutex_lock(&d->lock);
    if (--d->pending == 0) {
        d->event_set = 1;
        pthread_cond_broadcast(&d->stopping_event);
    }
    pthread_mutex_unlock(&d->lock);
}

static enum status io_increment(struct device *d) {
#ifdef FIXED
    pthread_mutex_lock(&d->lock);
    int stopping = d->stopping;
    if (!stopping)
        d->pending++;
    pthread_mutex_unlock(&d->lock);
    return stopping ? REFUSED : SUCCESS;
#else
    pthread_mutex_lock(&d->lock);
    int stopping = d->stopping;
    pthread_mutex_unlock(&d->lock);
    if (stopping)
        return REFUSED;
    pthread_mutex_lock(&d->lock);
    d->pending++;
    pthread_mutex_unlock(&d->lock);
    return SUCCESS;
#endif
}

static enum status dispatch(struct device *d, unsigned operation) {
    if (operation >= OPERATIONS)
        return INVALID;
    enum status status = io_increment(d);
    if (status != SUCCESS)
        return status;
    pthread_mutex_lock(&d->lock);
    assert(!d->stopped); // @stopped
    if (operation != CONTROL)
        d->transferred++;
    pthread_mutex_unlock(&d->lock);
    io_decrement(d);
    return SUCCESS;
}

static void *request(void *arg) {
    unsigned char operation;
    ordain_input(&operation, sizeof operation, "operation");
    dispatch(&device, operation);
    return 0;
}

static void *stop(void *arg) {
    pthread_mutex_lock(&device.lock);
    device.stopping = 1;
    pthread_mutex_unlock(&device.lock);
    io_decrement(&device);
    pthread_mutex_lock(&device.lock);
    while (!device.event_set)
        pthread_cond_wait(&device.stopping_event, &device.lock);
    device.stopped = 1;
    pthread_mutex_unlock(&device.lock);
    return 0;
}

int main(void) {
    pthread_t stopper, requests[REQUESTS];
    pthread_create(&stopper, 0, stop, 0);
    for (int i = 0; i < REQUESTS; i++)
        pthread_create(&requests[i], 0, request, 0);
    pthread_join(stopper, 0);
    for (int i = 0; i < REQUESTS; i++)
        pthread_join(requests[i], 0);
    return 0;
}
