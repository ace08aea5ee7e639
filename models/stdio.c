// Streams without buffers: every byte is where it belongs when a call returns. A stream is a FILE as the C library has it,
// since macros of its headers look into it; of its members only the descriptor, the flags for end and error, and one for a
// character that was pushed back mean anything. Threads may share streams, so what changes in them is atomic.

#define _GNU_SOURCE
#include "system.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_END = 0x10, FAILED = 0x20 };

static FILE standard_input = {._fileno = 0}, standard_output = {._fileno = 1}, standard_error = {._fileno = 2};
FILE *stdin = &standard_input, *stdout = &standard_output, *stderr = &standard_error;

static void set(FILE *stream, int flag) {
    __atomic_fetch_or(&stream->_flags, flag, __ATOMIC_RELAXED);
}

static int has(FILE *stream, int flag) {
    return (__atomic_load_n(&stream->_flags, __ATOMIC_RELAXED) & flag) != 0;
}

// The character that was pushed back, plus one; 0 if there is none.
static int take_pushed(FILE *stream) {
    if (__atomic_load_n(&stream->_cur_column, __ATOMIC_RELAXED) == 0)
        return 0;
    return __atomic_exchange_n(&stream->_cur_column, 0, __ATOMIC_RELAXED);
}

static FILE *new_stream(int fd) {
    FILE *stream = calloc(1, sizeof *stream);
    if (stream)
        stream->_fileno = fd;
    return stream;
}

// The flags of a mode such as "r+b"; -1 if there is no such mode.
static int mode_flags(const char *mode) {
    int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    if (mode[0] == 'w')
        flags |= O_CREAT | O_TRUNC;
    else if (mode[0] == 'a')
        flags |= O_CREAT | O_APPEND;
    else if (mode[0] != 'r')
        return -1;
    for (const char *p = mode + 1; *p && *p != ','; p++) {
        if (*p == '+')
            flags = (flags & ~(O_RDONLY | O_WRONLY)) | O_RDWR;
        if (*p == 'x')
            flags |= O_EXCL;
    }
    return flags;
}

static int open_for(const char *path, const char *mode) {
    int flags = mode_flags(mode);
    if (flags < 0) {
        errno = EINVAL;
        return -1;
    }
    return open(path, flags, 0666);
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
    int fd = open_for(path, mode);
    return fd < 0 ? NULL : new_stream(fd);
}

FILE *fopen64(const char *restrict path, const char *restrict mode) {
    return fopen(path, mode);
}

FILE *fdopen(int fd, const char *mode) {
    if (mode_flags(mode) < 0) {
        errno = EINVAL;
        return NULL;
    }
    long flags = ordain_answer(ordain_sys_flags(fd));
    return flags < 0 ? NULL : new_stream(fd);
}

FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream) {
    if (!path) {
        // Another mode for the same file: nothing depends on it.
        return stream;
    }
    int fd = open_for(path, mode);
    if (fd < 0)
        return NULL;
    dup2(fd, stream->_fileno);
    close(fd);
    __atomic_store_n(&stream->_flags, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&stream->_cur_column, 0, __ATOMIC_RELAXED);
    return stream;
}

FILE *freopen64(const char *restrict path, const char *restrict mode, FILE *restrict stream) {
    return freopen(path, mode, stream);
}

int fclose(FILE *stream) {
    int result = close(stream->_fileno);
    if (stream != &standard_input && stream != &standard_output && stream != &standard_error)
        free(stream);
    return result;
}

// Nothing is ever left to be written.
int fflush(FILE *stream) {
    (void)stream;
    return 0;
}

int fflush_unlocked(FILE *stream) {
    return fflush(stream);
}

void __fpurge(FILE *stream) {
    take_pushed(stream);
}

int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size) {
    (void)stream, (void)buffer, (void)size;
    return mode == _IOFBF || mode == _IOLBF || mode == _IONBF ? 0 : -1;
}

void setbuf(FILE *restrict stream, char *restrict buffer) {
    (void)stream, (void)buffer;
}

void setbuffer(FILE *stream, char *buffer, size_t size) {
    (void)stream, (void)buffer, (void)size;
}

void setlinebuf(FILE *stream) {
    (void)stream;
}

int fileno(FILE *stream) {
    return stream->_fileno;
}

int fileno_unlocked(FILE *stream) {
    return stream->_fileno;
}

int feof(FILE *stream) {
    return has(stream, AT_END);
}

int feof_unlocked(FILE *stream) {
    return has(stream, AT_END);
}

int ferror(FILE *stream) {
    return has(stream, FAILED);
}

int ferror_unlocked(FILE *stream) {
    return has(stream, FAILED);
}

void clearerr(FILE *stream) {
    __atomic_fetch_and(&stream->_flags, ~(AT_END | FAILED), __ATOMIC_RELAXED);
}

void clearerr_unlocked(FILE *stream) {
    clearerr(stream);
}

size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream) {
    size_t wanted = size * count, got = 0;
    if (wanted == 0)
        return 0;
    int pushed = take_pushed(stream);
    if (pushed)
        ((char *)to)[got++] = (char)(pushed - 1);
    while (got < wanted) {
        ssize_t more = read(stream->_fileno, (char *)to + got, wanted - got);
        if (more <= 0) {
            set(stream, more == 0 ? AT_END : FAILED);
            break;
        }
        got += (size_t)more;
    }
    return got / size;
}

size_t fread_unlocked(void *restrict to, size_t size, size_t count, FILE *restrict stream) {
    return fread(to, size, count, stream);
}

size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t count, FILE *restrict stream) {
    if (size * count > room)
        abort();
    return fread(to, size, count, stream);
}

size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream) {
    size_t wanted = size * count, done = 0;
    if (wanted == 0)
        return 0;
    while (done < wanted) {
        ssize_t more = write(stream->_fileno, (const char *)from + done, wanted - done);
        if (more <= 0) {
            set(stream, FAILED);
            break;
        }
        done += (size_t)more;
    }
    return done / size;
}

size_t fwrite_unlocked(const void *restrict from, size_t size, size_t count, FILE *restrict stream) {
    return fwrite(from, size, count, stream);
}

int fgetc(FILE *stream) {
    unsigned char c;
    return fread(&c, 1, 1, stream) == 1 ? c : EOF;
}

int getc(FILE *stream) {
    return fgetc(stream);
}

int _IO_getc(FILE *stream) {
    return fgetc(stream);
}

int getc_unlocked(FILE *stream) {
    return fgetc(stream);
}

int fgetc_unlocked(FILE *stream) {
    return fgetc(stream);
}

// What the C library's macros call for the next character.
int __uflow(FILE *stream) {
    return fgetc(stream);
}

int getchar(void) {
    return fgetc(stdin);
}

int getchar_unlocked(void) {
    return fgetc(stdin);
}

int ungetc(int c, FILE *stream) {
    if (c == EOF || __atomic_load_n(&stream->_cur_column, __ATOMIC_RELAXED) != 0)
        return EOF;
    __atomic_store_n(&stream->_cur_column, (unsigned short)((unsigned char)c + 1), __ATOMIC_RELAXED);
    __atomic_fetch_and(&stream->_flags, ~AT_END, __ATOMIC_RELAXED);
    return (unsigned char)c;
}

char *fgets(char *restrict to, int size, FILE *restrict stream) {
    if (size <= 0)
        return NULL;
    int n = 0;
    while (n < size - 1) {
        int c = fgetc(stream);
        if (c == EOF)
            break;
        to[n++] = (char)c;
        if (c == '\n')
            break;
    }
    if ((n == 0 && size > 1) || has(stream, FAILED))
        return NULL;
    to[n] = 0;
    return to;
}

char *fgets_unlocked(char *restrict to, int size, FILE *restrict stream) {
    return fgets(to, size, stream);
}

char *__fgets_chk(char *restrict to, size_t room, int size, FILE *restrict stream) {
    if (size > 0 && (size_t)size > room)
        abort();
    return fgets(to, size, stream);
}

ssize_t getdelim(char **restrict line, size_t *restrict room, int delimiter, FILE *restrict stream) {
    if (!line || !room) {
        errno = EINVAL;
        return -1;
    }
    size_t n = 0;
    for (;;) {
        int c = fgetc(stream);
        if (c == EOF && (n == 0 || has(stream, FAILED)))
            return -1;
        if (!*line || n + 2 > *room) {
            size_t larger = n + 2 > 60 ? 2 * (n + 2) : 120;
            char *grown = realloc(*line, larger);
            if (!grown)
                return -1;
            *line = grown;
            *room = larger;
        }
        if (c == EOF)
            break;
        (*line)[n++] = (char)c;
        if (c == delimiter)
            break;
    }
    (*line)[n] = 0;
    return (ssize_t)n;
}

ssize_t __getdelim(char **restrict line, size_t *restrict room, int delimiter, FILE *restrict stream) {
    return getdelim(line, room, delimiter, stream);
}

ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream) {
    return getdelim(line, room, '\n', stream);
}

int fseeko(FILE *stream, off_t offset, int whence) {
    // A character that was pushed back counts as not read.
    if (take_pushed(stream) && whence == SEEK_CUR)
        offset--;
    if (lseek(stream->_fileno, offset, whence) < 0)
        return -1;
    __atomic_fetch_and(&stream->_flags, ~AT_END, __ATOMIC_RELAXED);
    return 0;
}

int fseeko64(FILE *stream, off_t offset, int whence) {
    return fseeko(stream, offset, whence);
}

int fseek(FILE *stream, long offset, int whence) {
    return fseeko(stream, offset, whence);
}

off_t ftello(FILE *stream) {
    off_t at = lseek(stream->_fileno, 0, SEEK_CUR);
    int pushed = __atomic_load_n(&stream->_cur_column, __ATOMIC_RELAXED) != 0;
    return at > 0 && pushed ? at - 1 : at;
}

off_t ftello64(FILE *stream) {
    return ftello(stream);
}

long ftell(FILE *stream) {
    return ftello(stream);
}

void rewind(FILE *stream) {
    fseeko(stream, 0, SEEK_SET);
    clearerr(stream);
}
