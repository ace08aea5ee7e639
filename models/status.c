// What is known about files: status, mode, owner, times.

#define _GNU_SOURCE
#include "system.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

int stat(const char *restrict path, struct stat *restrict to) {
    return (int)ordain_answer(ordain_sys_status(AT_FDCWD, path, to, 0));
}

int lstat(const char *restrict path, struct stat *restrict to) {
    return (int)ordain_answer(ordain_sys_status(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW));
}

int fstat(int fd, struct stat *to) {
    return (int)ordain_answer(ordain_sys_status(fd, NULL, to, 0));
}

int fstatat(int directory, const char *restrict path, struct stat *restrict to, int flags) {
    if ((flags & AT_EMPTY_PATH) && !*path)
        return fstat(directory, to);
    return (int)ordain_answer(ordain_sys_status(directory, path, to, flags));
}

// On this machine there is no difference to the versions for large files.
int stat64(const char *restrict path, struct stat64 *restrict to) {
    return stat(path, (struct stat *)to);
}

int lstat64(const char *restrict path, struct stat64 *restrict to) {
    return lstat(path, (struct stat *)to);
}

int fstat64(int fd, struct stat64 *to) {
    return fstat(fd, (struct stat *)to);
}

int fstatat64(int directory, const char *restrict path, struct stat64 *restrict to, int flags) {
    return fstatat(directory, path, (struct stat *)to, flags);
}

int chmod(const char *path, mode_t mode) {
    return (int)ordain_answer(ordain_sys_change_mode(AT_FDCWD, path, (int)mode));
}

int fchmod(int fd, mode_t mode) {
    return (int)ordain_answer(ordain_sys_change_mode(fd, NULL, (int)mode));
}

int fchmodat(int directory, const char *path, mode_t mode, int flags) {
    (void)flags;
    return (int)ordain_answer(ordain_sys_change_mode(directory, path, (int)mode));
}

// There is one user, to whom everything belongs: nothing can be given away.
static int own(long result, const struct stat *status, uid_t user, gid_t group) {
    if (result < 0)
        return (int)ordain_answer(result);
    int same = (user == (uid_t)-1 || user == status->st_uid) && (group == (gid_t)-1 || group == status->st_gid);
    return (int)ordain_answer(same ? 0 : -EPERM);
}

int chown(const char *path, uid_t user, gid_t group) {
    struct stat status;
    return own(ordain_sys_status(AT_FDCWD, path, &status, 0), &status, user, group);
}

int lchown(const char *path, uid_t user, gid_t group) {
    struct stat status;
    return own(ordain_sys_status(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW), &status, user, group);
}

int fchown(int fd, uid_t user, gid_t group) {
    struct stat status;
    return own(ordain_sys_status(fd, NULL, &status, 0), &status, user, group);
}

int fchownat(int directory, const char *path, uid_t user, gid_t group, int flags) {
    struct stat status;
    return own(ordain_sys_status(directory, path, &status, flags), &status, user, group);
}

static int set_times(int directory, const char *path, const struct timespec *times, int flags) {
    return (int)ordain_answer(ordain_sys_set_times(directory, path, times, flags));
}

int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
    return set_times(directory, path, times, flags);
}

int futimens(int fd, const struct timespec times[2]) {
    return set_times(fd, NULL, times, 0);
}

static int in_microseconds(int directory, const char *path, const struct timeval times[2], int flags) {
    if (!times)
        return set_times(directory, path, NULL, flags);
    struct timespec exact[2];
    for (int i = 0; i < 2; i++) {
        exact[i].tv_sec = times[i].tv_sec;
        exact[i].tv_nsec = times[i].tv_usec * 1000;
    }
    return set_times(directory, path, exact, flags);
}

int utimes(const char *path, const struct timeval times[2]) {
    return in_microseconds(AT_FDCWD, path, times, 0);
}

int lutimes(const char *path, const struct timeval times[2]) {
    return in_microseconds(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
}

int futimes(int fd, const struct timeval times[2]) {
    return in_microseconds(fd, NULL, times, 0);
}

int futimesat(int directory, const char *path, const struct timeval times[2]) {
    return in_microseconds(directory, path, times, 0);
}

int utime(const char *path, const struct utimbuf *times) {
    if (!times)
        return set_times(AT_FDCWD, path, NULL, 0);
    struct timespec exact[2] = {{times->actime, 0}, {times->modtime, 0}};
    return set_times(AT_FDCWD, path, exact, 0);
}
