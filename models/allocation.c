// Memory in other ways than by malloc.

#define _GNU_SOURCE
#include "system.h"
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int is_power_of_two(size_t number) {
    return number != 0 && (number & (number - 1)) == 0;
}

int posix_memalign(void **to, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0)
        return EINVAL;
    void *block = ordain_sys_allocate(alignment, size);
    if (!block)
        return ENOMEM;
    *to = block;
    return 0;
}

// The next power of two is good enough for any alignment.
void *memalign(size_t alignment, size_t size) {
    size_t good = sizeof(void *);
    while (good < alignment)
        good *= 2;
    return ordain_sys_allocate(good, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

void *valloc(size_t size) {
    return ordain_sys_allocate(PAGE, size);
}

void *pvalloc(size_t size) {
    return ordain_sys_allocate(PAGE, (size + PAGE - 1) / PAGE * PAGE);
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

int mallopt(int parameter, int value) {
    (void)parameter, (void)value;
    return 1;
}

int malloc_trim(size_t kept) {
    (void)kept;
    return 0;
}

// A mapping is a heap object; one of a file has a copy of it. Shared mappings of files would have to write back.
void *mmap(void *wanted, size_t size, int protection, int flags, int fd, off_t offset) {
    (void)wanted, (void)protection;
    if (size == 0 || offset % PAGE != 0 || (flags & MAP_FIXED)) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    int of_file = !(flags & MAP_ANONYMOUS);
    if (of_file && (flags & MAP_SHARED) && (protection & PROT_WRITE)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    char *block = ordain_sys_allocate(PAGE, (size + PAGE - 1) / PAGE * PAGE);
    if (!block)
        return MAP_FAILED;
    size_t filled = 0;
    while (of_file && filled < size) {
        ssize_t more = pread(fd, block + filled, size - filled, offset + (off_t)filled);
        if (more < 0) {
            free(block);
            return MAP_FAILED;
        }
        if (more == 0)
            break;
        filled += (size_t)more;
    }
    __builtin_memset(block + filled, 0, (size + PAGE - 1) / PAGE * PAGE - filled);
    return block;
}

void *mmap64(void *wanted, size_t size, int protection, int flags, int fd, off_t offset) {
    return mmap(wanted, size, protection, flags, fd, offset);
}

// Only whole mappings: there is no way to keep the rest.
int munmap(void *block, size_t size) {
    if (malloc_usable_size(block) != (size + PAGE - 1) / PAGE * PAGE) {
        errno = EINVAL;
        return -1;
    }
    free(block);
    return 0;
}

int mprotect(void *block, size_t size, int protection) {
    (void)block, (void)size, (void)protection;
    return 0;
}

int madvise(void *block, size_t size, int advice) {
    (void)block, (void)size, (void)advice;
    return 0;
}

int msync(void *block, size_t size, int flags) {
    (void)block, (void)size, (void)flags;
    return 0;
}
