// Command-line options: getopt and getopt_long. Options may stand after operands, which are moved behind them then, unless
// the letters begin with '+'. The environment has no say in it.

#include <getopt.h>
#include <stdio.h>
#include <string.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

// Where to go on in an argument that holds several short options.
static char *rest;
// How many operands were passed over on the way to the current argument.
static int passed;

static int is_option(const char *word) {
    return word[0] == '-' && word[1] != '\0';
}

static int complain(char *const *argv, const char *letters, const char *what, const char *option) {
    if (opterr && *letters != ':')
        fprintf(stderr, "%s: %s -- '%s'\n", argv[0], what, option);
    return '?';
}

static int missing_argument(char *const *argv, const char *letters, const char *option) {
    complain(argv, letters, "option requires an argument", option);
    return *letters == ':' ? ':' : '?';
}

static int short_option(int argc, char *const *argv, const char *letters) {
    char option[2] = {*rest++, '\0'};
    const char *known = option[0] == ':' ? NULL : strchr(letters, option[0]);
    char *attached = *rest ? rest : NULL;
    int takes_argument = known && known[1] == ':', may_do_without = takes_argument && known[2] == ':';
    optarg = NULL;
    if (attached && !takes_argument)
        return known ? option[0] : (optopt = option[0], complain(argv, letters, "invalid option", option));
    rest = NULL;
    optind++;
    if (!known) {
        optopt = option[0];
        return complain(argv, letters, "invalid option", option);
    }
    if (takes_argument && (attached || may_do_without)) {
        optarg = attached;
    } else if (takes_argument) {
        if (optind >= argc) {
            optopt = option[0];
            return missing_argument(argv, letters, option);
        }
        optarg = argv[optind++];
    }
    return option[0];
}

// The option that `name` (of this length) means: itself, or the only one that begins so.
static const struct option *find(const struct option *options, const char *name, size_t length) {
    const struct option *found = NULL;
    int ambiguous = 0;
    for (; options->name; options++) {
        if (strncmp(options->name, name, length) != 0)
            continue;
        if (options->name[length] == '\0')
            return options;
        ambiguous |= found && (found->has_arg != options->has_arg || found->val != options->val);
        found = options;
    }
    return ambiguous ? NULL : found;
}

static int long_option(int argc, char *const *argv, const char *letters, const struct option *options, int *index) {
    char *name = argv[optind++] + 2;
    size_t length = strcspn(name, "=");
    const struct option *option = find(options, name, length);
    optarg = NULL;
    optopt = option ? option->val : 0;
    if (!option)
        return complain(argv, letters, "unrecognized or ambiguous option", name);
    if (name[length] == '=' && option->has_arg == no_argument)
        return complain(argv, letters, "option does not allow an argument", option->name);
    if (name[length] == '=') {
        optarg = name + length + 1;
    } else if (option->has_arg == required_argument) {
        if (optind >= argc)
            return missing_argument(argv, letters, option->name);
        optarg = argv[optind++];
    }
    if (index)
        *index = (int)(option - options);
    if (!option->flag)
        return option->val;
    *option->flag = option->val;
    return 0;
}

// Moves the arguments from `begin` to optind before the operands that were passed over.
static void settle(char **argv, int begin) {
    for (; begin < optind; begin++) {
        char *moved = argv[begin];
        for (int i = begin; i > begin - passed; i--)
            argv[i] = argv[i - 1];
        argv[begin - passed] = moved;
    }
    optind -= passed;
    passed = 0;
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *options, int *index) {
    int in_order = *letters == '+', begin, result;
    letters += in_order;
    if (optind == 0) {
        optind = 1;
        rest = NULL;
    }
    if (!rest)
        for (; !in_order && optind < argc && !is_option(argv[optind]); optind++)
            passed++;
    begin = optind;
    if (rest) {
        result = short_option(argc, argv, letters);
    } else if (optind >= argc || !is_option(argv[optind])) {
        result = -1;
    } else if (strcmp(argv[optind], "--") == 0) {
        optind++;
        result = -1;
    } else if (argv[optind][1] == '-' && options) {
        result = long_option(argc, argv, letters, options, index);
    } else {
        rest = argv[optind] + 1;
        result = short_option(argc, argv, letters);
    }
    if (!rest)
        settle((char **)argv, begin);
    return result;
}

int getopt(int argc, char *const *argv, const char *letters) {
    return getopt_long(argc, argv, letters, NULL, NULL);
}
