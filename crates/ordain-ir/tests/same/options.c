// getopt and getopt_long, with options between and behind operands, abbreviated, clustered and wrong.
#include <getopt.h>
#include <stdio.h>

static int flag;
static const struct option options[] = {
    {"threads", required_argument, 0, 'T'}, {"block-size", required_argument, 0, 300},
    {"keep", no_argument, 0, 'k'},          {"keep-going", no_argument, 0, 'g'},
    {"level", optional_argument, 0, 'l'},   {"flag", no_argument, &flag, 7},
    {0, 0, 0, 0},
};

static void parse(int argc, char **argv, const char *letters, int with_long) {
    optind = 0;
    opterr = 0;
    for (;;) {
        int index = -1;
        int c = with_long ? getopt_long(argc, argv, letters, options, &index) : getopt(argc, argv, letters);
        if (c == -1)
            break;
        printf("%d:%d:%s:%d ", c, index, optarg ? optarg : "-", c == '?' || c == ':' ? optopt : 0);
    }
    printf("flag %d, then", flag);
    for (int i = optind; i < argc; i++)
        printf(" %s", argv[i]);
    printf("\n");
}

#define PARSE(letters, with_long, ...)                                                                                 \
    do {                                                                                                               \
        char *argv[] = {"program", __VA_ARGS__, 0};                                                                    \
        parse(sizeof argv / sizeof *argv - 1, argv, letters, with_long);                                               \
    } while (0)

int main(void) {
    PARSE("ab:c::", 0, "-a", "-bx", "-b", "y", "-c", "-cz", "operand");
    PARSE("ab:c::", 0, "one", "-ab", "two", "three", "-a", "--", "-a");
    PARSE("+ab:", 0, "-a", "one", "-a");
    PARSE(":ab:", 0, "-x", "-b");
    PARSE("ab:", 0, "-axa", "-", "-a");
    PARSE("T:k", 1, "--threads=2", "file", "--threads", "3", "--block", "64KiB", "-kT4", "other");
    PARSE("T:k", 1, "--keep", "--keep-g", "--level", "--level=3", "--flag", "x");
    PARSE("T:k", 1, "--kee", "--unknown", "--keep=1", "--threads");
    return 0;
}
