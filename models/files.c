// Files by descriptor, and by name.

#define _GNU_SOURCE
#include "primitives.h"
#include "system.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic unsigned mask = 022;

static int allowed(int mode) {
    return (int)((unsigned)mode & ~mask);
}

mode_t umask(mode_t new) {
    return __atomic_exchange_n((unsigned *)&mask, new & 0777, __ATOMIC_SEQ_CST);
}

// The third argument is there only if the flags ask for it.
#define MODE_ARGUMENT(flags)                                                                                              \
    int mode = 0;                                                                                                         \
    if ((flags) & O_CREAT) {                                                                                              \
        va_list arguments;                                                                                                \
        va_start(arguments, flags);                                                                                       \
        mode = allowed(va_arg(arguments, int));                                                                           \
        va_end(arguments);                                                                                                \
    }

int open(const char *path, int flags, ...) {
    ordain_cancellation_point();
    MODE_ARGUMENT(flags)
    return (int)ordain_answer(ordain_sys_open(AT_FDCWD, path, flags, mode));
}

int openat(int directory, const char *path, int flags, ...) {
    ordain_cancellation_point();
    MODE_ARGUMENT(flags)
    return (int)ordain_answer(ordain_sys_open(directory, path, flags, mode));
}

int open64(const char *path, int flags, ...) {
    ordain_cancellation_point();
    MODE_ARGUMENT(flags)
    return (int)ordain_answer(ordain_sys_open(AT_FDCWD, path, flags, mode));
}

int openat64(int directory, const char *path, int flags, ...) {
    ordain_cancellation_point();
    MODE_ARGUMENT(flags)
    return (int)ordain_answer(ordain_sys_open(directory, path, flags, mode));
}

// The fortified versions of open without a mode.
int __open_2(const char *path, int flags) {
    ordain_cancellation_point();
    return (int)ordain_answer(ordain_sys_open(AT_FDCWD, path, flags, 0));
}

int __open64_2(const char *path, int flags) {
    return __open_2(path, flags);
}

int creat(const char *path, mode_t mode) {
    ordain_cancellation_point();
    int flags = O_WRONLY | O_CREAT | O_TRUNC;
    return (int)ordain_answer(ordain_sys_open(AT_FDCWD, path, flags, allowed((int)mode)));
}

int creat64(const char *path, mode_t mode) {
    return creat(path, mode);
}

int close(int fd) {
    ordain_cancellation_point();
    return (int)ordain_answer(ordain_sys_close(fd));
}

ssize_t read(int fd, void *to, size_t size) {
    ordain_cancellation_point();
    long count;
    do
        count = ordain_sys_read(fd, to, size);
    while (count == ORDAIN_ASK_AGAIN);
    return ordain_answer(count);
}

ssize_t __read_chk(int fd, void *to, size_t size, size_t room) {
    if (size > room)
        abort();
    return read(fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size) {
    ordain_cancellation_point();
    return ordain_answer(ordain_sys_write(fd, from, size));
}

ssize_t pread(int fd, void *to, size_t size, off_t offset) {
    ordain_cancellation_point();
    return ordain_answer(ordain_sys_read_at(fd, to, size, offset));
}

ssize_t pread64(int fd, void *to, size_t size, off_t offset) {
    return pread(fd, to, size, offset);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t offset) {
    ordain_cancellation_point();
    return ordain_answer(ordain_sys_write_at(fd, from, size, offset));
}

ssize_t pwrite64(int fd, const void *from, size_t size, off_t offset) {
    return pwrite(fd, from, size, offset);
}

off_t lseek(int fd, off_t offset, int whence) {
    return ordain_answer(ordain_sys_seek(fd, offset, whence));
}

off_t lseek64(int fd, off_t offset, int whence) {
    return lseek(fd, offset, whence);
}

int ftruncate(int fd, off_t size) {
    return (int)ordain_answer(ordain_sys_truncate(fd, size));
}

int ftruncate64(int fd, off_t size) {
    return ftruncate(fd, size);
}

int truncate(const char *path, off_t size) {
    long fd = ordain_answer(ordain_sys_open(AT_FDCWD, path, O_WRONLY, 0));
    if (fd < 0)
        return -1;
    long result = ordain_sys_truncate((int)fd, size);
    ordain_sys_close((int)fd);
    return (int)ordain_answer(result);
}

int fsync(int fd) {
    ordain_cancellation_point();
    long result = ordain_sys_flags(fd);
    return ordain_answer(result) < 0 ? -1 : 0;
}

int fdatasync(int fd) {
    ordain_cancellation_point();
    return fsync(fd);
}

void sync(void) {
}

int dup(int fd) {
    return (int)ordain_answer(ordain_sys_duplicate(fd, 0));
}

int dup2(int fd, int to) {
    return (int)ordain_answer(ordain_sys_duplicate_to(fd, to));
}

int dup3(int fd, int to, int flags) {
    (void)flags;
    return (int)ordain_answer(fd == to ? -EINVAL : ordain_sys_duplicate_to(fd, to));
}

int pipe(int ends[2]) {
    return (int)ordain_answer(ordain_sys_pipe(ends));
}

int pipe2(int ends[2], int flags) {
    if (pipe(ends) < 0)
        return -1;
    if (flags & O_NONBLOCK) {
        ordain_sys_set_flags(ends[0], O_NONBLOCK);
        ordain_sys_set_flags(ends[1], O_WRONLY | O_NONBLOCK);
    }
    return 0;
}

// Nothing is ever executed in the place of a program, so whether a descriptor is closed then does not matter.
static int control(int fd, int command, long argument) {
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        return (int)ordain_answer(ordain_sys_duplicate(fd, (int)argument));
    case F_GETFD:
    case F_SETFD:
        return fsync(fd);
    case F_GETFL:
        return (int)ordain_answer(ordain_sys_flags(fd));
    case F_SETFL:
        return (int)ordain_answer(ordain_sys_set_flags(fd, (int)argument));
    default:
        errno = EINVAL;
        return -1;
    }
}

#define CONTROL_ARGUMENT(command)                                                                                         \
    long argument = 0;                                                                                                    \
    if ((command) != F_GETFD && (command) != F_GETFL) {                                                                   \
        va_list arguments;                                                                                                \
        va_start(arguments, command);                                                                                     \
        argument = va_arg(arguments, int);                                                                                \
        va_end(arguments);                                                                                                \
    }

int fcntl(int fd, int command, ...) {
    CONTROL_ARGUMENT(command)
    return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
    CONTROL_ARGUMENT(command)
    return control(fd, command, argument);
}

// There are no devices that understand any request.
int ioctl(int fd, unsigned long request, ...) {
    (void)request;
    if (fsync(fd) == 0)
        errno = ENOTTY;
    return -1;
}

int isatty(int fd) {
    if (fsync(fd) == 0)
        errno = ENOTTY;
    return 0;
}

int posix_fadvise(int fd, off_t offset, off_t size, int advice) {
    (void)offset, (void)size;
    long result = ordain_sys_flags(fd);
    if (result < 0)
        return (int)-result;
    return advice < POSIX_FADV_NORMAL || advice > POSIX_FADV_NOREUSE ? EINVAL : 0;
}

int posix_fadvise64(int fd, off_t offset, off_t size, int advice) {
    return posix_fadvise(fd, offset, size, advice);
}

// Space is there when it is needed; only the size changes.
int posix_fallocate(int fd, off_t offset, off_t size) {
    if (offset < 0 || size <= 0)
        return EINVAL;
    struct stat status;
    long result = ordain_sys_status(fd, NULL, &status, 0);
    if (result == 0 && offset + size > status.st_size)
        result = ordain_sys_truncate(fd, offset + size);
    return (int)-result;
}

int unlink(const char *path) {
    return (int)ordain_answer(ordain_sys_unlink(AT_FDCWD, path, 0));
}

int unlinkat(int directory, const char *path, int flags) {
    return (int)ordain_answer(ordain_sys_unlink(directory, path, flags));
}

int rmdir(const char *path) {
    return (int)ordain_answer(ordain_sys_unlink(AT_FDCWD, path, AT_REMOVEDIR));
}

int remove(const char *path) {
    if (unlink(path) == 0)
        return 0;
    return errno == EISDIR ? rmdir(path) : -1;
}

int rename(const char *from, const char *to) {
    return (int)ordain_answer(ordain_sys_rename(AT_FDCWD, from, AT_FDCWD, to));
}

int renameat(int directory, const char *from, int new_directory, const char *to) {
    return (int)ordain_answer(ordain_sys_rename(directory, from, new_directory, to));
}

int mkdir(const char *path, mode_t mode) {
    return (int)ordain_answer(ordain_sys_make_directory(AT_FDCWD, path, allowed((int)mode)));
}

int mkdirat(int directory, const char *path, mode_t mode) {
    return (int)ordain_answer(ordain_sys_make_directory(directory, path, allowed((int)mode)));
}

int access(const char *path, int mode) {
    return (int)ordain_answer(ordain_sys_access(AT_FDCWD, path, mode));
}

int faccessat(int directory, const char *path, int mode, int flags) {
    (void)flags;
    return (int)ordain_answer(ordain_sys_access(directory, path, mode));
}

ssize_t readlink(const char *path, char *to, size_t size) {
    return ordain_answer(ordain_sys_read_link(AT_FDCWD, path, to, size));
}

char *getcwd(char *to, size_t size) {
    if (!to) {
        size = size ? size : 4096;
        to = malloc(size);
        return to && getcwd(to, size) ? to : NULL;
    }
    return ordain_answer(ordain_sys_working_directory(to, size)) < 0 ? NULL : to;
}

int chdir(const char *path) {
    return (int)ordain_answer(ordain_sys_change_directory(path));
}
