// Waiting for files. Only pipes make anybody wait, and who waits for those does so by reading.

#define _GNU_SOURCE
#include "primitives.h"
#include "system.h"
#include <poll.h>

int poll(struct pollfd *files, nfds_t count, int timeout) {
    int ready = 0;
    ordain_cancellation_point();
    for (nfds_t i = 0; i < count; i++) {
        files[i].revents = 0;
        if (files[i].fd < 0)
            continue;
        if (ordain_sys_flags(files[i].fd) < 0)
            files[i].revents = POLLNVAL;
        else
            files[i].revents = (short)(files[i].events & (POLLIN | POLLOUT));
        ready += files[i].revents != 0;
    }
    if (ready == 0 && timeout > 0)
        ordain_sys_sleep((uint64_t)timeout * 1000000);
    return ready;
}
