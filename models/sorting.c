// Sorting and searching.

#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Arrays up to this size are sorted without asking for memory.
enum { SMALL_BYTES = 1024 };

struct order {
    size_t size;
    int (*compare)(const void *, const void *, void *);
    void *argument;
};

// Merge sort: halves are sorted, then merged; of equal elements the left one comes first.
static void sort(char *first, size_t count, char *room, const struct order *by) {
    if (count <= 1)
        return;
    size_t size = by->size, left = count / 2, right = count - left;
    char *a = first, *b = first + left * size, *to = room;
    sort(a, left, room, by);
    sort(b, right, room, by);
    while (left > 0 && right > 0) {
        if (by->compare(a, b, by->argument) <= 0) {
            memcpy(to, a, size);
            a += size;
            left--;
        } else {
            memcpy(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    // What is left of the right half is where it belongs.
    memcpy(to, a, left * size);
    memcpy(first, room, (count - right) * size);
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *argument) {
    struct order by = {size, compare, argument};
    char small[SMALL_BYTES];
    char *room = count * size <= SMALL_BYTES ? small : malloc(count * size);
    sort(base, count, room, &by);
    if (room != small)
        free(room);
}

static int without_argument(const void *a, const void *b, void *compare) {
    int (*plain)(const void *, const void *) = (int (*)(const void *, const void *))compare;
    return plain(a, b);
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    qsort_r(base, count, size, without_argument, (void *)compare);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + ((high - low) >> 1);
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0)
            return (void *)element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
