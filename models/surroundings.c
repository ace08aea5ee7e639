// What a program finds around it: one user, two processors, no environment. The same on every machine, so that a run can
// be had again.

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PROCESSORS 2
#define PAGE_SIZE 4096
#define PAGES (1 << 19)

static char *no_environment[] = {NULL};
char **environ = no_environment;
// What the first argument is as well.
char *program_invocation_name = "program", *program_invocation_short_name = "program";

char *getenv(const char *name) {
    size_t length = strlen(name);
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

char *secure_getenv(const char *name) {
    return getenv(name);
}

pid_t getpid(void) {
    return 1000;
}

pid_t getppid(void) {
    return 999;
}

uid_t getuid(void) {
    return 1000;
}

uid_t geteuid(void) {
    return 1000;
}

gid_t getgid(void) {
    return 1000;
}

gid_t getegid(void) {
    return 1000;
}

long sysconf(int name) {
    switch (name) {
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN:
        return PROCESSORS;
    case _SC_PAGESIZE:
        return PAGE_SIZE;
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES:
        return PAGES;
    case _SC_CLK_TCK:
        return 100;
    case _SC_OPEN_MAX:
        return 1024;
    case _SC_ARG_MAX:
        return 1 << 21;
    default:
        errno = EINVAL;
        return -1;
    }
}

int getpagesize(void) {
    return PAGE_SIZE;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    (void)process;
    if (size < sizeof(long)) {
        errno = EINVAL;
        return -1;
    }
    memset(set, 0, size);
    *(unsigned char *)set = (1 << PROCESSORS) - 1;
    return 0;
}

int __sched_cpucount(size_t size, const cpu_set_t *set) {
    int count = 0;
    for (size_t i = 0; i < size; i++)
        for (unsigned byte = ((const unsigned char *)set)[i]; byte; byte &= byte - 1)
            count++;
    return count;
}

int sched_getcpu(void) {
    return 0;
}

int setpriority(__priority_which_t which, id_t who, int priority) {
    (void)which;
    (void)who;
    (void)priority;
    return 0;
}

int getpriority(__priority_which_t which, id_t who) {
    (void)which;
    (void)who;
    return 0;
}
