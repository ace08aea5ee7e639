// Streams on files and on standard input.
// stdin: first line\nsecond\n\nlast without end
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show(FILE *stream) {
    printf("at %ld, end %d, error %d\n", ftell(stream), feof(stream) != 0, ferror(stream) != 0);
}

static void lines(void) {
    char text[8], *line = NULL;
    size_t room = 0;
    printf("[%s]", fgets(text, sizeof text, stdin));
    printf("[%s]", fgets_unlocked(text, 2, stdin));
    int c = getchar();
    printf("%d %d ", c, ungetc(c, stdin));
    ssize_t length = getline(&line, &room, stdin);
    printf("%zd [%s]", length, line);
    length = getdelim(&line, &room, 'd', stdin);
    printf("%zd [%s]", length, line);
    printf("%c%c%c", getc(stdin), fgetc(stdin), getchar_unlocked());
    printf("%c%c", getc_unlocked(stdin), fgetc_unlocked(stdin));
    while ((length = getline(&line, &room, stdin)) > 0)
        printf("%zd [%s]", length, line);
    printf("%zd %d %d\n", length, getchar(), feof(stdin) != 0);
    free(line);
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    lines();
    FILE *file = fopen("made", "w+");
    show(file);
    printf("%zu %d %d %d ", fwrite("0123456789", 1, 10, file), fputs("abc", file) >= 0, fputc('d', file), putc('e', file));
    printf("%d %d %d %d\n", putc_unlocked('f', file), fputc_unlocked('g', file), fputs_unlocked("h", file) >= 0, fflush(file));
    show(file);
    printf("%d ", fseek(file, 3, SEEK_SET));
    char block[32] = {0};
    printf("%zu %s ", fread(block, 2, 3, file), block);
    show(file);
    printf("%d %d %d ", ungetc('Z', file), fgetc(file), fgetc(file));
    printf("%d %ld ", fseeko(file, -2, SEEK_END), (long)ftello(file));
    memset(block, 0, sizeof block);
    printf("%zu %s ", fread_unlocked(block, 1, 10, file), block);
    show(file);
    clearerr(file);
    show(file);
    rewind(file);
    printf("%zu ", fwrite_unlocked("XY", 2, 1, file));
    fprintf(file, "%d%s", 42, "!");
    rewind(file);
    printf("%s\n", fgets(block, sizeof block, file));
    printf("%d %d\n", fileno(file) > 2, fileno_unlocked(file) == fileno(file));
    printf("%d %d\n", feof_unlocked(file), ferror_unlocked(file));
    setbuf(file, NULL);
    setbuffer(file, NULL, 0);
    setlinebuf(file);
    flockfile(file);
    printf("%d\n", ftrylockfile(file));
    funlockfile(file);
    funlockfile(file);
    printf("%d\n", fclose(file));
    file = fopen("made", "a");
    fputs("appended", file);
    fclose(file);
    file = fopen("made", "r");
    printf("%d ", fputc('x', file));
    printf("%d ", ferror(file) != 0);
    clearerr_unlocked(file);
    while (!feof(file)) {
        int c = fgetc(file);
        if (c != EOF)
            putchar(c);
    }
    putchar_unlocked('\n');
    file = freopen("other", "w", file);
    fputs("reopened\n", file);
    fclose(file);
    int fd = open("other", O_RDONLY);
    file = fdopen(fd, "r");
    printf("%s", fgets(block, sizeof block, file));
    fclose(file);
    errno = 0;
    printf("%d %d ", fopen("missing/file", "r") == NULL, errno);
    errno = 0;
    printf("%d %d ", fopen("made", "?") == NULL, errno);
    errno = 0;
    printf("%d %d\n", fopen("made", "wx") == NULL, errno);
    errno = ENOENT;
    perror("prefix");
    errno = EACCES;
    perror(NULL);
    printf("%d %d\n", remove("made"), remove("other"));
    printf("%d\n", fflush_unlocked(stdout));
    __fpurge(stdout);
    return 0;
}
