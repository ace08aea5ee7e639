// What a program finds around it: only what is the same everywhere is printed.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
    printf("%d %d\n", getenv("ORDAIN_NO_SUCH_VARIABLE") == NULL, secure_getenv("ORDAIN_NO_SUCH_VARIABLE") == NULL);
    printf("%d %d\n", getpid() == getpid(), getppid() != getpid());
    printf("%d %d\n", getuid() == geteuid(), getgid() == getegid());
    printf("%d %ld\n", getpagesize(), sysconf(_SC_PAGESIZE));
    printf("%d %d\n", sysconf(_SC_NPROCESSORS_ONLN) > 0, sysconf(_SC_PHYS_PAGES) > 0);
    printf("%ld %ld\n", sysconf(_SC_CLK_TCK), sysconf(-1));
    cpu_set_t set;
    printf("%d %d\n", sched_getaffinity(0, sizeof set, &set), CPU_COUNT(&set) > 0);
    printf("%d\n", CPU_ISSET(sched_getcpu(), &set) != 0);
    int priority = getpriority(PRIO_PROCESS, 0);
    printf("%d %d\n", priority >= -20 && priority < 20, setpriority(PRIO_PROCESS, 0, priority));
    return 0;
}
