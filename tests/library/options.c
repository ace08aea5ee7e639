// getopt and getopt_long: results, what is left, complaints.
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static int flag;
static const struct option longs[] = {
    {"alpha", no_argument, NULL, 'a'},   {"beta", required_argument, NULL, 'b'}, {"gamma", optional_argument, NULL, 'g'},
    {"flag", no_argument, &flag, 42},    {"alphabet", no_argument, NULL, 'A'},   {NULL, 0, NULL, 0},
};

static char *const lines[][8] = {
    {"p"},
    {"p", "-a", "x", "-b", "v", "y"},
    {"p", "-abv", "-ga", "-g", "z"},
    {"p", "-ab"},
    {"p", "-z", "-a"},
    {"p", "-az"},
    {"p", "--", "-a"},
    {"p", "x", "--", "-a", "y"},
    {"p", "-", "-a", "-"},
    {"p", "--alpha", "--beta=1", "--beta", "2", "--gamma"},
    {"p", "--gamma=3", "--fl", "--be", "4", "x", "--alphab"},
    {"p", "--alpha=1"},
    {"p", "--beta"},
    {"p", "--unknown", "--unknown=1"},
    {"p", "x", "y", "-a", "z", "-bq", "w"},
};

static void report(int argc, char **argv, int result, int index) {
    printf("%d(%c) %s %d %d %d;", result, result > ' ' ? result : ' ', optarg ? optarg : "none", optind, index, flag);
    if (result == '?' || result == ':')
        printf(" about %d;", optopt);
    if (result == -1)
        for (int i = optind; i < argc; i++)
            printf(" %s", argv[i]);
}

static void parse(char *const *line, const char *letters, int with_longs) {
    char *argv[9] = {0};
    int argc = 0, result, index;
    for (; argc < 8 && line[argc]; argc++)
        argv[argc] = line[argc];
    optind = 0;
    flag = 0;
    do {
        index = -1;
        optarg = NULL;
        result = with_longs ? getopt_long(argc, argv, letters, longs, &index) : getopt(argc, argv, letters);
        report(argc, argv, result, index);
    } while (result != -1);
    printf("\n");
}

int main(void) {
    static const char *const letters[] = {"ab:g::", "+ab:g::", ":ab:g::"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (int l = 0; l < 3; l++) {
            parse(lines[i], letters[l], 0);
            parse(lines[i], letters[l], 1);
        }
    opterr = 0;
    parse(lines[4], letters[0], 0);
    return 0;
}
