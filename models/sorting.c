// Sorting and searching.

#include <stddef.h>

// Insertion sort: any sort will do, and this one compares what is next to each other.
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *first = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            char *left = first + (j - 1) * size, *right = first + j * size;
            if (compare(left, right) <= 0)
                break;
            for (size_t k = 0; k < size; k++) {
                char byte = left[k];
                left[k] = right[k];
                right[k] = byte;
            }
        }
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
