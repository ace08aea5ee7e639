// The names that functions have where offsets have 64 bits.
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int __open_2(const char *, int);
int __open64_2(const char *, int);
ssize_t __read_chk(int, void *, size_t, size_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
char *__fgets_chk(char *, size_t, int, FILE *);

int main(void) {
    struct stat64 status;
    char text[16] = {0};
    int fd = open64("large", O_RDWR | O_CREAT, 0600);
    printf("%zd %zd ", pwrite64(fd, "0123456789", 10, 0), pread64(fd, text, 4, 3));
    printf("%s %ld %d ", text, (long)lseek64(fd, 2, SEEK_SET), ftruncate64(fd, 6));
    printf("%d %ld ", fstat64(fd, &status), (long)status.st_size);
    printf("%d %ld ", stat64("large", &status), (long)status.st_size);
    printf("%d %ld ", lstat64("large", &status), (long)status.st_size);
    printf("%d %d %d\n", fstatat64(AT_FDCWD, "large", &status, 0), posix_fadvise64(fd, 0, 0, 0), fcntl64(fd, F_GETFD) >= 0);
    close(fd);
    fd = __open_2("large", O_RDONLY);
    printf("%zd %s ", __read_chk(fd, text, 3, sizeof text), text);
    close(fd);
    close(__open64_2("large", O_RDONLY));
    close(openat64(AT_FDCWD, "large", O_RDONLY));
    FILE *file = fopen64("large", "r+");
    printf("%d %ld %zu ", fseeko64(file, 1, SEEK_SET), (long)ftello64(file), __fread_chk(text, sizeof text, 1, 2, file));
    printf("%s ", __fgets_chk(text, sizeof text, 3, file));
    file = freopen64("large", "r", file);
    printf("%c\n", fgetc(file));
    fclose(file);
    fd = open("large", O_RDONLY);
    char *map = mmap64(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0);
    printf("%.4s ", map);
    printf("%d\n", munmap(map, 4));
    close(creat64("large", 0600));
    printf("%d\n", unlink("large"));
    return 0;
}
