// Packed bit-fields whose storage is one integer of more than 128 bits: read, written, compared, also next to each other.
// explore: safe
// native: same
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) fields {
    signed a : 27;
    unsigned b : 30;
    signed long c : 60;
    unsigned d : 4;
    signed e : 13;
    unsigned f : 1;
};

static struct fields shared = {-5, 77, -1234567890123, 5, -4000, 1};

static void show(const char *what, const struct fields *s) {
    printf("%s: %d %u %ld %u %d %u\n", what, s->a, s->b, (long)s->c, s->d, s->e, s->f);
}

int main(void) {
    struct fields local;
    show("at first", &shared);
    local.a = -1;
    local.b = 1u << 29;
    local.c = shared.c >> 3;
    local.d = 6;
    local.e = -4096;
    local.f = 0;
    show("local", &local);
    for (int i = 0; i < 40; i++) {
        local.a += i * 12345;
        local.c ^= (long)i << 50;
        local.e -= 700;
        local.f ^= 1;
        shared.d = local.d + i;
        shared.b ^= local.b >> (i % 29);
    }
    show("later", &local);
    show("shared", &shared);
    shared = local;
    show("copied", &shared);
    printf("%zu %d\n", sizeof shared, shared.c == local.c);
    return 0;
}
