// Listing directories.

#define _GNU_SOURCE
#include "system.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct __dirstream {
    int fd;
    struct dirent entry;
};

DIR *fdopendir(int fd) {
    struct stat status;
    if (fstat(fd, &status) < 0)
        return NULL;
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    DIR *directory = malloc(sizeof *directory);
    if (directory)
        directory->fd = fd;
    return directory;
}

DIR *opendir(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? NULL : fdopendir(fd);
}

struct dirent *readdir(DIR *directory) {
    long more = ordain_answer(ordain_sys_next_entry(directory->fd, &directory->entry));
    return more > 0 ? &directory->entry : NULL;
}

struct dirent64 *readdir64(DIR *directory) {
    return (struct dirent64 *)readdir(directory);
}

void rewinddir(DIR *directory) {
    lseek(directory->fd, 0, SEEK_SET);
}

int dirfd(DIR *directory) {
    return directory->fd;
}

int closedir(DIR *directory) {
    int result = close(directory->fd);
    free(directory);
    return result;
}
