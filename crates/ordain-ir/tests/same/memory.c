// Blocks of memory, strings, lists on the heap, structures by value.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct large { long v[12]; struct point p; char name[16]; };
struct node { struct node *next; int value; };
static const int table[5] = { 3, 1, 4, 1, 5 };
static struct large origin = { { 1, 2, 3 }, { 4, 5 }, "origin" };
static char *words[] = { "alpha", "beta", "gamma" };

static struct point add(struct point a, struct point b) { return (struct point){ a.x + b.x, a.y + b.y }; }
static struct large grow(struct large l, int by) {
    for (int i = 0; i < 12; i++)
        l.v[i] += by * i;
    l.p = add(l.p, (struct point){ by, -by });
    return l;
}
static long sum(const struct large *l) {
    long s = l->p.x * 1000 + l->p.y;
    for (int i = 0; i < 12; i++)
        s = s * 3 + l->v[i];
    return s;
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void sort(int *a, int n, int (*less)(const void *, const void *)) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && less(&a[j - 1], &a[j]) > 0; j--) {
            int t = a[j];
            a[j] = a[j - 1];
            a[j - 1] = t;
        }
}

int main(int argc, char **argv) {
    struct large a = origin, b = grow(a, 2), c;
    memcpy(&c, &b, sizeof c);
    c.v[3]++;
    printf("%ld %ld %ld %s %d\n", sum(&a), sum(&b), sum(&c), b.name, memcmp(&b, &c, sizeof b) < 0);

    struct node *list = NULL;
    for (int i = 0; i < 20; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i * i % 7;
        n->next = list;
        list = n;
    }
    int total = 0;
    while (list) {
        struct node *n = list;
        total = total * 2 + n->value;
        list = n->next;
        free(n);
    }
    printf("%d\n", total);

    char text[64] = "abc";
    strcat(text, words[2]);
    memmove(text + 2, text, 9);
    memmove(text, text + 1, 7);
    memset(text + 11, '!', 4);
    text[15] = 0;
    printf("%s %d %d %d\n", text, (int)strlen(text), strcmp("ab", "abc"), strncmp("abd", "abc", 2));
    char *copy = strdup(words[1]);
    printf("%s %s %d\n", copy, strchr(copy, 't'), atoi(" -123x"));
    free(copy);

    int numbers[9] = { 5, 2, 8, 1, 9, 3, 7, 4, 6 };
    sort(numbers, 9, compare);
    int n = argc + 4, grid[3][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, variable[n];
    for (int i = 0; i < n; i++)
        variable[i] = numbers[i] * table[i % 5] + grid[i % 3][(i + 1) % 3];
    long checksum = 0;
    for (int i = 0; i < n; i++)
        checksum = checksum * 31 + variable[i];
    char big[300], other[300];
    for (int i = 0; i < 300; i++)
        big[i] = (char)(i * 7);
    memcpy(other, big, 300);
    memmove(big + 3, big, 290);
    for (int i = 0; i < 300; i++)
        checksum = checksum * 33 + big[i] + other[i];
    int *zeros = calloc(10, sizeof(int));
    zeros = realloc(zeros, 20 * sizeof(int));
    zeros[15] = 5;
    printf("%ld %d %d\n", checksum, zeros[3] + zeros[15], argv[argc] == NULL);
    free(zeros);
    return 0;
}
