// Files by descriptor and by name, and what is known about them.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#define SHOW(call)                                                                                                        \
    do {                                                                                                                  \
        errno = 0;                                                                                                        \
        long result = (long)(call);                                                                                       \
        printf("%s: %ld %d\n", #call, result, errno);                                                                     \
    } while (0)

static void descriptors(void) {
    char text[32] = {0};
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0666);
    SHOW(fd >= 0);
    SHOW(write(fd, "hello world", 11));
    SHOW(lseek(fd, 6, SEEK_SET));
    SHOW(read(fd, text, 10));
    puts(text);
    SHOW(read(fd, text, 10));
    SHOW(pread(fd, text, 5, 0));
    SHOW(pwrite(fd, "HE", 2, 0));
    SHOW(lseek(fd, -3, SEEK_END));
    SHOW(lseek(fd, 1, SEEK_CUR));
    SHOW(lseek(fd, -100, SEEK_CUR));
    SHOW(lseek(fd, 0, 77));
    SHOW(ftruncate(fd, 5));
    SHOW(truncate("file", 8));
    SHOW(pread(fd, text, 20, 0));
    SHOW(posix_fallocate(fd, 0, 20));
    SHOW(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
    SHOW(posix_fadvise(fd, 0, 0, 99));
    SHOW(fsync(fd));
    SHOW(fdatasync(fd));
    int twin = dup(fd);
    SHOW(twin > fd);
    SHOW(lseek(twin, 0, SEEK_CUR));
    SHOW(dup2(fd, 50));
    SHOW(dup2(fd, fd) == fd);
    SHOW(dup3(fd, 51, O_CLOEXEC));
    SHOW(dup3(fd, fd, 0));
    SHOW(fcntl(fd, F_DUPFD, 60));
    SHOW(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND));
    SHOW(fcntl(fd, F_SETFL, O_APPEND));
    SHOW(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND));
    SHOW(fcntl(fd, F_SETFD, FD_CLOEXEC));
    SHOW(fcntl(99, F_GETFL));
    SHOW(lseek(fd, 0, SEEK_SET));
    SHOW(write(fd, "end", 3));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(isatty(fd));
    SHOW(isatty(99));
    struct winsize size;
    SHOW(ioctl(fd, TIOCGWINSZ, &size));
    SHOW(close(fd));
    SHOW(close(fd));
    SHOW(read(fd, text, 1));
    SHOW(write(fd, text, 1));
    SHOW(open("missing", O_RDONLY));
    SHOW(open("file", O_RDONLY | O_CREAT | O_EXCL, 0600));
    SHOW(open("file/below", O_RDONLY));
    SHOW(open("file", O_RDONLY | O_DIRECTORY));
    SHOW(open(".", O_WRONLY));
    fd = creat("second", 0640);
    SHOW(read(fd, text, 1));
    SHOW(close(fd));
    fd = openat(AT_FDCWD, "second", O_WRONLY | O_APPEND);
    SHOW(write(fd, "x", 1));
    SHOW(close(fd));
}

static void pipes(void) {
    int ends[2];
    char text[8] = {0};
    SHOW(pipe(ends));
    SHOW(write(ends[1], "abc", 3));
    SHOW(read(ends[0], text, 2));
    SHOW(lseek(ends[0], 0, SEEK_SET));
    SHOW(close(ends[1]));
    SHOW(read(ends[0], text, 8));
    SHOW(read(ends[0], text, 8));
    SHOW(close(ends[0]));
    SHOW(pipe2(ends, O_NONBLOCK));
    SHOW(read(ends[0], text, 8));
    struct pollfd ready = {.fd = ends[1], .events = POLLOUT};
    SHOW(poll(&ready, 1, 0));
    printf("%d\n", ready.revents);
}

static void show_status(const char *path) {
    struct stat status;
    if (lstat(path, &status) < 0) {
        printf("%s: %s\n", path, strerror(errno));
        return;
    }
    printf("%s: %o %ld %ld.%09ld\n", path, status.st_mode, S_ISDIR(status.st_mode) ? 0L : (long)status.st_size,
           S_ISDIR(status.st_mode) ? 0L : status.st_mtim.tv_sec % 100000, S_ISDIR(status.st_mode) ? 0L : status.st_mtim.tv_nsec);
}

static void names(void) {
    struct stat status;
    struct timespec exact[2] = {{1000, 5}, {2000, 123456789}};
    struct timeval rough[2] = {{3000, 0}, {4000, 500}};
    struct utimbuf coarse = {5000, 6000};
    SHOW(utimensat(AT_FDCWD, "file", exact, 0));
    show_status("file");
    SHOW(utimes("file", rough));
    show_status("file");
    SHOW(lutimes("file", rough));
    SHOW(futimesat(AT_FDCWD, "file", rough));
    SHOW(utime("file", &coarse));
    show_status("file");
    int fd = open("file", O_RDONLY);
    SHOW(futimens(fd, exact));
    SHOW(futimes(fd, rough));
    show_status("file");
    SHOW(chmod("file", 0600));
    show_status("file");
    SHOW(fchmod(fd, 0755));
    show_status("file");
    SHOW(fchmodat(AT_FDCWD, "file", 0644, 0));
    SHOW(fstat(fd, &status));
    SHOW(chown("file", status.st_uid, -1));
    SHOW(lchown("file", -1, status.st_gid));
    SHOW(fchown(fd, -1, -1));
    SHOW(fchownat(AT_FDCWD, "file", -1, -1, 0));
    SHOW(fstatat(AT_FDCWD, "file", &status, 0));
    SHOW(stat("missing", &status));
    SHOW(umask(027));
    SHOW(umask(022));
    SHOW(mkdir("directory", 0777));
    SHOW(mkdir("directory", 0777));
    SHOW(mkdirat(AT_FDCWD, "directory/inner", 0700));
    show_status("directory");
    SHOW(rename("second", "directory/third"));
    SHOW(renameat(AT_FDCWD, "directory/third", AT_FDCWD, "directory/fourth"));
    SHOW(rename("missing", "other"));
    SHOW(access("directory/fourth", F_OK));
    SHOW(access("directory/fourth", R_OK | W_OK));
    SHOW(access("missing", F_OK));
    SHOW(faccessat(AT_FDCWD, "file", R_OK, 0));
    SHOW(rmdir("directory"));
    SHOW(unlink("directory"));
    SHOW(remove("directory/fourth"));
    SHOW(remove("directory/inner"));
    SHOW(chdir("directory"));
    char here[4096], *made = getcwd(NULL, 0);
    SHOW(getcwd(here, sizeof here) != NULL);
    SHOW(strcmp(here, made));
    puts(strrchr(here, '/'));
    free(made);
    SHOW(getcwd(here, 2) == NULL);
    SHOW(chdir(".."));
    SHOW(rmdir("directory"));
    SHOW(readlink("file", here, sizeof here));
    SHOW(unlinkat(AT_FDCWD, "file", 0));
    SHOW(fstat(fd, &status));
    sync();
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void directories(void) {
    SHOW(mkdir("list", 0755));
    for (int i = 0; i < 5; i++) {
        char path[32];
        snprintf(path, sizeof path, "list/%c", 'a' + i);
        close(open(path, O_WRONLY | O_CREAT, 0644));
    }
    DIR *directory = opendir("list");
    SHOW(dirfd(directory) > 2);
    for (int round = 0; round < 2; round++) {
        char *found[16];
        int count = 0;
        for (struct dirent *entry; (entry = readdir(directory));)
            found[count++] = strdup(entry->d_name);
        qsort(found, (size_t)count, sizeof found[0], by_name);
        for (int i = 0; i < count; i++) {
            printf("%s ", found[i]);
            free(found[i]);
        }
        rewinddir(directory);
    }
    struct dirent64 *entry = readdir64(directory);
    SHOW(entry != NULL);
    SHOW(closedir(directory));
    SHOW(opendir("missing") == NULL);
    int fd = open("list/a", O_RDWR);
    SHOW(fdopendir(fd) == NULL);
    SHOW(write(fd, "mapped", 6));
    char *map = mmap(NULL, 6, PROT_READ, MAP_PRIVATE, fd, 0);
    printf("%.6s %d\n", map, map[6]);
    SHOW(mprotect(map, 6, PROT_READ | PROT_WRITE));
    SHOW(munmap(map, 6));
    for (int i = 0; i < 5; i++) {
        char path[32];
        snprintf(path, sizeof path, "list/%c", 'a' + i);
        unlink(path);
    }
    SHOW(rmdir("list"));
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    umask(022);
    descriptors();
    pipes();
    names();
    directories();
    return 0;
}
