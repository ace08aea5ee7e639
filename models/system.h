// What models need of the world outside: the system calls. They return what the kernel's calls return: a result, or an
// error number with a minus before it.

#ifndef ORDAIN_SYSTEM_H
#define ORDAIN_SYSTEM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

struct dirent;
struct stat;
struct timespec;

// Paths are relative to a directory, as in openat. Where a path may be null, that means the file `directory` itself.
long ordain_sys_open(int directory, const char *path, int flags, int mode);
long ordain_sys_close(int fd);
long ordain_sys_read(int fd, void *to, size_t size);
long ordain_sys_write(int fd, const void *from, size_t size);
long ordain_sys_read_at(int fd, void *to, size_t size, long offset);
long ordain_sys_write_at(int fd, const void *from, size_t size, long offset);
long ordain_sys_seek(int fd, long offset, int whence);
long ordain_sys_status(int directory, const char *path, struct stat *to, int flags);
long ordain_sys_truncate(int fd, long size);
long ordain_sys_unlink(int directory, const char *path, int flags);
long ordain_sys_rename(int directory, const char *path, int new_directory, const char *new_path);
long ordain_sys_make_directory(int directory, const char *path, int mode);
long ordain_sys_next_entry(int fd, struct dirent *to);
long ordain_sys_change_mode(int directory, const char *path, int mode);
long ordain_sys_set_times(int directory, const char *path, const struct timespec *times, int flags);
long ordain_sys_access(int directory, const char *path, int mode);
long ordain_sys_read_link(int directory, const char *path, char *to, size_t size);
long ordain_sys_duplicate(int fd, int least);
long ordain_sys_duplicate_to(int fd, int to);
long ordain_sys_pipe(int *ends);
long ordain_sys_flags(int fd);
long ordain_sys_set_flags(int fd, int flags);
long ordain_sys_working_directory(char *to, size_t size);
long ordain_sys_change_directory(const char *path);
long ordain_sys_clock(void);
long ordain_sys_random(void *to, size_t size);

// The bits of the number that is nearest to a decimal one.
long ordain_sys_parse_double(const char *text);
long ordain_sys_parse_float(const char *text);

// Not calls of the system, but of the machine: time passes; a heap object.
void ordain_sys_sleep(uint64_t nanoseconds);
void *ordain_sys_allocate(size_t alignment, size_t size);

// A read that has to wait, and should be asked for again.
#define ORDAIN_ASK_AGAIN (-512)

// What a library function returns for what a system call returned.
static inline long ordain_answer(long result) {
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

#endif
