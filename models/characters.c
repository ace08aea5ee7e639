// The tables behind the macros of ctype.h, for the C locale.

#include <ctype.h>

#define BETWEEN(c, first, last) ((c) >= (first) && (c) <= (last))
#define UPPER(c) BETWEEN(c, 'A', 'Z')
#define LOWER(c) BETWEEN(c, 'a', 'z')
#define DIGIT(c) BETWEEN(c, '0', '9')
#define BLANK(c) ((c) == ' ' || (c) == '\t')
#define GRAPH(c) BETWEEN(c, '!', '~')
#define ALPHA(c) (UPPER(c) || LOWER(c))
#define HEX(c) (DIGIT(c) || BETWEEN(c, 'A', 'F') || BETWEEN(c, 'a', 'f'))

// The index is 128 more than the character, which may be negative.
#define CLASSES(i) CLASSES_OF((i) - 128)
#define CLASSES_OF(c)                                                                                                  \
    (UPPER(c) ? _ISupper : 0) | (LOWER(c) ? _ISlower : 0) | (ALPHA(c) ? _ISalpha : 0) | (DIGIT(c) ? _ISdigit : 0) |    \
        (HEX(c) ? _ISxdigit : 0) | (BETWEEN(c, '\t', '\r') || (c) == ' ' ? _ISspace : 0) |                             \
        (BETWEEN(c, ' ', '~') ? _ISprint : 0) | (GRAPH(c) ? _ISgraph : 0) | (BLANK(c) ? _ISblank : 0) |                \
        (BETWEEN(c, 0, 31) || (c) == 127 ? _IScntrl : 0) | (ALPHA(c) || DIGIT(c) ? _ISalnum : 0) |                     \
        (GRAPH(c) && !ALPHA(c) && !DIGIT(c) ? _ISpunct : 0)
#define TO_UPPER(i) (LOWER((i) - 128) ? (i) - 128 - 'a' + 'A' : (i) - 128)
#define TO_LOWER(i) (UPPER((i) - 128) ? (i) - 128 - 'A' + 'a' : (i) - 128)

#define FOUR(of, i) of(i), of((i) + 1), of((i) + 2), of((i) + 3)
#define SIXTEEN(of, i) FOUR(of, i), FOUR(of, (i) + 4), FOUR(of, (i) + 8), FOUR(of, (i) + 12)
#define SIXTY_FOUR(of, i) SIXTEEN(of, i), SIXTEEN(of, (i) + 16), SIXTEEN(of, (i) + 32), SIXTEEN(of, (i) + 48)
#define ALL(of)                                                                                                        \
    SIXTY_FOUR(of, 0), SIXTY_FOUR(of, 64), SIXTY_FOUR(of, 128), SIXTY_FOUR(of, 192), SIXTY_FOUR(of, 256),              \
        SIXTY_FOUR(of, 320)

static const unsigned short classes[384] = {ALL(CLASSES)};
static const int upper[384] = {ALL(TO_UPPER)}, lower[384] = {ALL(TO_LOWER)};
static const unsigned short *const middle_of_classes = classes + 128;
static const int *const middle_of_upper = upper + 128, *const middle_of_lower = lower + 128;

const unsigned short **__ctype_b_loc(void) {
    return (const unsigned short **)&middle_of_classes;
}

const int **__ctype_toupper_loc(void) {
    return (const int **)&middle_of_upper;
}

const int **__ctype_tolower_loc(void) {
    return (const int **)&middle_of_lower;
}

static int is(int c, int class) {
    return middle_of_classes[c] & class;
}

#undef isalpha
#undef isalnum
#undef isupper
#undef islower
#undef isxdigit
#undef isprint
#undef isgraph
#undef ispunct
#undef iscntrl
#undef isblank
#undef toupper
#undef tolower

int isalpha(int c) {
    return is(c, _ISalpha);
}

int isalnum(int c) {
    return is(c, _ISalnum);
}

int isupper(int c) {
    return is(c, _ISupper);
}

int islower(int c) {
    return is(c, _ISlower);
}

int isxdigit(int c) {
    return is(c, _ISxdigit);
}

int isprint(int c) {
    return is(c, _ISprint);
}

int isgraph(int c) {
    return is(c, _ISgraph);
}

int ispunct(int c) {
    return is(c, _ISpunct);
}

int iscntrl(int c) {
    return is(c, _IScntrl);
}

int isblank(int c) {
    return is(c, _ISblank);
}

int toupper(int c) {
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

int tolower(int c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}
