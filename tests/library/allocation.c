// Memory in other ways than by malloc.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

static int aligned(const void *block, size_t to) {
    return block != NULL && (uintptr_t)block % to == 0;
}

int main(void) {
    for (size_t alignment = 8; alignment <= 8192; alignment *= 2) {
        void *block = NULL;
        int result = posix_memalign(&block, alignment, 100);
        memset(block, 1, 100);
        void *other = aligned_alloc(alignment, alignment), *third = memalign(alignment, 10);
        printf("%d %d %d %d\n", result, aligned(block, alignment), aligned(other, alignment), aligned(third, alignment));
        printf("%d\n", malloc_usable_size(block) >= 100);
        free(block);
        free(other);
        free(third);
    }
    void *unused;
    printf("%d %d\n", posix_memalign(&unused, 3, 1), posix_memalign(&unused, 4, 1));
    void *page = valloc(10), *pages = pvalloc(10);
    printf("%d %d\n", aligned(page, 4096), aligned(pages, 4096));
    free(page);
    free(pages);
    int *grown = reallocarray(NULL, 4, sizeof(int));
    grown[3] = 5;
    grown = reallocarray(grown, 8, sizeof(int));
    errno = 0;
    printf("%d %d", grown[3], reallocarray(grown, SIZE_MAX / 2, 4) == NULL);
    printf(" %d\n", errno);
    free(grown);
    char *map = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("%d %d %d ", aligned(map, 4096), map[0], map[9999]);
    map[9999] = 7;
    printf("%d %d %d ", madvise(map, 10000, MADV_NORMAL), msync(map, 10000, MS_SYNC), map[9999]);
    printf("%d\n", munmap(map, 10000));
    errno = 0;
    printf("%d %d\n", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, errno);
    printf("%d\n", mallopt(M_MMAP_THRESHOLD, 1 << 20));
    malloc_trim(0);
    unsigned char chance[32] = {0};
    printf("%zd %d\n", getrandom(chance, sizeof chance, 0), getentropy(chance, 16));
    return 0;
}
