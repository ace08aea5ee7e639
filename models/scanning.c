// scanf and its family: one machinery that takes characters from a text or a stream. No header with scanf in it: there, these
// names stand for others.

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _IO_FILE FILE;
extern FILE *stdin;
int fgetc(FILE *stream);
int ungetc(int c, FILE *stream);
int isspace(int c);
int isdigit(int c);
int isxdigit(int c);
int isalnum(int c);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
void *memset(void *to, int byte, size_t size);

enum { END = -1, LONGEST_NUMBER = 512, NO_WIDTH = 0x7fffffff };

// Where characters come from. One can be given back.
struct source {
    const char *text;
    FILE *stream;
    long count;
};

static int take(struct source *from) {
    int c;
    if (from->stream)
        c = fgetc(from->stream);
    else
        c = *from->text ? (unsigned char)*from->text++ : END;
    from->count += c != END;
    return c;
}

static void give_back(struct source *from, int c) {
    if (c == END)
        return;
    from->count--;
    if (from->stream)
        ungetc(c, from->stream);
    else
        from->text--;
}

static int skip_space(struct source *from) {
    int c;
    do
        c = take(from);
    while (c != END && isspace(c));
    give_back(from, c);
    return c;
}

enum size { TINY, SHORT, NORMAL, LONG, EXTENDED };

struct conversion {
    int width;
    int kept;
    enum size size;
    char letter;
};

// Parses what stands after a percent sign; returns what stands after the conversion.
static const char *parse(const char *format, struct conversion *to) {
    *to = (struct conversion){.width = NO_WIDTH, .kept = 1, .size = NORMAL};
    if (*format == '*') {
        to->kept = 0;
        format++;
    }
    if (isdigit((unsigned char)*format)) {
        char *end;
        to->width = (int)strtol(format, &end, 10);
        format = end;
    }
    for (;; format++) {
        if (*format == 'h')
            to->size = to->size == SHORT ? TINY : SHORT;
        else if (*format == 'l' || *format == 'j' || *format == 'z' || *format == 't' || *format == 'q')
            to->size = LONG;
        else if (*format == 'L')
            to->size = EXTENDED;
        else
            break;
    }
    to->letter = *format;
    return *format ? format + 1 : format;
}

static void store(void *to, enum size size, uint64_t value) {
    switch (size) {
    case TINY: *(unsigned char *)to = (unsigned char)value; break;
    case SHORT: *(unsigned short *)to = (unsigned short)value; break;
    case NORMAL: *(unsigned *)to = (unsigned)value; break;
    default: *(uint64_t *)to = value; break;
    }
}

// A text that is being collected, and how many characters it may still get.
struct collector {
    char text[LONGEST_NUMBER];
    int length, left;
};

// Takes the next character into the text if it is wanted; returns whether it was.
static int collect(struct source *from, struct collector *to, int (*wanted)(int)) {
    if (to->left == 0 || to->length == LONGEST_NUMBER - 1)
        return 0;
    int c = take(from);
    if (c == END || !wanted(c)) {
        give_back(from, c);
        return 0;
    }
    to->text[to->length++] = (char)c;
    to->left--;
    return 1;
}

static int is_sign(int c) {
    return c == '+' || c == '-';
}

static int is_zero(int c) {
    return c == '0';
}

static int is_x(int c) {
    return c == 'x' || c == 'X';
}

static int is_octal(int c) {
    return c >= '0' && c <= '7';
}

// The digits of an integer; 0 if there are none.
static int collect_integer(struct source *from, struct collector *to, int base) {
    collect(from, to, is_sign);
    int digits = 0;
    if ((base == 0 || base == 16) && collect(from, to, is_zero)) {
        digits = 1;
        // "0x" without digits is zero, to glibc.
        if (collect(from, to, is_x))
            base = 16;
        else if (base == 0)
            base = 8;
    }
    int (*is_digit)(int) = base == 16 ? isxdigit : base == 8 ? is_octal : isdigit;
    while (collect(from, to, is_digit))
        digits = 1;
    to->text[to->length] = 0;
    return digits;
}

static int is_point(int c) {
    return c == '.';
}

static int is_e(int c) {
    return c == 'e' || c == 'E';
}

static int is_p(int c) {
    return c == 'p' || c == 'P';
}

static int is_letter(int c) {
    return isalnum(c) && !isdigit(c);
}

static int collect_float(struct source *from, struct collector *to) {
    collect(from, to, is_sign);
    int sign = to->length, digits = 0, hexadecimal = 0;
    if (collect(from, to, is_zero)) {
        digits = 1;
        hexadecimal = collect(from, to, is_x);
        digits = !hexadecimal;
    }
    int (*is_digit)(int) = hexadecimal ? isxdigit : isdigit;
    while (collect(from, to, is_digit))
        digits = 1;
    if (!hexadecimal && !digits && to->length == sign) {
        // inf, infinity, nan
        while (to->length < sign + 8 && collect(from, to, is_letter))
            ;
        if (to->length > sign) {
            char *end;
            to->text[to->length] = 0;
            strtod(to->text, &end);
            return end != to->text;
        }
    }
    if (collect(from, to, is_point))
        while (collect(from, to, is_digit))
            digits = 1;
    if (digits && collect(from, to, hexadecimal ? is_p : is_e)) {
        // Digits may be missing there, to glibc.
        collect(from, to, is_sign);
        while (collect(from, to, isdigit))
            ;
    }
    to->text[to->length] = 0;
    return digits;
}

// The characters of a set such as [^a-z]; returns what stands after it.
static const char *parse_set(const char *format, unsigned char members[256]) {
    int excluded = *format == '^';
    format += excluded;
    memset(members, excluded, 256);
    const char *first = format;
    for (; *format && (*format != ']' || format == first); format++) {
        if (format[0] == '-' && format != first && format[1] && format[1] != ']') {
            for (int c = (unsigned char)format[-1]; c <= (unsigned char)format[1]; c++)
                members[c] = !excluded;
        } else {
            members[(unsigned char)*format] = !excluded;
        }
    }
    return *format ? format + 1 : format;
}

// Characters into memory, as long as they are members; returns how many.
static long copy(struct source *from, char *to, int width, const unsigned char *members) {
    long n = 0;
    while (n < width) {
        int c = take(from);
        if (c == END || !members[c]) {
            give_back(from, c);
            break;
        }
        if (to)
            to[n] = (char)c;
        n++;
    }
    return n;
}

enum outcome { MATCHED, MISMATCHED, EXHAUSTED };

static enum outcome scan_number(struct source *from, const struct conversion *c, void *to) {
    static const struct {
        char letter;
        signed char base;
    } bases[] = {{'d', 10}, {'u', 10}, {'i', 0}, {'o', 8}, {'x', 16}, {'X', 16}, {'p', 16}};
    struct collector text = {.left = c->width};
    if (skip_space(from) == END)
        return EXHAUSTED;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        if (bases[i].letter != c->letter)
            continue;
        if (!collect_integer(from, &text, bases[i].base))
            return MISMATCHED;
        int is_signed = c->letter == 'd' || c->letter == 'i';
        uint64_t value = is_signed ? (uint64_t)strtol(text.text, NULL, bases[i].base)
                                   : strtoul(text.text, NULL, bases[i].base);
        if (to)
            store(to, c->letter == 'p' ? LONG : c->size, value);
        return MATCHED;
    }
    if (!collect_float(from, &text))
        return MISMATCHED;
    if (!to)
        return MATCHED;
    if (c->size == LONG)
        *(double *)to = strtod(text.text, NULL);
    else
        *(float *)to = strtof(text.text, NULL);
    return MATCHED;
}

static enum outcome scan_text(struct source *from, const struct conversion *c, const unsigned char *members, char *to) {
    int width = c->width;
    if (c->letter == 'c')
        width = width == NO_WIDTH ? 1 : width;
    if (c->letter == 's')
        skip_space(from);
    int next = take(from);
    if (next == END)
        return EXHAUSTED;
    give_back(from, next);
    long n = copy(from, to, width, members);
    if (n == 0)
        return MISMATCHED;
    if (c->letter == 'c')
        return n == width ? MATCHED : EXHAUSTED;
    if (to)
        to[n] = 0;
    return MATCHED;
}

// Which characters belong to a text; returns what stands after the conversion.
static const char *members_of(const char *format, char letter, unsigned char members[256]) {
    if (letter == '[')
        return parse_set(format, members);
    memset(members, 1, 256);
    for (int c = 0; c < 256 && letter == 's'; c++)
        members[c] = !isspace(c);
    return format;
}

static int scan(struct source *from, const char *format, va_list arguments) {
    int matched = 0;
    while (*format) {
        if (isspace((unsigned char)*format)) {
            skip_space(from);
            format++;
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                skip_space(from);
                format++;
            }
            int c = take(from);
            if (c != (unsigned char)*format) {
                give_back(from, c);
                return c == END && matched == 0 ? END : matched;
            }
            format++;
            continue;
        }
        struct conversion c;
        unsigned char members[256];
        enum outcome outcome;
        format = parse(format + 1, &c);
        void *to = c.kept && c.letter ? va_arg(arguments, void *) : NULL;
        switch (c.letter) {
        case 'n':
            store(to, c.size, (uint64_t)from->count);
            continue;
        case 'c':
        case 's':
        case '[':
            format = members_of(format, c.letter, members);
            outcome = scan_text(from, &c, members, to);
            break;
        default: outcome = scan_number(from, &c, to); break;
        }
        if (outcome != MATCHED)
            return outcome == EXHAUSTED && matched == 0 ? END : matched;
        matched += c.kept;
    }
    return matched;
}

static int scan_string(const char *text, const char *format, va_list arguments) {
    struct source from = {.text = text};
    return scan(&from, format, arguments);
}

static int scan_stream(FILE *stream, const char *format, va_list arguments) {
    struct source from = {.stream = stream};
    return scan(&from, format, arguments);
}

// All versions of one function: the names that newer and older versions of C give it.
#define VARIANTS(version)                                                                                                 \
    int version##vsscanf(const char *text, const char *format, va_list arguments) {                                       \
        return scan_string(text, format, arguments);                                                                      \
    }                                                                                                                     \
    int version##vfscanf(FILE *stream, const char *format, va_list arguments) {                                           \
        return scan_stream(stream, format, arguments);                                                                    \
    }                                                                                                                     \
    int version##vscanf(const char *format, va_list arguments) {                                                          \
        return scan_stream(stdin, format, arguments);                                                                     \
    }                                                                                                                     \
    int version##sscanf(const char *text, const char *format, ...) {                                                      \
        va_list arguments;                                                                                                \
        va_start(arguments, format);                                                                                      \
        int matched = scan_string(text, format, arguments);                                                               \
        va_end(arguments);                                                                                                \
        return matched;                                                                                                   \
    }                                                                                                                     \
    int version##fscanf(FILE *stream, const char *format, ...) {                                                          \
        va_list arguments;                                                                                                \
        va_start(arguments, format);                                                                                      \
        int matched = scan_stream(stream, format, arguments);                                                             \
        va_end(arguments);                                                                                                \
        return matched;                                                                                                   \
    }                                                                                                                     \
    int version##scanf(const char *format, ...) {                                                                         \
        va_list arguments;                                                                                                \
        va_start(arguments, format);                                                                                      \
        int matched = scan_stream(stdin, format, arguments);                                                              \
        va_end(arguments);                                                                                                \
        return matched;                                                                                                   \
    }

VARIANTS()
VARIANTS(__isoc99_)
VARIANTS(__isoc23_)
