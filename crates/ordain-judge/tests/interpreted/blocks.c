// Blocks of many sizes and alignments are filled, copied, moved and compared by two threads. What goes wrong, if anything,
// is chosen by a macro.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 400

static unsigned char shared[2][SIZE], middle[SIZE];

static unsigned checksum(const unsigned char *bytes, unsigned count) {
    unsigned sum = 17;
    for (unsigned i = 0; i < count; i++)
        sum = sum * 31 + bytes[i];
    return sum;
}

static unsigned own_loops(unsigned char *to, const unsigned char *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
    return checksum(to, (unsigned)count);
}

static void *work(void *argument) {
    unsigned part = (unsigned)(size_t)argument, sum = part;
    unsigned char *own = malloc(SIZE), *other = calloc(1, SIZE);
    for (unsigned i = 0; i < SIZE; i++)
        own[i] = (unsigned char)(i * 7 + part);
    for (unsigned size = 0; size < 180; size += 1 + size) {
        for (unsigned offset = 0; offset < 9; offset += 4) {
            memcpy(other + offset, own + 8, size);
            memmove(own + offset + 3, own + offset, size);
            memmove(own + offset, own + offset + 5, size);
            sum = sum * 31 + (memcmp(own, other, size) < 0) + (memcmp(other + offset, own + 8, size) == 0);
            memset(own + 190 + offset, (int)(size + part), size);
            sum += own_loops(other + 100, own + offset, size / 2);
        }
        sum = sum * 31 + checksum(own, SIZE) + checksum(other, SIZE);
    }
    memcpy(shared[part], own, SIZE);
#ifdef RACE
    memcpy(other, shared[1 - part], 200);
    memset(shared[0] + 150, 1, 100);
    // Neither the first nor the last bytes of the block race.
    if (part == 0)
        middle[160] = 1;
    else
        memcpy(other, middle, 300);
#endif
#ifdef UNDEFINED
    unsigned char *half = malloc(200), *copy = malloc(200);
    memset(half, 1, 90 + part);
    memcpy(copy, half, 200);
    sum += memcmp(copy, half, 120) ? 1 : 2;
#endif
#ifdef BOUNDS
    memcpy(other + 250, own, SIZE - 240);
#endif
#ifdef FREED
    unsigned char *volatile kept = own;
    free(own);
    memcpy(other, kept, 100);
#else
    free(own);
#endif
    free(other);
    return (void *)(size_t)sum;
}

int main(void) {
    pthread_t threads[2];
    void *sums[2];
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &sums[i]);
    printf("%u %u %u\n", (unsigned)(size_t)sums[0], (unsigned)(size_t)sums[1], checksum(shared[0], sizeof shared));
    return 0;
}
