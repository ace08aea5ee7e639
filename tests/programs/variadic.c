// explore: safe
// native: same
// Variable arguments: integers, floating point, structures, lists handed on and copied, calls through pointers.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct pair { long a, b; };
struct large { long a, b, c; };
struct mixed { double x; int y; };

static long sum(int count, ...) {
    va_list list;
    va_start(list, count);
    long total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static long sum_list(int count, va_list list) {
    long total = 0;
    for (int i = 0; i < count; i++)
        total += va_arg(list, long);
    return total;
}

static long twice(int count, ...) {
    va_list list, again;
    va_start(list, count);
    va_copy(again, list);
    long total = sum_list(count, list) * 100 + sum_list(count, again);
    va_end(again);
    va_end(list);
    return total;
}

static long structures(const char *what, ...) {
    va_list list;
    va_start(list, what);
    struct pair pair = va_arg(list, struct pair);
    char c = (char)va_arg(list, int);
    struct large large = va_arg(list, struct large);
    struct mixed mixed = va_arg(list, struct mixed);
    const char *text = va_arg(list, const char *);
    va_end(list);
    assert(c == 'x' && text[0] == 'e' && what[0] == 'w');
    return pair.a + 10 * pair.b + 100 * large.a + 1000 * large.b + 10000 * large.c + 100000 * mixed.y;
}

static long fixed(int count) {
    return count;
}

static long nested(int depth, ...) {
    va_list list;
    va_start(list, depth);
    long own = va_arg(list, int);
    long below = depth ? nested(depth - 1, (int)own + 1, depth) : 0;
    long second = va_arg(list, int);
    va_end(list);
    return 100 * below + 10 * own + second;
}

int main(void) {
    long (*function)(int, ...) = sum;
    assert(sum(0) == 0 && sum(3, 1, 2, 3) == 6);
    assert(sum(12, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 12);
    assert(function(2, 40, 2) == 42);
    assert(twice(2, 3L, 4L) == 707);
    assert(structures("w", (struct pair){1, 2}, 'x', (struct large){3, 4, 5}, (struct mixed){0.5, 6}, "e") == 654321);
    assert(nested(1, 2, 3) == 3123);
    long (*plain)() = (long (*)())fixed;
    assert(plain(7) == 7);
    printf("%ld %ld\n", sum(2, 20, 22), nested(1, 2, 3));
    return 0;
}
